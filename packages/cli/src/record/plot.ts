import { barsBetween } from '@hdrscope/plot';
import { inUnit } from '../numbers/number-unit.ts';
import { plotColumns } from '../plot-columns.ts';
import type { Screen } from '../screen.ts';
import { terminalPlot } from '../terminal-plot.ts';
import { plotEdges } from './plot-edges.ts';
import type { Recorded } from './recorded.ts';

/**
 * The distribution as bars between round numbers.
 *
 * @param screen What it is drawn on; `undefined` for a file.
 */
export function plotOf({ histogram, unit }: Recorded, screen: Screen | undefined): string {
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
  return terminalPlot(barsBetween(edges, values, { unit: unit.unit }), {
    columns: plotColumns(screen?.columns),
    ascii: screen?.ascii ?? false,
  });
}
