import type { Bounds } from '../bounds.ts';
import { HdrscopeError } from '../errors.ts';
import { custom, number, type RulesFor, readOptions, withDefault } from '../options.ts';
import { assertPercentile, CONFIDENCE } from './checks.ts';
import type { Dependence } from './dependence.ts';
import { assertOneKind, hasEnoughBeyond, type Run, readSide, type Side } from './known-runs.ts';
import {
  findFigure,
  type Lack,
  LEAST_PIECES,
  percentileOfRun,
  type RunPercentile,
} from './run-percentile.ts';
import {
  type BoundedFigure,
  type Difference,
  differenceOfRuns,
  differenceOfTwo,
  type SampleFigure,
} from './runs-difference.ts';

/** Options of `compareRuns`. */
export interface CompareRunsOptions {
  /** The percentiles to compare, from 0 to 100. */
  readonly percentiles: readonly number[];
  /** The probability that all intervals together contain the true differences: above 0 and below 1. @default 0.99 */
  readonly confidence?: number;
  /** Tolerated growth of a percentile as a part of its value before: 0.05 is 5 %. At least 0. @default 0 */
  readonly tolerance?: number;
}

/**
 * What the intervals of a comparison rest on:
 *
 * - `'runs'`: the spread between runs of a side, whatever happens within a run. Only this spread tells whether one program is slower than
 *   the other.
 * - `'stretches'`: one run a side, whose stretches of time show how dependent its values are. They tell whether these two runs differ.
 * - `'independence'`: one run a side, and the assumption that its values are independent, which load tests seldom keep.
 */
export type Ground = 'runs' | 'stretches' | 'independence';

/**
 * The verdict on a percentile's change. The limit is the tolerance times the value before:
 *
 * - `'worse'`: the whole interval of the difference lies above 0, and the difference is above the limit, wherever values lie in their slots.
 * - `'within tolerance'`: the whole interval lies above 0, and the difference may be within the limit.
 * - `'better'`: the whole interval lies below 0.
 * - `'no significant difference'`: the interval contains 0. Differences up to its upper end are not excluded.
 * - `'cannot be judged'`: `reason` says why.
 */
export type ChangeVerdict =
  | 'worse'
  | 'within tolerance'
  | 'better'
  | 'no significant difference'
  | 'cannot be judged';

/** A percentile before and after a change. Values and differences are in the unit of the values. */
export interface PercentileChange {
  /** The compared percentile, from 0 to 100. */
  readonly percentile: number;
  /** The percentile before the change; of several runs the geometric mean of theirs, or the mean when one is 0. */
  readonly before: number;
  /** The percentile after the change. */
  readonly after: number;
  /** `after - before`, in the unit of the values. */
  readonly difference: number;
  /**
   * The confidence interval of the difference. The verdict rests on `relativeInterval`, unless a value is 0. Both ends are `NaN` when the
   * percentile cannot be judged: too little is known for an interval with the confidence.
   */
  readonly interval: Bounds;
  /** The difference relative to the value before: 0.1 for a tenth more. `NaN` when a value is 0. */
  readonly relative: number;
  /** The interval of `relative`. Both ends are `NaN` when a value is 0, or the percentile cannot be judged. */
  readonly relativeInterval: Bounds;
  /**
   * The smallest increase that about nine of ten such comparisons would call worse, relative to the value before: 0.1 for a tenth. `NaN` when a value is 0, or
   * the percentile cannot be judged.
   */
  readonly smallestShown: number;
  /** How dependent the values of both runs are, on the ground `'stretches'`. */
  readonly dependence?: { readonly before: Dependence; readonly after: Dependence };
  /** The verdict. */
  readonly change: ChangeVerdict;
  /**
   * Why it cannot be judged: fewer than {@link LEAST_BEYOND} values of a side are beyond the percentile, or a run has fewer than
   * {@link LEAST_PIECES} independent stretches.
   */
  readonly reason?: 'few values' | 'few pieces';
}

/** The comparison of two sides. */
export interface RunsComparison {
  /** What the intervals rest on. */
  readonly ground: Ground;
  /** One entry for each percentile of the options, in their order. */
  readonly percentiles: readonly PercentileChange[];
}

