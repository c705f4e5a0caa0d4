import { malformed } from '@hdrscope/core/internal';

/** An object of JSON whose fields nobody has checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and neither `null` nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Each `as` function returns the value that it is given, or throws. `where` names the place in the error.

/**
 * Checks that a value from outside is an object and not an array. `where` names it in the error.
 *
 * @param where The path of the value in what was read, such as `families[2].name`.
 * @throws HdrscopeError `ERR_DECODE` when the value is no object.
 * @example
 * ```ts
 * import { asCount, asObject } from '@hdrscope/kit';
 *
 * const { count } = asObject(JSON.parse('{"count":7}'), 'series[0]');
 * asCount(count, 'series[0].count'); //=> 7
 * asCount('7', 'series[0].count'); //=> throws ERR_DECODE
 * ```
 */
export function asObject(value: unknown, where: string): JsonObject {
  if (isObject(value)) return value;
  throw malformed(where, 'an object', value);
}

/**
 * Checks that a value from outside is an array without holes. `where` names it in the error.
 *
 * @param most How long the array may be. @default Infinity
 * @throws HdrscopeError `ERR_DECODE` when the value is not an array, is longer, or lacks an item.
 */
export function asArray(
  value: unknown,
  where: string,
  most: number = Number.POSITIVE_INFINITY,
): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(where, 'an array', value);
  if (value.length > most) throw malformed(where, `at most ${most} long`, value);
  // Messages between threads may have holes, which JSON has not: methods of arrays skip them.
  for (let i = 0; i < value.length; i++)
    if (!(i in value)) throw malformed(`${where}[${i}]`, 'an item', undefined);
  return value;
}

/**
 * Checks that a value from outside is a string. `where` names it in the error.
 *
 * @throws HdrscopeError `ERR_DECODE` when the value is not a text.
 */
export function asText(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  throw malformed(where, 'a text', value);
}

/**
 * Checks that a value from outside is a count. `where` names it in the error.
 *
 * @throws HdrscopeError `ERR_DECODE` when the value is not an integer from 0 to 2^53 - 1.
 */
export function asCount(value: unknown, where: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw malformed(where, 'an integer from 0 to 2^53 - 1', value);
}

/**
 * Checks that a value from outside is a finite number. `where` names it in the error.
 *
 * @throws HdrscopeError `ERR_DECODE` when the value is not a finite number.
 */
export function asFinite(value: unknown, where: string): number {
  if (Number.isFinite(value)) return value as number;
  throw malformed(where, 'a finite number', value);
}
