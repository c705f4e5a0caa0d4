/**
 * Counts verdicts on simulated load tests, whose truth is known: false alarms on equal programs, and found ones on slower ones.
 */
import { compareRuns, Histogram, mannWhitneyTest, welchTest } from '@hdrscope/core';
import { Draws } from '@hdrscope/testing/load-models';

/** @import { RunsComparison } from '@hdrscope/core' */
/** @import { Model, ModelRun } from '@hdrscope/testing/load-models' */

export const PERCENTILES = [50, 90, 99];
const TOLERANCE = 0.05;

/**
 * How often something happened.
 *
 * @typedef {{ cases: number, hits: number }} Share
 */

/**
 * @typedef {object} Rates
 * @property {Share} falseAlarms of several runs a side
 * @property {readonly Share[]} tenPercent a growth of a tenth that was found, by percentile
 * @property {Share} twentyPercent a growth of a fifth that was found by any percentile
 * @property {Share} smallest growths that an earlier comparison had named as its smallest, by all percentiles
 * @property {number} shown the median of the smallest growths of p50
 * @property {Share} oneRun false alarms of one run a side, by stretches
 * @property {Share} judged comparisons of one run a side that judged p50
 * @property {Share} tTest false alarms of Welch's t-test of all values
 * @property {Share} mannWhitney false alarms of the Mann-Whitney test of all values
 */

/**
 * @param {Model} model
 * @param {{ runs: number, seconds: number, rate: number, cases: number, seed: number }} shape
 * @returns {Rates}
 */
export function measureRates(model, { runs, seconds, rate, cases, seed }) {
  const draws = new Draws(seed);
  const share = () => ({ cases: 0, hits: 0 });
  const rates = {
    falseAlarms: share(),
    tenPercent: PERCENTILES.map(share),
    twentyPercent: share(),
    smallest: share(),
    oneRun: share(),
    judged: share(),
    tTest: share(),
    mannWhitney: share(),
  };
  /** @type {number[]} */
  const shown = [];
  /** @type {readonly number[] | undefined} */
  let named;
  for (let i = 0; i < cases; i++) {
    const side = () => Array.from({ length: runs }, () => model(draws, 1, { seconds, rate }));
    const [before, after] = [side(), side()];
    const was = before.map((run) => runOf(run));
    const by = (/** @type {number} */ growth) =>
      compared(
        was,
        after.map((run) => runOf(run, 1 + growth)),
      );
    const equal = by(0);
    count(rates.falseAlarms, isWorse(equal));
    by(0.1).percentiles.forEach(({ change }, at) => void count(rates.tenPercent[at], change === 'worse'));
    count(rates.twentyPercent, isWorse(by(0.2)));
    named?.forEach((growth, at) => {
      if (Number.isFinite(growth)) count(rates.smallest, by(growth).percentiles[at]?.change === 'worse');
    });
    named = equal.percentiles.map(({ smallestShown }) => smallestShown);
    shown.push(named[0] ?? Number.NaN);
    countPlainTests(rates, before, after);
    countOneRun(rates, model, draws, rate);
  }
  shown.sort((a, b) => a - b);
  return { ...rates, shown: shown[shown.length >> 1] ?? Number.NaN };
}

/**
 * @param {Share | undefined} share
 * @param {boolean} isHit
 */
function count(share, isHit) {
  if (share === undefined) return;
  share.cases++;
  if (isHit) share.hits++;
}

/**
 * @param {readonly { values: Histogram }[]} before
 * @param {readonly { values: Histogram }[]} after
 */
function compared(before, after) {
  return compareRuns(before, after, { percentiles: PERCENTILES, tolerance: TOLERANCE });
}

/** @param {RunsComparison} comparison */
function isWorse({ percentiles }) {
  return percentiles.some(({ change }) => change === 'worse');
}

const TICKS_PER_MS = 1e6;

/**
 * A run whose stretches are seconds.
 *
 * @param {ModelRun} run
 */
function runOf({ values, rate }, factor = 1, hasStretches = false) {
  const all = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
  const stretches = [];
  for (let from = 0; from < values.length; from += hasStretches ? rate : values.length) {
    const stretch = hasStretches ? new Histogram({ storage: 'sparse' }) : all;
    const part = values.subarray(from, hasStretches ? from + rate : undefined);
    for (const value of part) stretch.record(Math.round(value * factor * TICKS_PER_MS));
    if (hasStretches) {
      stretches.push(stretch);
      all.add(stretch);
    }
  }
  return { values: all, ...(hasStretches && { stretches }) };
}

/**
 * What people do without a tool: a test of all values, at 1 %, and a growth above the tolerance.
 *
 * @param {Pick<Rates, 'tTest' | 'mannWhitney'>} rates
 * @param {readonly ModelRun[]} before
 * @param {readonly ModelRun[]} after
 */
function countPlainTests({ tTest, mannWhitney }, before, after) {
  const [one, other] = [before, after].map((runs) => {
    const sum = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
    for (const run of runs) sum.add(runOf(run).values);
    return sum;
  });
  if (one === undefined || other === undefined) return;
  const limit = 1 + TOLERANCE;
  const means = welchTest(other, one).pValue < 0.01 && other.mean > limit * one.mean;
  count(tTest, means);
  const [was, is] = [one, other].map((sum) => sum.valueAtPercentile(50));
  const medians = mannWhitneyTest(other, one).pValue < 0.01 && (is ?? 0) > limit * (was ?? 0);
  count(mannWhitney, medians);
}

const ONE_RUN_SECONDS = 60;

/**
 * @param {Pick<Rates, 'oneRun' | 'judged'>} rates
 * @param {Model} model
 * @param {Draws} draws
 * @param {number} rate
 */
function countOneRun({ oneRun, judged }, model, draws, rate) {
  const side = () => [runOf(model(draws, 1, { seconds: ONE_RUN_SECONDS, rate }), 1, true)];
  const comparison = compared(side(), side());
  count(oneRun, isWorse(comparison));
  count(judged, comparison.percentiles[0]?.change !== 'cannot be judged');
}
