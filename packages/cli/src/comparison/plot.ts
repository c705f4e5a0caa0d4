import { DoubleHistogram, HistogramSum } from '@hdrscope/core';
import type { ValueScale } from '@hdrscope/inputs/internal';
import type { LogHistogram } from '@hdrscope/interval-log';
import { curveOf } from '@hdrscope/plot';
import type { Io } from '../command.ts';
import { plotOnScreen } from '../screen/terminal-plot.ts';
import { type ComparedSide, histogramOf } from './index.ts';

// Beyond this ratio to the median, a linear axis would show the largest values only.
const LINEAR_UP_TO = 50;

/** Draws the percentiles of both sides as curves, of all runs together. */
export function plotOf(sides: readonly ComparedSide[], { divisor, unit }: ValueScale, io: Io): string {
  const histograms = sides.map(valuesOfSide);
  const isWide = histograms.some(
    (histogram) => histogram.min > 0 && histogram.max > LINEAR_UP_TO * histogram.valueAtPercentile(50),
  );
  return plotOnScreen(
    {
      kind: 'percentiles',
      unit: unit === 'ms' ? unit : 'none',
      curves: histograms.map((histogram, at) =>
        curveOf(nameOf(sides[at]!, at), histogram, { valueScale: divisor }),
      ),
      valueAxis: isWide ? 'log' : 'linear',
    },
    io,
  );
}

function valuesOfSide(side: ComparedSide): LogHistogram {
  const histograms = side.map(histogramOf);
  const [first, ...others] = histograms;
  if (others.length === 0) return first!;
  const sum = new HistogramSum();
  for (const histogram of histograms) sum.add(histogram);
  return first instanceof DoubleHistogram ? sum.toDoubleHistogram() : sum.toHistogram();
}

function nameOf([run, ...others]: ComparedSide, at: number): string {
  return others.length === 0 ? run!.name : `${at === 0 ? 'before' : 'after'} (${others.length + 1} runs)`;
}
