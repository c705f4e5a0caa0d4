import { roundToDigits } from './round-to-digits.ts';
import { NANOSECONDS as UCUM_NANOSECONDS } from './time-unit.ts';

/** Which durations there are, for errors: "must be a duration above 0, such as …". */
export const DURATION_FORMS = 'such as 500ms, 1.5s or 1h30m (units: ns, us or µs, ms, s, m or min, h, d)';

/** Which sizes there are, for errors: "must be a size, such as …". */
export const SIZE_FORMS = 'such as 512B, 64KiB or 100MB (units: B, kB or KB, MB, GB, TB, KiB, MiB, GiB, TiB)';

// Powers of ten are exact in nanoseconds, and 0.1 + 0.2 seconds round to the nanosecond that was meant.
const NANOSECONDS: Readonly<Record<string, number>> = {
  ...UCUM_NANOSECONDS,
  // The micro sign, and the Greek letter that Unicode prefers.
  '\u00b5s': 1e3,
  '\u03bcs': 1e3,
  m: 60e9,
  d: 86_400e9,
};

const BYTES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

const DURATION_PART = partOf(NANOSECONDS);
const DURATION = new RegExp(`^${DURATION_PART.source}(?: ?${DURATION_PART.source})*$`);
const SIZE = new RegExp(`^${partOf(BYTES).source}$`);

/** A decimal and a unit, with a blank between them or without. */
function partOf(units: object): RegExp {
  // The first alternative that fits wins: `ms` and `min` come before `m`.
  return new RegExp(`(\\d+(?:\\.\\d+)?) ?(${Object.keys(units).join('|')})`, 'g');
}

/**
 * The duration that a text means, in nanoseconds: an integer of at least 0, the nearest one when the text is finer.
 * A duration is a decimal with a unit, or several of them that are added up, with a blank between them or without.
 *
 * @returns `undefined` when the text is no duration, such as a number without a unit. `DURATION_FORMS` describes the cure.
 * @example
 * ```ts
 * import { durationNs } from '@hdrscope/kit';
 *
 * durationNs('1.5s'); //=> 1500000000
 * durationNs('1h30m'); //=> 5400000000000
 * durationNs('1 h 30 min'); //=> 5400000000000
 * durationNs('12 µs'); //=> 12000
 * durationNs('12'); //=> undefined
 * ```
 */
export function durationNs(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) total += Number(amount) * NANOSECONDS[unit!]!;
  return Number.isFinite(total) ? Math.round(total) : undefined;
}

/**
 * The size that a text means, in bytes: an integer of at least 0, the nearest one when the text is finer. `kB`, `MB` and
 * so on are powers of 1000, `KiB`, `MiB` and so on powers of 1024. Letters keep their case: `Mb` would be bits.
 *
 * @returns `undefined` when the text is no size, or one above 2^53 - 1. `SIZE_FORMS` describes the cure.
 * @example
 * ```ts
 * import { sizeBytes } from '@hdrscope/kit';
 *
 * sizeBytes('100MB'); //=> 100000000
 * sizeBytes('1.5 GiB'); //=> 1610612736
 * sizeBytes('5mb'); //=> undefined
 * ```
 */
