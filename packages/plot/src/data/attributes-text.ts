import type { Attributes } from '@hdrscope/registry';

/**
 * Attributes as people read them, each for itself and by key. Objects are JSON.
 *
 * @example
 * ```ts
 * import { attributePairs } from '@hdrscope/plot';
 *
 * attributePairs({ route: '/search', method: 'get', codes: [200, 204] });
 * //=> ['codes=[200, 204]', 'method=get', 'route=/search']
 * ```
 */
export function attributePairs(attributes: Attributes): string[] {
  return Object.keys(attributes)
    .sort()
    .map((key) => `${key}=${valueText(attributes[key])}`);
}

/**
 * Attributes in one line: see `attributePairs`.
 *
 * @example
 * ```ts
 * import { attributesText } from '@hdrscope/plot';
 *
 * attributesText({ route: '/search', method: 'get' }); //=> 'method=get, route=/search'
 * ```
 */
export function attributesText(attributes: Attributes): string {
  return attributePairs(attributes).join(', ');
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    // It holds a cycle or a bigint.
    return 'an object';
  }
}
