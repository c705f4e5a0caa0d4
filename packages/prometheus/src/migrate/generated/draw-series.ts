import { createRandom, exponentialIndex } from '@hdrscope/core/internal';
import type { HistogramValue } from '../../families.ts';

/** How many samples a series has. */
export const SAMPLES = 120;
export const STEP_MS = 15_000;

/** The form of the native histograms: `custom` has the bounds of the classic buckets, so that all answers are equal. */
export type NativeForm = 'custom' | 'exponential';

/** The values of a histogram at one time. */
export interface DrawnHistogram {
  readonly count: number;
  readonly sum: number;
  /** The values of each bucket, the last of which has no bound. */
  readonly counts: readonly number[];
  readonly native: HistogramValue;
}

/** What happens to a series. */
type Fate = 'steady' | 'reset' | 'gap' | 'late' | 'ended';

/** The fates of the rows of a metric, in turns. */
const FATES: readonly Fate[] = ['steady', 'reset', 'gap', 'late', 'ended'];

/** Counters begin high, because Prometheus extrapolates each bucket on its own where it is near 0. */
const FIRST_COUNT = 1_000_000;
const RESET_AT = Math.round(SAMPLES * 0.6);
const LATE_FROM = Math.round(SAMPLES * 0.4);
/** A series that has ended counts no values any more, and still has samples. */
const ENDED_AT = Math.round(SAMPLES * 0.35);
/** Longer than the five minutes for which Prometheus looks back. */
const GAP = { from: Math.round(SAMPLES * 0.7), to: Math.round(SAMPLES * 0.85) };
/** The coarsest schema that Prometheus needs to tell bounds of 9 % apart. */
const SCHEMA = 3;
const ZERO_THRESHOLD = 1e-128;

/** The seed of one series: equal texts have equal values. */
export function seedSeries(seed: number, text: string): number {
  let hash = seed ^ 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
}

/** Whether a series of a fate has a sample at a step. */
function isPresent(fate: Fate, step: number): boolean {
  if (fate === 'late') return step >= LATE_FROM;
  return fate !== 'gap' || step < GAP.from || step >= GAP.to;
}

/**
 * Draws the samples of a histogram, `undefined` for steps without one. Each bucket gets values on its bound and between its bounds, most of
 * them around a place that moves, so that each quantile, each share and each window gives another answer.
 */
export function drawHistogram(
  row: number,
  bounds: readonly number[],
  form: NativeForm,
  seed: number,
): (DrawnHistogram | undefined)[] {
  const random = createRandom(seed);
  const fate = FATES[row % FATES.length]!;
  const points = placePoints(bounds);
  const phase = random();
  const start = (): number[] => points.map(() => FIRST_COUNT + Math.floor(random() * FIRST_COUNT));
  const first = start();
  let counts = [...first];
  return Array.from({ length: SAMPLES }, (_, step) => {
    if (fate === 'reset' && step === RESET_AT) counts = first.map((count) => count - 1000);
    if (fate !== 'ended' || step < ENDED_AT) {
      const center = bounds.length * (0.5 + 0.45 * Math.sin(2 * Math.PI * (step / 60 + phase)));
      // Without an empty bucket, a quantile at a border has one value only.
      for (let bucket = 0; bucket < bounds.length; bucket++) counts[2 * bucket]!++;
      const added = 4 + Math.floor(120 * random() ** 2);
      for (let one = 0; one < added; one++) counts[drawPoint(random, bounds.length, center)]!++;
      // Values above the last bound hide quantiles, so they are rare.
      if (row % 5 === 3 && step % 40 === 7) counts[2 * bounds.length]!++;
    }
    return isPresent(fate, step) ? shapeHistogram(points, counts, bounds, form) : undefined;
  });
}

/** The values that are counted: for each bucket one between its bounds and its upper bound, and one above all bounds. */
function placePoints(bounds: readonly number[]): number[] {
  const points = bounds.flatMap((bound, at) => [(bound + (bounds[at - 1] ?? 0)) / 2, bound]);
  return [...points, (bounds.at(-1) ?? 1) * 1.5];
}

function drawPoint(random: () => number, buckets: number, center: number): number {
  const isNear = random() < 0.75;
  const place = isNear ? center + (random() + random() - 1) * 2.5 : random() * buckets;
  const bucket = Math.min(buckets - 1, Math.max(0, Math.floor(place)));
  return 2 * bucket + (random() < 0.3 ? 1 : 0);
}

function shapeHistogram(
  points: readonly number[],
  pointCounts: readonly number[],
  bounds: readonly number[],
  form: NativeForm,
): DrawnHistogram {
  const counts = [
    ...bounds.map((_, at) => pointCounts[2 * at]! + pointCounts[2 * at + 1]!),
    pointCounts.at(-1)!,
  ];
  const count = counts.reduce((total, one) => total + one, 0);
  const sum = points.reduce((total, point, at) => total + point * pointCounts[at]!, 0);
  const value = { kind: 'histogram', count, sum } as const;
  const native: HistogramValue =
    form === 'custom'
      ? { ...value, classic: { boundaries: bounds, counts } }
      : { ...value, native: bucketPoints(points, pointCounts) };
  return { count, sum, counts, native };
}

function bucketPoints(points: readonly number[], counts: readonly number[]): HistogramValue['native'] {
  const indexes = points.map((point) => exponentialIndex(SCHEMA, point));
  const offset = indexes[0]!;
  const buckets = new Array<number>(indexes.at(-1)! - offset + 1).fill(0);
  for (const [at, index] of indexes.entries()) buckets[index - offset]! += counts[at]!;
  return {
    positive: { scale: SCHEMA, zeroCount: 0, offset, counts: buckets },
    zeroThreshold: ZERO_THRESHOLD,
  };
}

/** Draws the samples of a number: a counter that grows and starts anew, or a gauge. */
export function drawNumbers(row: number, isCounter: boolean, seed: number): number[] {
  const random = createRandom(seed);
  let counter = FIRST_COUNT + Math.floor(random() * FIRST_COUNT);
  const first = counter;
  return Array.from({ length: SAMPLES }, (_, step) => {
    if (!isCounter) return 1 + Math.floor(random() * 8) / 8 + row;
    if (row % 3 === 1 && step === RESET_AT) counter = first - 1000;
    counter += 1 + Math.floor(20 * random());
    return counter;
  });
}