export function sizeBytes(text: string): number | undefined {
  const [, amount, unit] = SIZE.exec(text) ?? [];
  if (unit === undefined) return undefined;
  const bytes = Math.round(Number(amount) * BYTES[unit]!);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** A number with its unit, or a number alone. */
export interface Quantity {
  /** What the unit measures: `'number'` when there is no unit. */
  readonly measure: 'time' | 'size' | 'number';
  /** Nanoseconds, bytes, or the number. */
  readonly amount: number;
}

const NUMBER = /^\d+(\.\d+)?$/;

/**
 * The duration, the size or the number that a text means.
 *
 * @returns `undefined` when the text is none of them.
 * @example
 * ```ts
 * import { quantityOf } from '@hdrscope/kit';
 *
 * quantityOf('250ms'); //=> { measure: 'time', amount: 250000000 }
 * quantityOf('4KiB'); //=> { measure: 'size', amount: 4096 }
 * quantityOf('12'); //=> { measure: 'number', amount: 12 }
 * ```
 */
export function quantityOf(text: string): Quantity | undefined {
  if (NUMBER.test(text)) return { measure: 'number', amount: Number(text) };
  const ns = durationNs(text);
  if (ns !== undefined) return { measure: 'time', amount: ns };
  const bytes = sizeBytes(text);
  return bytes === undefined ? undefined : { measure: 'size', amount: bytes };
}

type Step = readonly [size: number, unit: string];

const DURATION_STEPS: readonly Step[] = steps(NANOSECONDS, ['d', 'h', 'min', 's', 'ms', '\u00b5s', 'ns']);
const SIZE_STEPS: readonly Step[] = steps(BYTES, ['TiB', 'GiB', 'MiB', 'KiB', 'B']);

function steps(sizes: Readonly<Record<string, number>>, units: readonly string[]): readonly Step[] {
  return units.map((unit) => [sizes[unit]!, unit]);
}

/**
 * A duration as people read it, in the largest unit that leaves at least one of it. Between one minute and ten it is in seconds,
 * unless it is whole minutes; beyond it is in two units, the smaller one rounded: `100 s`, `2 min`, `16 min 40 s`.
 * `durationNs` reads it again.
 *
 * @param ns Nanoseconds, finite.
 * @param digits Significant digits to round to; digits before the point are never rounded away. @default 3
 * @example
 * ```ts
 * import { formatDuration } from '@hdrscope/kit';
 *
 * formatDuration(16_383); //=> '16.4 µs'
 * formatDuration(999_999_999); //=> '1 s'
 * formatDuration(100e9); //=> '100 s'
 * formatDuration(1000e9); //=> '16 min 40 s'
 * ```
 */
export function formatDuration(ns: number, digits = 3): string {
  return longDuration(ns, digits) ?? format(ns, DURATION_STEPS, digits);
}

/** A duration of at least a minute; `undefined` for a shorter one. */
function longDuration(ns: number, digits: number): string | undefined {
  const sign = ns < 0 ? '-' : '';
  for (const [small, unit, smallUnit, per, alone] of LONG_STEPS) {
    const exact = Math.abs(ns) / small;
    // Three digits and a whole number of the smaller unit are equally fine.
    const total = digits <= 3 ? Math.round(exact) : roundToDigits(exact, digits);
    // Only an amount that is one of the larger unit in these digits is shown in it: 59.6 s is no minute.
    if (roundToDigits(exact, digits) < per) continue;
    const whole = Math.floor(total / per);
    const rest = roundToDigits(total % per, digits);
    if (rest === 0) return `${sign}${plainText(whole)} ${unit}`;
    if (total < alone) return `${sign}${plainText(total)} ${smallUnit}`;
    return `${sign}${plainText(whole)} ${unit} ${plainText(rest)} ${smallUnit}`;
  }
  return undefined;
}

/**
 * The smaller unit in nanoseconds, the larger unit, the smaller unit, how many of it are one of the larger, and below how many
 * it stands alone.
 */
const LONG_STEPS = [
  [3600e9, 'd', 'h', 24, 24],
  [60e9, 'h', 'min', 60, 60],
  [1e9, 'min', 's', 60, 600],
] as const;

const PARTS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
  [1, 'ms'],
];

/**
 * Formats a duration in whole parts, as PromQL of Prometheus and `durationNs` read it, rounded to a millisecond.
 *
 * @param ms In milliseconds, of at least 0.
 * @example
 * ```ts
 * import { formatDurationParts } from '@hdrscope/kit';
 *
 * formatDurationParts(280_000); //=> '4m40s'
 * ```
 */
export function formatDurationParts(ms: number): string {
  let rest = Math.round(ms);
  let text = '';
  for (const [step, unit] of PARTS) {
    const count = Math.floor(rest / step);
    rest -= count * step;
    if (count > 0) text += `${count}${unit}`;
  }
  return text;
}

/**
 * A size as people read it, in powers of 1024. `sizeBytes` reads it again, unless it was rounded up to 2^53.
 *
 * @param bytes Finite.
 * @param digits Significant digits to round to; digits before the point are never rounded away. @default 3
 * @example
 * ```ts
 * import { formatSize } from '@hdrscope/kit';
 *
 * formatSize(4096); //=> '4 KiB'
 * ```
 */
export function formatSize(bytes: number, digits = 3): string {
  return format(bytes, SIZE_STEPS, digits);
}

function format(amount: number, steps: readonly Step[], digits: number): string {
  // A value that rounds up to the next unit is shown in that one: 1 s, not 1000 ms.
  const [size, unit] =
    steps.find(([size]) => Math.abs(roundToDigits(amount / size, digits)) >= 1) ?? steps.at(-1)!;
  return `${plainText(roundToDigits(amount / size, digits))} ${unit}`;
}

/** The digits of a number, without an exponent: neither people nor `durationNs` read one. */
function plainText(number: number): string {
  const text = String(number);
  if (!text.includes('e')) return text;
  return number.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
}
