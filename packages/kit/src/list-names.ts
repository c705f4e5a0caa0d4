/**
 * The first names of a list, and how many more there are: `get, put and 3 more`.
 *
 * @example
 * ```ts
 * import { listNames } from '@hdrscope/kit';
 *
 * listNames(['get', 'put', 'head'], 2); //=> 'get, put and 1 more'
 * listNames(['get', 'put'], 2); //=> 'get, put'
 * ```
 */
export function listNames(names: readonly string[], most: number, separator = ', '): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(separator)}${more}`;
}
