import { assertFollows, object } from '@hdrscope/core/internal';
import type { Attributes } from '@hdrscope/registry';

/**
 * Attributes as people read them: one text for each, in the order of their keys. Objects are written as JSON.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the attributes are not an object.
 * @example
 * ```ts
 * import { attributePairs } from '@hdrscope/plot';
 *
 * attributePairs({ route: '/search', method: 'get', codes: [200, 204] });
 * //=> ['codes=[200, 204]', 'method=get', 'route=/search']
 * ```
 */
export function attributePairs(attributes: Attributes): string[] {
  assertFollows('attributes', ATTRIBUTES, attributes);
  return Object.keys(attributes)
    .sort()
    .map((key) => `${key}=${valueText(attributes[key])}`);
}

const ATTRIBUTES = object<Attributes>();

/** Attributes in one line: `method=get, route=/search`. */
export function attributesText(attributes: Attributes): string {
  return attributePairs(attributes).join(', ');
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    // The object holds a cycle or a bigint.
    return 'an object';
  }
}
