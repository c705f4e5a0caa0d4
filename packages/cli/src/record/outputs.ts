import { formatPercentiles } from '@hdrscope/core';
import type { Io } from '../command.ts';
import { inUnit, type NumberUnit, perMs, ticksPerUnit } from '../numbers/number-unit.ts';
import type { Recorded, ShownAs } from './recorded.ts';
import { formatRecorded } from './text.ts';

export type OutputFormat = 'text' | 'hgrm' | 'csv' | 'json' | 'base64' | 'hlog';

/** The outputs, by the words of `--output`. */
export const outputFormats: Readonly<
  Record<OutputFormat, (recorded: Recorded, shown: ShownAs, io: Io) => AsyncGenerator<string, void>>
> = {
  async *text(recorded, shown, io) {
    yield await formatRecorded(recorded, shown, io);
  },
  async *hgrm({ histogram, unit }) {
    yield formatPercentiles(histogram, { valueScale: ticksPerUnit(unit) });
  },
  async *csv({ histogram, unit }) {
    yield formatPercentiles(histogram, { valueScale: ticksPerUnit(unit), format: 'csv' });
  },
  async *json(recorded) {
    yield `${JSON.stringify(jsonOf(recorded), undefined, 2)}\n`;
  },
  async *base64({ histogram }) {
    yield `${histogram.toBase64()}\n`;
  },
  async *hlog({ histogram, unit }) {
    const { FORMAT_VERSION_LINE, formatComment, formatInterval, LEGEND_LINE } = await import(
      '@hdrscope/interval-log'
    );
    const tick = inUnit(unit, 1);
    const note = `[Made of numbers in ${unit.unit}, counted in ${tick} ${unit.unit}; their times are not known]`;
    yield FORMAT_VERSION_LINE + formatComment(note) + LEGEND_LINE;
    yield formatInterval(histogram, { startSec: 0, endSec: 0, valueScale: ticksPerShown(unit) });
  },
};

function jsonOf({ histogram, unit, digits, percentiles, least, most }: Recorded): object {
  // The slots at both ends reach beyond the numbers that were counted.
  const smallest = histogram.lowestEquivalentValue(least) <= histogram.min ? least : histogram.min;
  const shown = (ticks: number): number => inUnit(unit, Math.min(most, Math.max(smallest, ticks)));
  return {
    unit: unit.unit,
    resolution: inUnit(unit, 1),
    significantDigits: digits,
    count: histogram.totalCount,
    min: shown(histogram.min),
    mean: shown(histogram.mean),
    standardDeviation: inUnit(unit, histogram.standardDeviation),
    max: shown(histogram.max),
    percentiles: Object.fromEntries(
      percentiles.map((percentile) => [percentile, shown(histogram.valueAtPercentile(percentile))]),
    ),
    histogram: histogram.toBase64(),
  };
}

/** Divisor of a log's third column, which shows times in milliseconds. */
function ticksPerShown(unit: NumberUnit): number {
  return ticksPerUnit(unit) * perMs(unit.unit);
}
