import { middle } from '../double.ts';
import { mustBe } from '../errors.ts';
import { assertOptions, integer, number, type OptionsOwner, optionsIn } from '../options.ts';
import { assertInteger } from './checks.ts';
import type { Layout } from './layout.ts';

/** Options of an exponential layout. */
export interface ExponentialLayoutOptions {
  /** `base = 2 ** (2 ** -scale)`: an integer from -10 to 20. Prometheus calls it schema. */
  readonly scale: number;
  /**
   * Index of the lowest bucket, which covers `(base ** minIndex, base ** (minIndex + 1)]`: an integer from that of the smallest
   * double above 0 to that of the largest.
   */
  readonly minIndex: number;
  /** Index of the highest bucket: an integer from `minIndex` to that of the largest double. */
  readonly maxIndex: number;
  /** Indexes of buckets for values below 0, which mirror those above it. @default no such buckets */
  readonly negative?: IndexRange | undefined;
  /** Values whose absolute value is at most this one count as 0, whatever the buckets are: finite and at least 0. @default 0 */
  readonly zeroThreshold?: number;
}

/** Indexes of neighbouring buckets. */
export interface IndexRange {
  /** Index of the bucket that is nearest to 0, an integer. */
  readonly minIndex: number;
  /** Index of the bucket that is farthest from 0: an integer of at least `minIndex`. */
  readonly maxIndex: number;
}

/**
 * The zero slot holds 0 and values too close to it for the lowest bucket. After it, slot `zeroSlot + i` is the bucket with
 * index `minIndex + i - 1`, and the last slot holds values above the highest bucket.
 *
 * A zero threshold beyond the lowest bound widens the zero slot. The bucket that the threshold lies in begins at the threshold.
 * Buckets nearer to 0 keep their bounds, and no value has their slots.
 *
 * Without negative buckets the zero slot is slot 0, and values below 0 count there. With them, slot 0 holds values below the
 * lowest negative bucket, and slot `zeroSlot - i` is the negative bucket with index `negative.minIndex + i - 1`: it covers
 * `[-(base ** (index + 1)), -(base ** index))`, so its lower bound is the inclusive one.
 */
export interface ExponentialLayout extends Layout {
  /** Marks a layout whose bucket bounds are powers of one base. */
  readonly kind: 'exponential';
  /** Fineness: the base is `2 ** 2 ** -scale`. An integer from -10 to 20. */
  readonly scale: number;
  /** Index of the lowest positive bucket, an integer. Bucket `i` covers `(base ** i, base ** (i + 1)]`. */
  readonly minIndex: number;
  /** Index of the highest positive bucket: an integer of at least `minIndex`. */
  readonly maxIndex: number;
  /** Indexes of the lowest and the highest negative bucket; `undefined` for a layout without negative values. */
  readonly negative: IndexRange | undefined;
  /** The slot of 0: 0 without negative buckets, else the slot after the last of them. */
  readonly zeroSlot: number;
  /** Values whose absolute value is at most this one share the zero slot. At least 0. */
  readonly zeroThreshold: number;
}

/** The coarsest scale. */
export const MIN_SCALE = -10;
/** The finest scale. */
export const MAX_SCALE = 20;
const MIN_NORMAL_EXPONENT = -1022;
const MIN_NORMAL = 2 ** MIN_NORMAL_EXPONENT;
/** The smallest double is this many octaves below the smallest normal one. */
const SUBNORMAL_BITS = 52;
const SMALLEST_EXPONENT = MIN_NORMAL_EXPONENT - SUBNORMAL_BITS;
// Numbers of slots are integers of 32 bits wherever counts are stored.
const MOST_SLOTS = 2 ** 31 - 1;

const OWNER: OptionsOwner<ExponentialLayoutOptions> = {
  name: 'exponentialLayout',
  names: {
    scale: true,
    minIndex: true,
    maxIndex: true,
    negative: /* @__PURE__ */ optionsIn<IndexRange>({
      name: 'negative',
      rules: { minIndex: /* @__PURE__ */ integer(), maxIndex: /* @__PURE__ */ integer() },
    }),
    zeroThreshold: /* @__PURE__ */ number({ from: 0 }),
  },
};

