import type { Histogram } from '@hdrscope/core';
import { inUnit, type NumberUnit } from '@hdrscope/inputs/internal';
import { barsBetween } from '@hdrscope/plot';
import { roundEdges } from '@hdrscope/plot/internal';
import { plotColumns, type Screen } from '../../screen/screen.ts';
import { terminalPlot } from '../../screen/terminal-plot.ts';

/**
 * The distribution as bars between round numbers.
 *
 * @param screen What it is drawn on; `undefined` for a file.
 */
export function plotOf(histogram: Histogram, unit: NumberUnit, screen: Screen | undefined): string {
  // A value counts at the upper end of its slot, as in the percentiles beside the plot.
  const values = Array.from(
    histogram.recordedValues(),
    ({ valueIteratedTo, countAddedInThisIterationStep }) =>
      [inUnit(unit, valueIteratedTo), countAddedInThisIterationStep] as const,
  );
  const edges = roundEdges(
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
