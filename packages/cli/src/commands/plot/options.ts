import type { ObjectiveLine, Plot } from '@hdrscope/plot';
import { hasCounts } from '@hdrscope/plot/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { Refusal, UsageError } from '../../command.ts';
import { type Objective, thresholdIn } from '../../objective.ts';

/** Options of every plot. */
export interface PlotOptions {
  readonly title?: string;
  readonly slo: readonly Objective[];
  readonly log?: boolean;
  readonly linear?: boolean;
}

/** A finished plot can be drawn as its own kind, and as percentiles when it has counts of values. @throws Refusal for another kind. */
export function assertKind(plot: Plot, asked: Plot['kind'] | undefined, path: string): void {
  const kinds: Plot['kind'][] = hasCounts(plot) ? [plot.kind, 'percentiles'] : [plot.kind];
  if (asked === undefined || kinds.includes(asked)) return;
  throw new Refusal(`${path} can be drawn with --kind ${kinds.join(' or ')} only, got ${asked}`);
}

const WITH_SLO: readonly Plot['kind'][] = ['percentiles', 'over-time', 'bars'];
const WITH_VALUE_AXIS: readonly Plot['kind'][] = ['percentiles', 'over-time', 'comparison'];

/** @throws UsageError for an option that no plot would use. */
export function assertFits(plots: readonly Plot[], { slo, log = false, linear = false }: PlotOptions): void {
  const noneIs = (kinds: readonly Plot['kind'][]): boolean => !plots.some(({ kind }) => kinds.includes(kind));
  if (slo.length > 0 && noneIs(WITH_SLO))
    throw new UsageError(`--slo goes with --kind ${WITH_SLO.join(', ')}`);
  if (log && linear) throw new UsageError('--log and --linear exclude each other');
  if ((log || linear) && noneIs(WITH_VALUE_AXIS)) {
    throw new UsageError(`--${log ? 'log' : 'linear'} goes with --kind ${WITH_VALUE_AXIS.join(', ')}`);
  }
}

/** The plot with the title, the objectives and the axis of the command line. */
export function dressed(plot: Plot, { title, slo, log = false, linear = false }: PlotOptions): Plot {
  const titled = title === undefined ? plot : { ...plot, title };
  const isScaled = (log || linear) && titled.kind !== 'heat-map' && titled.kind !== 'bars';
  const scaled: Plot = isScaled ? { ...titled, valueAxis: log ? 'log' : 'linear' } : titled;
  if (slo.length === 0 || scaled.kind === 'heat-map' || scaled.kind === 'comparison') return scaled;
  const slos = objectiveLines(slo, scaled.unit);
  return { ...scaled, slos };
}

// Objectives.

/** Objectives as lines of a plot. @throws UsageError when an objective has another unit than the plot. */
function objectiveLines(objectives: readonly Objective[], unit: CountedUnit): ObjectiveLine[] {
  return objectives.map((objective) => ({
    value: thresholdIn(objective, unit),
    ...(objective.percentile !== undefined && { percentile: objective.percentile }),
  }));
}