/**
 * Buckets whose bounds are powers of `2 ** (2 ** -scale)`: those of OpenTelemetry's exponential and Prometheus' native
 * histograms. The bound farther from 0 is the inclusive one.
 * Source: https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it, or there would be more than
 *   2^31 − 1 slots.
 * @example
 * ```ts
 * import { exponentialLayout } from '@hdrscope/core';
 *
 * const layout = exponentialLayout({ scale: 0, minIndex: 0, maxIndex: 3 }); // (1,2] (2,4] (4,8] (8,16]
 * [0, 1, 2, 2.1, 16, 17].map((value) => layout.slotOf(value)); //=> [0, 0, 1, 2, 4, 5]
 * ```
 */
export function exponentialLayout(options: ExponentialLayoutOptions): ExponentialLayout {
  assertOptions(options, OWNER);
  const { scale, minIndex, maxIndex, negative, zeroThreshold = 0 } = options;
  assertScale(scale);
  assertIndexes(scale, { minIndex, maxIndex }, '');
  if (negative !== undefined) assertIndexes(scale, negative, 'negative.');
  const zeroSlot = negative === undefined ? 0 : negative.maxIndex - negative.minIndex + 2;
  const slotCount = zeroSlot + maxIndex - minIndex + 3;
  if (slotCount > MOST_SLOTS) {
    throw mustBe('ERR_INVALID_OPTION', 'the number of slots', `at most ${MOST_SLOTS}`, slotCount);
  }
  /** The bound between a slot and the next one, from the zero slot on. */
  const above = (slot: number): number => exponentialBound(scale, minIndex + slot - zeroSlot);
  /** The distance from 0 of the bound between a slot and the one before it, up to the zero slot. */
  const beyond = (slot: number): number => exponentialBound(scale, negative!.minIndex + zeroSlot - slot);
  // A bucket that the threshold lies in begins there.
  const lower = (slot: number): number => {
    if (slot > zeroSlot) {
      const near = above(slot - 1);
      return near < zeroThreshold && zeroThreshold < upper(slot) ? zeroThreshold : near;
    }
    if (negative === undefined) return 0;
    if (slot === zeroSlot) return -Math.max(beyond(slot), zeroThreshold);
    return slot === 0 ? Number.NEGATIVE_INFINITY : -beyond(slot);
  };
  const upper = (slot: number): number => {
    if (slot === slotCount - 1) return Number.POSITIVE_INFINITY;
    if (slot > zeroSlot) return above(slot);
    if (slot === zeroSlot) return Math.max(above(slot), zeroThreshold);
    const near = beyond(slot + 1);
    return near < zeroThreshold && zeroThreshold < -lower(slot) ? -zeroThreshold : -near;
  };
  const within = (value: number, lowest: number, from: number, to: number): number =>
    Math.min(Math.max(exponentialIndex(scale, value) - lowest + 1, 0), to - from) + from;
  return {
    kind: 'exponential',
    scale,
    minIndex,
    maxIndex,
    negative: negative && { minIndex: negative.minIndex, maxIndex: negative.maxIndex },
    zeroSlot,
    zeroThreshold,
    slotCount,
    lowerInclusive: false,
    upperInclusive: true,
    slotOf(value) {
      if (value === Number.POSITIVE_INFINITY) return slotCount - 1;
      if (Math.abs(value) <= zeroThreshold) return zeroSlot;
      if (value > 0) return within(value, minIndex, zeroSlot, slotCount - 1);
      if (negative === undefined) return zeroSlot;
      if (value === Number.NEGATIVE_INFINITY) return 0;
      return zeroSlot - within(-value, negative.minIndex, 0, zeroSlot);
    },
    lower,
    upper,
    midpoint(slot) {
      if (slot === zeroSlot) return 0;
      if (slot === slotCount - 1) return lower(slot);
      if (slot === 0) return upper(slot);
      return middle(Math.max(lower(slot), -Number.MAX_VALUE), Math.min(upper(slot), Number.MAX_VALUE));
    },
  };
}

/**
 * The upper bound of the bucket before `index`, `base ** index`: a power of two exactly, any other bound to the
 * nearest double or the one beside it.
 */
