type TimeUnitCode = 'ns' | 'us' | 'ms' | 's' | 'min' | 'h';

/** Nanoseconds in one of each unit, by UCUM code. */
export const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 60e9,
  h: 3600e9,
} satisfies Record<TimeUnitCode, number>;

/**
 * How many nanoseconds one of a unit has: an integer, so quotients of two of them are rounded once.
 * `undefined` for a unit that does not measure time.
 *
 * @param unit A UCUM code, as metrics have it: minutes are `min`, as `m` is the metre.
 * @example
 * ```ts
 * import { nanosecondsPer } from '@hdrscope/kit';
 *
 * nanosecondsPer('ms'); //=> 1000000
 * nanosecondsPer('us') / nanosecondsPer('s'); //=> 0.000001
 * nanosecondsPer('By'); //=> undefined
 * ```
 */
export function nanosecondsPer(unit: TimeUnitCode): number;
/** The same for a unit that is not known when the program is compiled. */
export function nanosecondsPer(unit: string): number | undefined;
export function nanosecondsPer(unit: string): number | undefined {
  return Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined;
}
