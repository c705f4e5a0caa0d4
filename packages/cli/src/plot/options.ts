import type { Plot, SloLine } from '@hdrscope/plot';
import { Refusal, UsageError } from '../command.ts';

/** What is asked of a plot, whatever it is of. */
export interface PlotOptions {
  readonly title?: string;
  readonly slo: readonly string[];
  readonly log?: boolean;
}

/** Of counts in slots, and of a plot that is there, no other can be made. @throws Refusal */
export function assertKind({ kind }: Plot, asked: Plot['kind'] | undefined, path: string): void {
  if (asked === undefined || asked === kind) return;
  throw new Refusal(`${path} can be drawn with --kind ${kind} only, got ${asked}`);
}

const WITH_SLO: readonly Plot['kind'][] = ['percentiles', 'over-time', 'bars'];
const WITH_VALUE_AXIS: readonly Plot['kind'][] = ['percentiles', 'over-time', 'comparison'];

/** What is asked for and would not be drawn anywhere is refused. @throws UsageError */
export function assertFits(plots: readonly Plot[], { slo, log = false }: PlotOptions): void {
  const noneIs = (kinds: readonly Plot['kind'][]): boolean => !plots.some(({ kind }) => kinds.includes(kind));
  if (slo.length > 0 && noneIs(WITH_SLO))
    throw new UsageError(`--slo goes with --kind ${WITH_SLO.join(', ')}`);
  if (log && noneIs(WITH_VALUE_AXIS)) {
    throw new UsageError(`--log goes with --kind ${WITH_VALUE_AXIS.join(', ')}`);
  }
}

/** What the command line says besides of any plot. */
export function dressed(plot: Plot, { title, log = false }: PlotOptions, slos: readonly SloLine[]): Plot {
  const titled = title === undefined ? plot : { ...plot, title };
  const isScaled = log && titled.kind !== 'heat-map' && titled.kind !== 'bars';
  const scaled: Plot = isScaled ? { ...titled, valueAxis: 'log' } : titled;
  if (slos.length === 0) return scaled;
  if (scaled.kind === 'over-time') return { ...scaled, slos };
  return scaled.kind === 'percentiles' || scaled.kind === 'bars' ? { ...scaled, lines: slos } : scaled;
}

/** Whether nothing was counted. */
export function isEmpty(plot: Plot): boolean {
  switch (plot.kind) {
    case 'percentiles':
      return plot.curves.length === 0;
    case 'over-time':
      return plot.lines.every(({ values }) => values.every((value) => value === null));
    case 'heat-map':
      return plot.x.slots.length === 0 || plot.y.slots.length === 0;
    case 'bars':
      return plot.slots.length === 0;
    case 'comparison':
      return false;
  }
}
