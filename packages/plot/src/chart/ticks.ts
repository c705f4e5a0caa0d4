import { nanosecondsPer } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';

/*
 * The values that axes are labelled at: 1, 2 and 5 of each power of ten, the steps of clocks for times from a minute on, and powers of
 * two for sizes.
 */

const SECOND = 1e9;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Steps of times, in ns, above 5 s, where people stop counting in decimals. */
const CLOCK_STEPS = [
  ...[10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  DAY,
];

/** Values, in ns, of a logarithmic axis of times from a second on: all, and those of the usual distance. */
const LONG_TIMES = [
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 5, 10].map((count) => count * HOUR),
];
const LONG_TIME_DECADES = [1, 10, 60, 600, 3600, 36_000].map((seconds) => seconds * SECOND);

/** How many nanoseconds or bytes one of a unit is; 1 without a unit. */
function sizeOf(unit: CountedUnit): number {
  return nanosecondsPer(unit) ?? SHOWN_UNITS[unit].scale;
}

function isSize(unit: CountedUnit): boolean {
  return unit === 'bytes' || unit === 'KiB';
}

/** The smallest step that people count in and that is at least `least`. Nothing is smaller than a byte. */
export function niceStep(least: number, unit: CountedUnit): number {
  const size = sizeOf(unit);
  const wanted = least * size;
  if (isSize(unit)) return Math.max(1, 2 ** Math.ceil(Math.log2(wanted) - 1e-9)) / size;
  if (unit !== 'none' && wanted > 5 * SECOND) {
    const step = CLOCK_STEPS.find((one) => one >= wanted * (1 - 1e-9));
    return (step ?? decimalStep(wanted / DAY) * DAY) / size;
  }
  return decimalStep(wanted) / size;
}

/** The smallest of 1, 2 and 5 times a power of ten that is at least `least`. */
export function decimalStep(least: number): number {
  const decade = 10 ** Math.floor(Math.log10(least));
  return decade * [1, 2, 5, 10].find((one) => one * decade >= least * (1 - 1e-9))!;
}

/** The multiples of a nice step from `least` to `most`: at most about `parts`, and at least one unless the range holds none. */
export function linearTicks(least: number, most: number, unit: CountedUnit, parts: number): number[] {
  if (!(most > least)) return [least];
  const step = niceStep((most - least) / parts, unit);
  const [from, to] = [Math.ceil(least / step - 1e-9), Math.floor(most / step + 1e-9)];
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) =>
    Number(((from + i) * step).toPrecision(12)),
  );
}

/**
 * The labelled values of a logarithmic axis from `least` to `most`, both above 0: at most `parts`, at least two where the range has them.
 * A range without them, which is narrow, has linear ones.
 */
export function logTicks(least: number, most: number, unit: CountedUnit, parts: number): number[] {
  const size = sizeOf(unit);
  const [from, to] = [least * size * (1 - 1e-9), most * size * (1 + 1e-9)];
  const within = (values: readonly number[]): number[] =>
    values.filter((value) => value >= from && value <= to).map((value) => value / size);
  const levels = isSize(unit) ? powersOfTwo(from, to) : decimals(from, to, unit !== 'none');
  const found = levels.map(within).find(({ length }) => length <= parts) ?? [];
  return found.length >= 2 ? found : linearTicks(least, most, unit, parts);
}

/** The end of a logarithmic axis: the nearest labelled value beyond a value. */
export function logEnd(value: number, unit: CountedUnit, side: 'below' | 'above'): number {
  const size = sizeOf(unit);
  const at = value * size;
  const [fine = []] = isSize(unit)
    ? powersOfTwo(at / 4, at * 4)
    : decimals(at / 100, at * 100, unit !== 'none');
  const end =
    side === 'below'
      ? fine.findLast((one) => one <= at * (1 + 1e-9))
      : fine.find((one) => one >= at * (1 - 1e-9));
  return (end ?? at) / size;
}

/** Lists of values that contain a range, from the finest list to the coarsest. */
function decimals(from: number, to: number, areTimes: boolean): number[][] {
  const decades = decadesOf(from, to);
  const isShort = (value: number): boolean => !areTimes || value < SECOND;
  const fine = decades.flatMap((decade) => [1, 2, 5].map((digit) => Number(`${digit}e${decade}`)));
  const coarse = decades.map((decade) => Number(`1e${decade}`));
  const long = (list: readonly number[], perDay: readonly number[]): number[] =>
    areTimes
      ? [...list, ...decadesOf(DAY, to).flatMap((_, i) => perDay.map((digit) => digit * 10 ** i * DAY))]
      : [];
  const all = [...fine.filter(isShort), ...long(LONG_TIMES, [1, 2, 5])];
  const usual = [...coarse.filter(isShort), ...long(LONG_TIME_DECADES, [1])];
  return [all, usual, ...[2, 3, 4, 6, 10, 20, 40].map((every) => usual.filter((_, i) => i % every === 0))];
}

function decadesOf(from: number, to: number): number[] {
  const [first, last] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  return Array.from({ length: Math.max(0, last - first) + 1 }, (_, i) => first + i);
}

function powersOfTwo(from: number, to: number): number[][] {
  const [first, last] = [Math.floor(Math.log2(from)), Math.ceil(Math.log2(to))];
  return [1, 2, 5, 10, 20, 40, 100, 200].map((every) => {
    const start = Math.floor(first / every);
    const count = Math.max(0, Math.ceil(last / every) - start) + 1;
    return Array.from({ length: count }, (_, i) => 2 ** ((start + i) * every));
  });
}
