import { compareRuns } from '@hdrscope/core';
import type { Run } from '@hdrscope/core/internal';
import type { ComparisonPlot, Curve } from '../plot.ts';
import type { ComparisonPlotOptions } from './comparison.ts';

/** One run of a comparison, and its curve. */
export interface PlottedSide extends Pick<Run, 'values' | 'stretches'> {
  readonly curve: Curve;
  /** The divisor that brings its values to the unit of the plot: the same for both runs. */
  readonly valueScale: number;
}

/** Compares two runs that count in one unit, with the intervals of `compareRuns`: those of values that may depend on each other. */
export function makeComparisonPlot(
  before: PlottedSide,
  after: PlottedSide,
  {
    unit,
    percentiles,
    confidence,
  }: Required<Pick<ComparisonPlotOptions, 'unit' | 'percentiles' | 'confidence'>>,
): ComparisonPlot {
  const { valueScale } = before;
  const changes = compareRuns([before], [after], { percentiles, confidence }).percentiles;
  return {
    kind: 'comparison',
    unit,
    before: before.curve,
    after: after.curve,
    confidence,
    changes: changes.map((change) => ({
      percentile: change.percentile,
      before: change.before / valueScale,
      after: change.after / valueScale,
      ...(change.change !== 'cannot be judged' && {
        lower: change.interval.lower / valueScale,
        upper: change.interval.upper / valueScale,
      }),
    })),
  };
}