/**
 * Compares percentiles of two programs, or of one before and after a change, by runs of both.
 *
 * Values of one run are not independent: a stall, a slow machine or a warm-up concerns many of them. So several runs of a side are
 * compared by the spread of their percentiles (Welch's t-test of the logarithms), which needs no assumption on what happens within a
 * run. With one run a side, its stretches of time show how dependent its values are; what another run would have measured remains
 * unknown.
 *
 * Several percentiles are several tests. The confidence holds for all their intervals together, because each has an equal part of the
 * error (C. Bonferroni's inequality). Histograms may have other digits and units of their own: all bounds contain the widths of slots.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a side has no run or one side alone has a single one, a run is empty, or integers meet
 *   doubles; `ERR_INVALID_OPTION` when an option does not exist or is out of range; `ERR_INVALID_VALUE` when a percentile is.
 * @example
 * ```ts
 * import { compareRuns, Histogram } from '@hdrscope/core';
 *
 * const run = (slower: number): { values: Histogram } => {
 *   const values = new Histogram({ highestTrackableValue: 100_000 });
 *   for (let value = 1; value <= 10_000; value++) values.record(value * slower);
 *   return { values };
 * };
 * const before = [run(1), run(1.01), run(0.99)];
 * const after = [run(1.2), run(1.21), run(1.19)];
 * const { percentiles, ground } = compareRuns(before, after, { percentiles: [50, 99.99], tolerance: 0.05 });
 * percentiles.map(({ change }) => change); //=> ['worse', 'cannot be judged']
 * ground; //=> 'runs'
 * ```
 */
export function compareRuns(
  before: readonly Run[],
  after: readonly Run[],
  options: CompareRunsOptions,
): RunsComparison {
  const { percentiles, confidence, tolerance } = readOptions(options, COMPARE_RUNS);
  for (const percentile of percentiles) assertPercentile(percentile);
  const sides: [Side, Side] = [
    readSide(before, 'compareRuns', 'side', 'before'),
    readSide(after, 'compareRuns', 'side', 'after'),
  ];
  assertComparable(sides);
  const ground = groundOf(sides);
  const judged = percentiles.filter((percentile) => sides.every((side) => hasEnoughBeyond(side, percentile)));
  const miss = (1 - confidence) / 2 / Math.max(judged.length, 1);
  return {
    ground,
    percentiles: percentiles.map((percentile) => {
      const isKnown = judged.includes(percentile);
      const found =
        ground === 'runs'
          ? changeOfRuns(sides, percentile, miss)
          : changeOfTwo(sides, percentile, miss, ground);
      return described(percentile, isKnown ? found : { ...found, reason: 'few values' }, tolerance);
    }),
  };
}

/** The rules of {@link CompareRunsOptions}. */
export const COMPARE_RULES: RulesFor<CompareRunsOptions> = {
  // Each is checked where it is compared.
  percentiles: /* @__PURE__ */ custom<readonly number[]>('an array of percentiles', Array.isArray),
  confidence: /* @__PURE__ */ withDefault(CONFIDENCE, 0.99),
  tolerance: /* @__PURE__ */ withDefault(/* @__PURE__ */ number({ from: 0 }), 0),
};

const COMPARE_RUNS = {
  name: 'compareRuns',
  rules: COMPARE_RULES,
  call: 'compareRuns(before, after, { percentiles: [50, 99] })',
};

// Sides.

/** @throws HdrscopeError `ERR_INCOMPATIBLE` */
function assertComparable([before, after]: readonly [Side, Side]): void {
  if ((before.length === 1) !== (after.length === 1)) {
    throw new HdrscopeError(
      'ERR_INCOMPATIBLE',
      `compareRuns: both sides must have one run, or both at least 2: the spread of one run is not known. Got ${before.length} before and ${after.length} after`,
      { details: { before: before.length, after: after.length } },
    );
  }
  assertOneKind([...before, ...after]);
}

function groundOf([before, after]: readonly [Side, Side]): Ground {
  if (before.length > 1) return 'runs';
  const areKnown = [before, after].every(([run]) => run!.stretches.length >= LEAST_PIECES);
  return areKnown ? 'stretches' : 'independence';
}

// Differences.

/** The figures of both sides, and their difference on a scale. */
export interface Found {
  /** On which the verdict rests. */
  readonly scale: Scale;
  readonly before: number;
  readonly after: number;
  /** The difference on the scale. */
  readonly found: Difference;
  /** The difference in the unit of the values. */
  readonly inUnit: Difference;
  readonly dependence?: PercentileChange['dependence'] & object;
  readonly reason?: Lack;
}

/** A scale on which figures are compared. */
export interface Scale {
  readonly of: (value: number) => number;
  readonly back: (value: number) => number;
}

// What a machine does to times is about a factor, so the spread of logarithms is the same for fast and slow programs.
const RATIOS: Scale = { of: Math.log, back: Math.exp };
const DIFFERENCES: Scale = { of: (value) => value, back: (value) => value };

/** Ratios, unless a figure may be 0. */
export function scaleFor(figures: readonly Bounds[]): Scale {
  return figures.every(({ lower }) => lower > 0) ? RATIOS : DIFFERENCES;
}

