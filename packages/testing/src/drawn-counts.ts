/** Counts that are drawn from distributions, as rows of a history have them. */

/** Counts by the leading bits of a double, as rows of a history have them. */
export interface SlotCounts {
  readonly k: readonly number[];
  readonly c: readonly number[];
}

export type Random = () => number;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A factor around 1. */
export function jitter(random: Random, sigma: number): number {
  return Math.exp(sigma * normal(random));
}

function poisson(mean: number, random: Random): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}

export function pick<T>(all: readonly T[], random: Random): T {
  return all[Math.floor(random() * all.length)]!;
}

/** A number in a range. */
export function within(from: number, to: number, random: Random): number {
  return from + (to - from) * random();
}

/** The bits of the mantissa that a slot number has. */
export const BITS = 4;
/** The value of one tick, in seconds. */
export const SCALE = 1e-9;
const [FIRST, LAST] = [slotOf(1e4), slotOf(1e11)];
/** The logarithms of the lower ends of all slots. */
const BOUNDS = Float64Array.from({ length: LAST - FIRST + 2 }, (_, i) => Math.log(lowerOf(FIRST + i)));
const WIDTH = Math.log(2) / 2 ** BITS;

function slotOf(tick: number): number {
  const exponent = Math.floor(Math.log2(tick));
  return (exponent + 1023) * 2 ** BITS + Math.floor((tick / 2 ** exponent - 1) * 2 ** BITS);
}

function lowerOf(k: number): number {
  return 2 ** ((k >> BITS) - 1023) * (1 + (k & (2 ** BITS - 1)) / 2 ** BITS);
}

/** The normal distribution function: Abramowitz and Stegun 26.2.17 is enough here. */
function phi(x: number): number {
  if (x < -6) return 0;
  if (x > 6) return 1;
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    ((Math.exp((-x * x) / 2) * t) / Math.sqrt(2 * Math.PI)) *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x >= 0 ? 1 - tail : tail;
}

/** A lognormal part of a distribution. */
export interface Part {
  readonly weight: number;
  /** In ticks. */
  readonly median: number;
  readonly sigma: number;
}

/** The values of a series in a range of time: how many are expected, and how they are distributed. */
export interface Load {
  readonly mean: number;
  readonly parts: readonly Part[];
}

/** Calls `take` with the expected count of each slot that some may be expected in. */
function forEachSlot({ mean, parts }: Load, take: (index: number, expected: number) => void): void {
  const logs = parts.map(({ median }) => Math.log(median));
  const upTo = (i: number): number =>
    parts.reduce((sum, { weight, sigma }, at) => sum + weight * phi((BOUNDS[i]! - logs[at]!) / sigma), 0);
  const indexOf = (log: number): number => Math.floor((log - BOUNDS[0]!) / WIDTH);
  const ends = parts.flatMap(({ sigma }, at) => [logs[at]! - 6 * sigma, logs[at]! + 6 * sigma]);
  // Bounded: a series has up to five parts.
  const from = Math.max(0, indexOf(Math.min(...ends)) - 2 ** BITS);
  // Bounded: as above.
  const to = Math.min(BOUNDS.length - 1, indexOf(Math.max(...ends)) + 2 ** BITS);
  let seen = upTo(from);
  for (let i = from; i < to; i++) {
    const next = upTo(i + 1);
    const expected = mean * (next - seen);
    seen = next;
    if (expected >= 1e-9) take(i, expected);
  }
}

export function draw(load: Load, random: Random): SlotCounts {
  const [k, c]: [number[], number[]] = [[], []];
  forEachSlot(load, (i, expected) => {
    const count = poisson(expected, random);
    if (count === 0) return;
    k.push(FIRST + i);
    c.push(count);
  });
  return { k, c };
}

/** The percentile of expected counts, in ticks. */
export function readPercentile(loads: readonly Load[], percentile: number): number {
  const sums = new Float64Array(BOUNDS.length);
  for (const load of loads) {
    forEachSlot(load, (i, expected) => {
      sums[i]! += expected;
    });
  }
  const rank = (percentile / 100) * sums.reduce((sum, one) => sum + one, 0);
  let seen = 0;
  let i = 0;
  while (seen < rank) seen += sums[i++]!;
  return Math.exp(BOUNDS[i]!);
}
