import { formatPercentiles } from '@hdrscope/core';
import type { Io } from '../command.ts';
import { figuresJson, jsonDocument } from '../figures.ts';
import { inUnit, type NumberUnit, perMs, ticksPerUnit } from '../numbers/number-unit.ts';
import { type Recorded, recordedFigures, type ShownAs } from './recorded.ts';
import { formatRecorded } from './text.ts';

/** The words of `--format`. */
export const OUTPUT_FORMATS = ['text', 'hgrm', 'csv', 'json', 'base64', 'hlog'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The outputs, by the words of `--format`. */
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
    yield jsonDocument(jsonOf(recorded));
  },
  async *base64({ histogram }) {
    yield `${histogram.toBase64()}\n`;
  },
  async *hlog({ histogram, unit }) {
    const { FORMAT_VERSION_LINE, formatComment, formatInterval, LEGEND_LINE } = await import(
      '@hdrscope/interval-log'
    );
    const tick = inUnit(unit, 1);
    const [inUnits, steps] =
      unit.unit === 'none' ? ['without a unit', tick] : [`in ${unit.unit}`, `${tick} ${unit.unit}`];
    const note = `[Made of numbers ${inUnits}, counted in steps of ${steps}; their times are not known]`;
    yield FORMAT_VERSION_LINE + formatComment(note) + LEGEND_LINE;
    yield formatInterval(histogram, { startSec: 0, endSec: 0, valueScale: ticksPerShown(unit) });
  },
};

function jsonOf(recorded: Recorded): object {
  const { histogram, unit, digits } = recorded;
  return {
    ...figuresJson(recordedFigures(recorded)),
    standardDeviation: inUnit(unit, histogram.standardDeviation),
    significantDigits: digits,
    resolution: inUnit(unit, 1),
    encoded: histogram.toBase64(),
  };
}

/** Divisor of a log's third column, which shows times in milliseconds. */
function ticksPerShown(unit: NumberUnit): number {
  return ticksPerUnit(unit) * perMs(unit.unit);
}
