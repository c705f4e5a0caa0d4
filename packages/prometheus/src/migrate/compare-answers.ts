import type { Claim } from './query-verdict.ts';

/** A series of an answer, with numbers or histograms by their times in seconds. */
export interface AnsweredSeries {
  readonly labels: ReadonlyMap<string, string>;
  readonly numbers: ReadonlyMap<number, number>;
  readonly histograms: ReadonlyMap<number, AnsweredHistogram>;
}

interface AnsweredHistogram {
  readonly count: number;
  readonly sum: number;
  /** The buckets that are not empty, ascending. */
  readonly buckets: readonly { readonly lower: number; readonly upper: number; readonly count: number }[];
}

export interface ClaimAnswers {
  readonly classic: readonly AnsweredSeries[];
  readonly native: readonly AnsweredSeries[];
}

/** Rates of equal counters differ in their last digits. */
const TOLERANCE = 1e-6;

export interface Comparison {
  /** How many values agree. */
  readonly values: number;
  /** The first value that differs, in a sentence. @default none */
  readonly difference?: string;
}

/** Compares both sides of a claim: all series, and all times that both have. */
export function compareAnswers(claim: Claim, { classic, native }: ClaimAnswers): Comparison {
  const classicBy = groupSeries(classic);
  const nativeBy = groupSeries(native);
  let values = 0;
  for (const [key, group] of classicBy) {
    const histograms = nativeBy.get(key)?.[0]?.histograms;
    if (histograms === undefined) return { values, difference: `${shown(key)} has no native histogram` };
    for (const timeSec of listTimes(group)) {
      const histogram = histograms.get(timeSec);
      if (histogram === undefined)
        return { values, difference: `${shown(key)} has no native histogram at ${timeSec}` };
      const difference = compareValue(claim, group, histogram, timeSec);
      if (difference !== undefined)
        return { values, difference: `${difference} for ${shown(key)} at ${timeSec}` };
      values++;
    }
  }
  // A server without the classic form shows nothing about it.
  if (classic.length === 0) return { values };
  const alone = [...nativeBy.keys()].find((key) => !classicBy.has(key));
  return alone === undefined
    ? { values }
    : { values, difference: `${shown(alone)} has no classic histogram` };
}

/** A series that one of two results lacks, in a sentence. Names of metrics do not count. */
export function compareLabels(
  before: readonly AnsweredSeries[],
  after: readonly AnsweredSeries[],
): string | undefined {
  if (before.length === 0) return undefined;
  const [classic, native] = [groupSeries(before), groupSeries(after)];
  const lost = [...classic.keys()].find((key) => !native.has(key));
  if (lost !== undefined) return `${shown(lost)} is not in the result any more`;
  const added = [...native.keys()].find((key) => !classic.has(key));
  return added === undefined ? undefined : `${shown(added)} is new in the result`;
}

function shown(key: string): string {
  return key === '{}' ? 'the result' : key;
}

/** Series by their labels, without the name and the bound. */
function groupSeries(series: readonly AnsweredSeries[]): Map<string, AnsweredSeries[]> {
  const groups = new Map<string, AnsweredSeries[]>();
  for (const one of series) {
    const labels = [...one.labels].filter(([name]) => name !== '__name__' && name !== 'le').sort();
    const key = `{${labels.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}

function listTimes(group: readonly AnsweredSeries[]): Set<number> {
  return new Set(group.flatMap(({ numbers }) => [...numbers.keys()]));
}

function compareValue(
  claim: Claim,
  group: readonly AnsweredSeries[],
  histogram: AnsweredHistogram,
  timeSec: number,
): string | undefined {
  if (claim.kind === 'quantile') return compareQuantile(Number(claim.quantile), group, histogram, timeSec);
  const classic = group[0]!.numbers.get(timeSec)!;
  if (claim.kind === 'within') {
    const [least, most] = countWithin(histogram, claim.bound!);
    const slack = TOLERANCE * histogram.count;
    if (classic >= least - slack && classic <= most + slack) return undefined;
    return `the native buckets have ${least} to ${most} values up to ${claim.bound}, and the classic one has ${classic}`;
  }
  const value = histogram[claim.kind];
  return isEqual(classic, value)
    ? undefined
    : `the native ${claim.kind} is ${value}, and the classic one is ${classic}`;
}

function isEqual(one: number, other: number): boolean {
  if (Number.isNaN(one) && Number.isNaN(other)) return true;
  return Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other));
}

/** The counts of the buckets that lie below a bound as a whole, and of those that begin below it. */
function countWithin({ buckets }: AnsweredHistogram, bound: number): readonly [least: number, most: number] {
  const sum = (isIn: (bucket: { lower: number; upper: number }) => boolean): number =>
    buckets.reduce((total, bucket) => (isIn(bucket) ? total + bucket.count : total), 0);
  return [sum(({ upper }) => upper <= bound), sum(({ lower }) => lower < bound)];
}

/** Whether the classic and the native bucket of a rank have values in common. */
function compareQuantile(
  quantile: number,
  group: readonly AnsweredSeries[],
  histogram: AnsweredHistogram,
  timeSec: number,
): string | undefined {
  const classic = readClassic(group, timeSec);
  const total = classic.at(-1)?.cumulative ?? 0;
  if (!isEqual(total, histogram.count)) {
    return `the native histogram has ${histogram.count} values, and the classic one has ${total}`;
  }
  // A quantile that is no number, as in a template, says nothing about a rank.
  if (!(total > 0) || !(quantile >= 0 && quantile <= 1)) return undefined;
  let cumulative = 0;
  const native = histogram.buckets.map(({ lower, upper, count }) => {
    cumulative += count;
    return { lower, upper, cumulative };
  });
  const ours = findRank(native, quantile * total);
  const theirs = findRank(classic, quantile * total);
  if (ours.lower <= theirs.upper && theirs.lower <= ours.upper) return undefined;
  return `the native percentile is from ${ours.lower} to ${ours.upper}, and the classic one from ${theirs.lower} to ${theirs.upper}`;
}

interface RankedBucket {
  readonly lower: number;
  readonly upper: number;
  /** The values of this bucket and all below it. */
  readonly cumulative: number;
}

function readClassic(group: readonly AnsweredSeries[], timeSec: number): RankedBucket[] {
  const bounds = group.flatMap(({ labels, numbers }) => {
    const cumulative = numbers.get(timeSec);
    return cumulative === undefined
      ? []
      : [{ upper: Number((labels.get('le') ?? '').replace('Inf', 'Infinity')), cumulative }];
  });
  bounds.sort((a, b) => a.upper - b.upper);
  return bounds.map((bucket, at) => ({
    ...bucket,
    lower: bounds[at - 1]?.upper ?? Number.NEGATIVE_INFINITY,
  }));
}

/** The bounds of the value of a rank: of two buckets where rounding may have moved it over their border. */
function findRank(
  buckets: readonly RankedBucket[],
  rank: number,
): { readonly lower: number; readonly upper: number } {
  const find = (wanted: number): RankedBucket | undefined =>
    buckets.find(({ cumulative }) => cumulative >= wanted) ?? buckets.at(-1);
  return {
    lower: find(rank * (1 - TOLERANCE))?.lower ?? Number.NEGATIVE_INFINITY,
    upper: find(rank * (1 + TOLERANCE))?.upper ?? Number.POSITIVE_INFINITY,
  };
}