function onScale({ of }: Scale, { value, lower, upper }: BoundedFigure): BoundedFigure {
  return { value: of(value), lower: of(lower), upper: of(upper) };
}

function changeOfRuns([before, after]: readonly [Side, Side], percentile: number, miss: number): Found {
  const [was, is] = [before, after].map((side) => side.map((run) => findFigure(run, percentile))) as [
    BoundedFigure[],
    BoundedFigure[],
  ];
  return changeOfFigures(was, is, miss);
}

/**
 * How a figure of several runs a side has changed.
 *
 * @param all All groups of equal spread, on which the interval then rests. @default `was` and `is`, whose spreads may differ
 */
export function changeOfFigures(
  was: readonly BoundedFigure[],
  is: readonly BoundedFigure[],
  miss: number,
  all?: readonly (readonly BoundedFigure[])[],
): Found {
  const scale = scaleFor([...was, ...is, ...(all ?? []).flat()]);
  const on = (one: Scale): Difference => {
    const scaled = (figures: readonly BoundedFigure[]): BoundedFigure[] =>
      figures.map((figure) => onScale(one, figure));
    return differenceOfRuns(scaled(was), scaled(is), miss, all?.map(scaled));
  };
  const [before, after] = [meanFigure(was, scale).value, meanFigure(is, scale).value];
  return { scale, before, after, found: on(scale), inUnit: on(DIFFERENCES) };
}

/** The mean of figures on a scale, in the unit of the values. */
export function meanFigure(figures: readonly BoundedFigure[], { of, back }: Scale): BoundedFigure {
  const mean = (end: keyof BoundedFigure): number =>
    back(figures.reduce((sum, figure) => sum + of(figure[end]), 0) / figures.length);
  return { value: mean('value'), lower: mean('lower'), upper: mean('upper') };
}

function changeOfTwo(
  [[before], [after]]: readonly [Side, Side],
  percentile: number,
  miss: number,
  ground: Ground,
): Found {
  const [one, other] = [before!, after!].map((run) =>
    percentileOfRun(run, ground === 'stretches' ? run.stretches : undefined, percentile, 1 - 2 * miss),
  ) as [RunPercentile, RunPercentile];
  const scale = scaleFor([one.figure, other.figure, one.figure.interval, other.figure.interval]);
  const reason = one.reason ?? other.reason;
  const isWide = before!.isWide || after!.isWide;
  const on = (to: Scale): Difference =>
    differenceOfTwo(sampleOnScale(to, one.figure), sampleOnScale(to, other.figure), isWide, miss);
  return {
    scale,
    before: one.figure.value,
    after: other.figure.value,
    found: on(scale),
    inUnit: on(DIFFERENCES),
    ...(ground === 'stretches' && { dependence: { before: one.dependence, after: other.dependence } }),
    ...(reason && { reason }),
  };
}

function sampleOnScale(scale: Scale, { interval, ...figure }: SampleFigure): SampleFigure {
  return {
    ...onScale(scale, figure),
    interval: { lower: scale.of(interval.lower), upper: scale.of(interval.upper) },
  };
}

// Verdicts.

/** A change in numbers, and the verdict on it. */
export function described(
  percentile: number,
  { scale, before, after, found, inUnit, dependence, reason }: Found,
  tolerance: number,
): PercentileChange {
  const isRatio = scale === RATIOS;
  const part = (end: number): number => (isRatio ? Math.expm1(end) : Number.NaN);
  // Too little is known for an interval with the confidence.
  const nowhere: Bounds = { lower: Number.NaN, upper: Number.NaN };
  const exceeds = isRatio ? part(found.least) > tolerance : found.least > tolerance * before;
  const known =
    reason === undefined
      ? {
          interval: { lower: inUnit.lower, upper: inUnit.upper },
          relativeInterval: { lower: part(found.lower), upper: part(found.upper) },
          smallestShown: part(Math.max(found.shown, Math.log1p(tolerance) + found.deviation)),
          change: verdictOf(found, exceeds),
        }
      : {
          interval: nowhere,
          relativeInterval: nowhere,
          smallestShown: Number.NaN,
          change: 'cannot be judged' as const,
          reason,
        };
  return {
    percentile,
    before,
    after,
    difference: after - before,
    relative: part(found.estimate),
    ...(dependence && { dependence }),
    ...known,
  };
}

function verdictOf({ lower, upper }: Bounds, exceeds: boolean): ChangeVerdict {
  if (lower > 0) return exceeds ? 'worse' : 'within tolerance';
  return upper < 0 ? 'better' : 'no significant difference';
}
