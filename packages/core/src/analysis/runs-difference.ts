import type { Bounds } from '../bounds.ts';
import { normalUpperQuantile } from './normal.ts';
import { studentUpperQuantile } from './student-t.ts';
import { meanDifference } from './welch-test.ts';

/** How a figure has changed between two sides, on a scale on which sides are compared. */
export interface Difference {
  readonly estimate: number;
  /** The least that the estimate may be, wherever values lie in their slots. */
  readonly least: number;
  /** The interval of the difference. */
  readonly lower: number;
  readonly upper: number;
  /** The difference whose interval lies above 0 in about nine of ten repetitions. */
  readonly shown: number;
  /** How far the estimate of one repetition in ten falls short of the difference, or farther. */
  readonly deviation: number;
}

/** A figure, and the bounds of the slot that has it. */
export interface BoundedFigure extends Bounds {
  readonly value: number;
}

/** A figure of a sample, and its confidence interval, which contains the slot. */
export interface SampleFigure extends BoundedFigure {
  readonly interval: Bounds;
}

/** The probability with which a repetition misses the smallest difference that is shown. */
const MISSED = 0.1;

/**
 * The difference of a figure between two sides of several runs each, at least 2. Runs are the independent things: whatever happens
 * within a run, values of a run share it. So the spread of the runs is the evidence, by Welch's t-test of their figures, and the bounds
 * of the figures widen the interval.
 *
 * @param miss The probability that the interval misses the difference at each end.
 * @param all All groups of equal spread, whose pooled variance is then the evidence (Student's t-test). Each has at least 2 runs.
 */
export function differenceOfRuns(
  before: readonly BoundedFigure[],
  after: readonly BoundedFigure[],
  miss: number,
  all?: readonly (readonly BoundedFigure[])[],
): Difference {
  const [one, other] = [sampleOf(before), sampleOf(after)];
  const { difference, standardError, degreesOfFreedom } =
    all === undefined ? meanDifference(other, one) : pooledDifference(other, one, all.map(sampleOf));
  const quantile = studentUpperQuantile(miss, degreesOfFreedom);
  const reach = quantile * standardError;
  const [down, up] = [other.below + one.above, other.above + one.below];
  // A repetition has its own error, and finds a spread of its own: that of its reach is quantile / sqrt(2 df), and the estimate of the
  // spread here has the same. The three add in squares.
  const power = studentUpperQuantile(MISSED, degreesOfFreedom);
  const repeated = Math.sqrt(1 + quantile ** 2 / degreesOfFreedom);
  return {
    estimate: difference,
    least: difference - down,
    lower: difference - down - reach,
    upper: difference + up + reach,
    shown: down + (quantile + power * repeated) * standardError,
    deviation: power * Math.sqrt(1 + 1 / degreesOfFreedom) * standardError,
  };
}

/** A sample of figures, and how far below and above its mean the true mean of these runs may be. */
interface FigureSample {
  readonly count: number;
  readonly mean: number;
  readonly variance: number;
  readonly below: number;
  readonly above: number;
}

/** As `meanDifference`, for samples of one variance. */
function pooledDifference(
  a: FigureSample,
  b: FigureSample,
  all: readonly FigureSample[],
): ReturnType<typeof meanDifference> {
  const degreesOfFreedom = all.reduce((sum, { count }) => sum + count - 1, 0);
  const squares = all.reduce((sum, { count, variance }) => sum + (count - 1) * variance, 0);
  return {
    difference: a.mean - b.mean,
    standardError: Math.sqrt((squares / degreesOfFreedom) * (1 / a.count + 1 / b.count)),
    degreesOfFreedom,
  };
}

function sampleOf(figures: readonly BoundedFigure[]): FigureSample {
  const count = figures.length;
  const meanOf = (of: (figure: BoundedFigure) => number): number =>
    figures.reduce((sum, figure) => sum + of(figure), 0) / count;
  const mean = meanOf(({ value }) => value);
  const squares = figures.reduce((sum, { value }) => sum + (value - mean) ** 2, 0);
  return {
    count,
    mean,
    // Figures that share a slot differ by up to its width, although their values are equal. W. Sheppard's correction has this term.
    variance: squares / (count - 1) + meanOf(({ lower, upper }) => (upper - lower) ** 2) / 12,
    below: mean - meanOf(({ lower }) => lower),
    above: meanOf(({ upper }) => upper) - mean,
  };
}

/**
 * The difference of a figure between one run and another.
 *
 * MOVER, the method of variance estimates recovery: the distance from an estimate to a bound of its own interval is a multiple of its
 * standard error in that direction, and standard errors of independent estimates add in squares. Unlike a normal approximation it needs
 * no density, and it keeps the asymmetry of the interval of a high percentile.
 * Source: G. Zou and A. Donner, "Construction of confidence limits about effect measures: a general approach", Statistics in Medicine
 * 27 (2008).
 *
 * @param isWide Whether the intervals contain the widths of slots that values came from. A width is no error of chance: widths add up.
 * @param miss The probability that an interval misses its figure at each end.
 */
export function differenceOfTwo(
  before: SampleFigure,
  after: SampleFigure,
  isWide: boolean,
  miss: number,
): Difference {
  const combine = isWide ? (x: number, y: number) => x + y : Math.hypot;
  const estimate = after.value - before.value;
  const down = combine(after.value - after.interval.lower, before.interval.upper - before.value);
  const up = combine(after.interval.upper - after.value, before.value - before.interval.lower);
  const power = normalUpperQuantile(MISSED) / normalUpperQuantile(miss);
  return {
    estimate,
    least: after.lower - before.upper,
    lower: estimate - down,
    upper: estimate + up,
    shown: down * (1 + power),
    deviation: down * power,
  };
}
