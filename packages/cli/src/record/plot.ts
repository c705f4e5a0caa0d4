import { type BarPlot, plotText } from '@hdrscope/plot';
import { inUnit } from '../numbers/number-unit.ts';
import { plotColumns } from '../plot-columns.ts';
import type { Recorded } from './outputs.ts';
import { plotEdges } from './plot-edges.ts';

/**
 * The distribution as bars between round numbers.
 *
 * @param columns Of the terminal, where there is one.
 */
export function plotOf(recorded: Recorded, columns: number | undefined): string {
  return plotText(barsOf(recorded), { columns: plotColumns(columns) });
}

/** Values are taken at the upper end of what is not told apart, as the percentiles beside the plot are. */
function barsOf({ histogram, unit }: Recorded): BarPlot {
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
  const counts = new Array<number>(edges.length - 1).fill(0);
  let slot = 0;
  for (const [value, count] of values) {
    while (value >= edges[slot + 1]!) slot++;
    counts[slot]! += count;
  }
  const slots = counts.map((_, at) => ({ lower: edges[at]!, upper: edges[at + 1]! }));
  return { kind: 'bars', unit: unit.unit, slots, counts };
}
