import { barsBetween } from '@hdrscope/plot';
import { inUnit } from '../numbers/number-unit.ts';
import { plotColumns } from '../plot-columns.ts';
import { terminalPlot } from '../terminal-plot.ts';
import { plotEdges } from './plot-edges.ts';
import type { Recorded } from './recorded.ts';

/**
 * The distribution as bars between round numbers.
 *
 * @param columns The width of the terminal; `undefined` when there is no terminal.
 */
export function plotOf({ histogram, unit }: Recorded, columns: number | undefined): string {
  // A value counts at the upper end of its slot, as in the percentiles beside the plot.
  const values = Array.from(
    histogram.recordedValues(),
    ({ valueIteratedTo, countAddedInThisIterationStep }) =>
      [inUnit(unit, valueIteratedTo), countAddedInThisIterationStep] as const,
  );
  const edges = plotEdges(
    {
      smallest: values.find(([value]) => value > 0)?.[0] ?? Number.POSITIVE_INFINITY,
      median: inUnit(unit, histogram.valueAtPercentile(50)),
      largest: values.at(-1)![0],
    },
    values[0]![0] === 0,
  );
  return terminalPlot(barsBetween(edges, values, { unit: unit.unit }), { columns: plotColumns(columns) });
}
