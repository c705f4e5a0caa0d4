import { curveOf } from '@hdrscope/plot';
import type { Io } from '../../command.ts';
import type { ComparedSide } from '../../comparison.ts';
import { hasColours } from '../../screen/colour.ts';
import { plotColumns, screenOf } from '../../screen/screen.ts';
import { terminalPlot } from '../../screen/terminal-plot.ts';
import type { ValueScale } from '../../value-scale.ts';

// Beyond this ratio to the median, a linear axis would show the largest values only.
const LINEAR_UP_TO = 50;

/** Draws the percentiles of both sides as curves. */
export function plotOf(sides: readonly ComparedSide[], { divisor, unit }: ValueScale, io: Io): string {
  const histograms = sides.map(({ values }) => ('lowest' in values ? values.histogram : values));
  const isWide = histograms.some(
    (histogram) => histogram.min > 0 && histogram.max > LINEAR_UP_TO * histogram.valueAtPercentile(50),
  );
  const { columns, ascii } = screenOf(io);
  return terminalPlot(
    {
      kind: 'percentiles',
      unit: unit === 'ms' ? unit : 'none',
      curves: histograms.map((histogram, at) => curveOf(sides[at]!.name, histogram, { valueScale: divisor })),
      valueAxis: isWide ? 'log' : 'linear',
    },
    { columns: plotColumns(columns), colours: hasColours(io, io.stdout), ascii },
  );
}
