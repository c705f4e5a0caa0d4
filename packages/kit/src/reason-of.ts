/**
 * Why something failed, in one line: the message of an error, or the text of any other value. Never throws.
 *
 * @param error Whatever was thrown, also an error of another realm.
 * @example
 * ```ts
 * import { reasonOf } from '@hdrscope/kit';
 *
 * reasonOf(new Error('no such file')); //=> 'no such file'
 * reasonOf(new TypeError()); //=> 'TypeError'
 * reasonOf('timeout\n  of 5 s'); //=> 'timeout of 5 s'
 * ```
 */
export function reasonOf(error: unknown): string {
  try {
    // `instanceof` would miss errors of other realms.
    const message = (error as Partial<Error> | null | undefined)?.message;
    return (message || String(error)).replaceAll(/\s+/g, ' ');
  } catch {
    return 'unknown';
  }
}
