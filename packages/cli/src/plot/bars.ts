import { DoubleHistogram } from '@hdrscope/core';
import { type BarPlot, barsOfHistogram } from '@hdrscope/plot';
import { Refusal } from '../command.ts';
import type { Reading, ValueInput } from './reading.ts';
import { readSum } from './sum.ts';

/** Draws the bars of each file. @throws Refusal, UsageError */
export async function readBars(inputs: readonly ValueInput[], reading: Reading): Promise<BarPlot[]> {
  const plots: BarPlot[] = [];
  for (const input of inputs) {
    const sum = await readSum(input, reading);
    if (sum === undefined) continue;
    const { histogram, valueScale, losses = [] } = sum;
    // Bars have all values, and the text has some of them.
    for (const loss of losses) await reading.note(loss);
    if (histogram instanceof DoubleHistogram) {
      throw new Refusal(`${input.name} has doubles, which bars cannot show; --kind percentiles can`);
    }
    const plot = barsOfHistogram(histogram, { unit: reading.unit, title: input.title });
    plots.push(valueScale === 1 ? plot : scaledBars(plot, valueScale));
  }
  return plots;
}

function scaledBars(plot: BarPlot, valueScale: number): BarPlot {
  const slots = plot.slots.map(({ lower, upper }) => ({
    lower: lower / valueScale,
    upper: upper / valueScale,
  }));
  return { ...plot, slots };
}