export function exponentialBound(scale: number, index: number): number {
  if (scale <= 0) return 2 ** (index * 2 ** -scale);
  const perOctave = 1 << scale;
  const octave = Math.floor(index / perOctave);
  const mantissa = mantissaOf(scale, index - octave * perOctave, perOctave);
  const power = POWERS_OF_TWO[octave - MIN_NORMAL_EXPONENT];
  if (power !== undefined) return mantissa * power;
  // One rounding, at the end: the bound may be above 0 although `2 ** octave` is 0.
  return mantissa * 2 ** (octave + SUBNORMAL_BITS) * 2 ** -SUBNORMAL_BITS;
}

// Powers are looked up: to compute one takes longer than everything else that places a bucket.

/** From the smallest normal one on. */
const POWERS_OF_TWO = new Float64Array(2046);
for (let i = 0, power = MIN_NORMAL; i < POWERS_OF_TWO.length; i++, power *= 2) POWERS_OF_TWO[i] = power;

/** By scale, the lower bounds of the buckets from 1 to 2. */
const mantissas: Float64Array[] = [];
// Those of the finest scale take 8 KiB.
const FINEST_KEPT_SCALE = 10;

/** `2 ** (place / perOctave)`, for `perOctave = 2 ** scale` and places below it. */
function mantissaOf(scale: number, place: number, perOctave: number): number {
  if (scale > FINEST_KEPT_SCALE) return 2 ** (place / perOctave);
  mantissas[scale] ??= Float64Array.from({ length: perOctave }, (_, i) => 2 ** (i / perOctave));
  return mantissas[scale][place]!;
}

/**
 * The index of the bucket that holds `value`, consistent with `exponentialBound`: the logarithm only guesses, the bounds
 * decide.
 *
 * @param value Above 0 and finite.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is 0, negative, infinite or not a number, as no bucket holds it;
 *   `ERR_INVALID_OPTION` when the scale is outside [-10, 20].
 * @example
 * ```ts
 * import { exponentialBound, exponentialIndex } from '@hdrscope/core/internal';
 *
 * exponentialIndex(1, 3); //=> 3
 * [exponentialBound(1, 3).toFixed(2), exponentialBound(1, 4)]; //=> ['2.83', 4]
 * ```
 */
export function exponentialIndex(scale: number, value: number): number {
  if (!(typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY)) {
    throw mustBe('ERR_INVALID_VALUE', 'value', 'a finite number above 0', value);
  }
  assertScale(scale);
  // At a high scale, thousands of neighbouring bounds round to the same subnormal double. A whole number of octaves above they
  // are different doubles.
  if (scale > 0 && value < MIN_NORMAL) {
    return exponentialIndex(scale, value * 2 ** SUBNORMAL_BITS) - SUBNORMAL_BITS * 2 ** scale;
  }
  let index = Math.ceil(Math.log2(value) * POWERS_OF_TWO[scale - MIN_NORMAL_EXPONENT]!) - 1;
  while (value <= exponentialBound(scale, index)) index--;
  while (value > exponentialBound(scale, index + 1)) index++;
  return index;
}

/** Whether a layout is one of exponential buckets in the unit of its values. */
export function isExponentialLayout(layout: Layout): layout is ExponentialLayout {
  return layout.kind === 'exponential' && 'zeroSlot' in layout;
}

function assertIndexes(scale: number, { minIndex, maxIndex }: IndexRange, path: string): void {
  // The lowest bucket ends at the smallest double or beyond it.
  const least = Math.ceil(SMALLEST_EXPONENT * 2 ** scale) - 1;
  const most = Math.floor(1024 * 2 ** scale);
  if (!Number.isInteger(minIndex) || minIndex < least || minIndex >= most) {
    const allowed = `an integer from ${least} to ${most - 1} at scale ${scale}`;
    throw mustBe('ERR_INVALID_OPTION', `${path}minIndex`, allowed, minIndex);
  }
  if (!Number.isInteger(maxIndex) || maxIndex < minIndex || maxIndex >= most) {
    const allowed = `an integer from ${minIndex} to ${most - 1} at scale ${scale}`;
    throw mustBe('ERR_INVALID_OPTION', `${path}maxIndex`, allowed, maxIndex);
  }
}

function assertScale(scale: number): void {
  assertInteger('scale', scale, MIN_SCALE, MAX_SCALE);
}
