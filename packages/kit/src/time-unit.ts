/** A unit of time by its UCUM code, as metrics have it. Minutes are `min`: `m` is the metre there. */
export type TimeUnit = 'ns' | 'us' | 'ms' | 's' | 'min' | 'h';

const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 60e9,
  h: 3600e9,
} satisfies Record<TimeUnit, number>;

/** All units of time, ascending. */
export const TIME_UNITS: readonly TimeUnit[] = Object.keys(NANOSECONDS) as TimeUnit[];

/**
 * How many nanoseconds one of a unit has: an integer, so quotients of two of them are rounded once.
 * `undefined` for a unit that measures something else.
 *
 * @example
 * ```ts
 * import { nanosecondsPer } from '@hdrscope/kit';
 *
 * nanosecondsPer('ms'); //=> 1000000
 * nanosecondsPer('us') / nanosecondsPer('s'); //=> 0.000001
 * nanosecondsPer('By'); //=> undefined
 * ```
 */
export function nanosecondsPer(unit: TimeUnit): number;
export function nanosecondsPer(unit: string): number | undefined;
export function nanosecondsPer(unit: string): number | undefined {
  return Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined;
}
