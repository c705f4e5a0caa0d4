import type { Bounds } from '@hdrscope/core';
import { formatCount, percentileTitle, valuesText } from '../format.ts';
import type { Evidence } from './evidence.ts';
import { proportionOf } from './proportion.ts';

/**
 * The verdict on an objective:
 *
 * - `'kept beyond doubt'`: the whole confidence interval of the percentile is within the threshold.
 * - `'kept'`: the percentile of these values is within the threshold, and the interval reaches beyond it.
 * - `'missed'`: the percentile of these values is beyond the threshold, and the interval begins within it.
 * - `'missed beyond doubt'`: the whole interval is beyond the threshold.
 * - `'cannot be judged'`: the input does not know the percentile, or knows it within bounds that contain the threshold.
 */
export type Verdict = 'kept beyond doubt' | 'kept' | 'missed' | 'missed beyond doubt' | 'cannot be judged';

/** A verdict and its ground. */
export interface Judgement {
  readonly verdict: Verdict;
  /** The value of the percentile; `undefined` when it is not known. */
  readonly actual?: Bounds;
  /** The interval that contains the percentile of the population; `undefined` when the input does not have every value. */
  readonly interval?: Bounds | undefined;
  /** How many values are within the threshold. */
  readonly within?: Bounds;
  /** A sentence: the cause and the cure of a verdict that is not sure. */
  readonly note?: string;
}

// As many values as a rule of thumb wants in the smaller part of a proportion.
const ENOUGH_BEYOND = 10;

/** Judges whether a percentile is at most a threshold. */
export function judge(
  evidence: Evidence,
  percentile: number,
  threshold: number,
  confidence: number,
): Judgement {
  const { count } = evidence;
  if (count === 0) return { verdict: 'cannot be judged', note: 'there are no values' };
  const actual = evidence.percentile(percentile);
  if (typeof actual === 'string') return { verdict: 'cannot be judged', note: actual };
  const within = evidence.within(threshold);
  const found = { actual, within };
  if (percentile === 100) return { ...found, ...ofMaximum(actual, within, threshold, count) };

  const least = proportionOf(within.lower, count, percentile, confidence);
  const most = proportionOf(within.upper, count, percentile, confidence);
  const ground = { ...found, interval: evidence.interval(percentile, confidence) };
  const title = percentileTitle(percentile);
  const beyond = count * (1 - percentile / 100);
  if (actual.upper <= threshold || least.isWithin) {
    const needed = Math.ceil(Number((100 / (100 - percentile)).toPrecision(12)));
    if (beyond < 1 - 1e-9) {
      const note = `${title} of ${formatCount(count)} values is their maximum: at least ${formatCount(needed)} values are needed`;
      return { ...ground, verdict: 'cannot be judged', note };
    }
    if (least.isSurelyWithin) return { ...ground, verdict: 'kept beyond doubt' };
    return { ...ground, verdict: 'kept', ...knownFrom(title, beyond, count) };
  }
  if (actual.lower > threshold || !most.isWithin) {
    if (most.isSurelyBeyond) return { ...ground, verdict: 'missed beyond doubt' };
    return { ...ground, verdict: 'missed', ...knownFrom(title, beyond, count) };
  }
  const note = `${title} is known within bounds only, and the threshold lies between them`;
  return { ...ground, verdict: 'cannot be judged', note };
}

/** The maximum is a fact about these values. A larger one may always come. */
function ofMaximum(
  actual: Bounds,
  within: Bounds,
  threshold: number,
  count: number,
): Pick<Judgement, 'verdict' | 'note'> {
  if (actual.upper <= threshold || within.lower === count) {
    return {
      verdict: 'kept',
      note: 'a maximum is that of these values, and a longer test finds a larger one',
    };
  }
  if (actual.lower > threshold || within.upper < count) return { verdict: 'missed beyond doubt' };
  const note = 'the maximum is known within bounds only, and the threshold lies between them';
  return { verdict: 'cannot be judged', note };
}

function knownFrom(title: string, beyond: number, count: number): Pick<Judgement, 'note'> {
  if (beyond >= ENOUGH_BEYOND) return {};
  const known = Math.max(1, Math.floor(beyond + 1e-9));
  return {
    note: `${title} is known from ${valuesText(known)} beyond it, of ${formatCount(count)}: a longer test knows it better`,
  };
}

/** Whether a verdict fails the check. */
export function isFailure(verdict: Verdict, isStrict: boolean): boolean {
  return verdict !== 'kept beyond doubt' && (isStrict || verdict !== 'kept');
}
