import { type Bounds, formatPercentiles, type Histogram } from '@hdrscope/core';
import { exactly, visible } from '@hdrscope/core/internal';
import {
  type Figures,
  figuresJson,
  inUnit,
  type NumberUnit,
  perMs,
  readFigure,
  summarizeHistogram,
  TIME_UNITS,
  ticksPerUnit,
  widenFigures,
} from '@hdrscope/inputs/internal';
import { FORMAT_VERSION_LINE, formatComment, formatInterval, LEGEND_LINE } from '@hdrscope/interval-log';
import { groupDecimal, nanosecondsPer, trimZeros, valuesText } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import type { Io } from '../../command.ts';
import { columnsFor, jsonDocument } from '../../figures.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { painter, screenOf } from '../../screen/screen.ts';
import { formatTable } from '../../screen/table.ts';

/** A distribution of numbers, and how it is shown. */
export interface Recorded {
  /** In ticks of the unit's resolution. Not empty. */
  readonly histogram: Histogram;
  /** The smallest and the largest number, in ticks; a correction may have counted smaller ones. */
  readonly least: number;
  readonly most: number;
  readonly unit: NumberUnit;
  readonly digits: number;
  readonly name: string;
  readonly percentiles: readonly number[];
  /** How far each number may be below and above the true one, in the unit. @default it is the true one */
  readonly errorMs?: Bounds;
}

interface ShownAs {
  readonly plot: boolean;
  /** The file to write. @default standard output */
  readonly output?: string;
}

function isShown({ output }: ShownAs): boolean {
  return output === undefined || output === '-';
}

/** The figures, within the numbers that were counted, because the slots at both ends reach further. */
function recordedFigures({ histogram, least, most, unit, name, percentiles, errorMs }: Recorded): Figures {
  // A correction may have counted smaller ones.
  const smallest = histogram.lowestEquivalentValue(least) <= histogram.min ? least : histogram.min;
  const shown = (ticks: number): number => inUnit(unit, Math.min(most, Math.max(smallest, ticks)));
  const figures: Figures = {
    ...summarizeHistogram(histogram, { name, unit: unit.unit, percentiles, shown }),
    ...(smallest === least && { min: exactly(shown(least)) }),
    max: exactly(shown(most)),
  };
  return errorMs === undefined ? figures : widenFigures(figures, errorMs);
}

export const OUTPUT_FORMATS = ['text', 'hgrm', 'csv', 'json', 'base64', 'hlog'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The outputs, by the words of `--format`. */
export const outputFormats: Readonly<
  Record<OutputFormat, (recorded: Recorded, shown: ShownAs, io: Io) => AsyncGenerator<string, void>>
> = {
  async *text(recorded, shown, io) {
    const text = await formatRecorded(recorded, shown, io);
    // The name of an input, in a file that people read.
    yield isShown(shown) ? text : visible(text, { lines: true });
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

// Text.

/** Formats a line for each statistic, and a plot. */
async function formatRecorded(recorded: Recorded, as: ShownAs, io: Io): Promise<string> {
  const { histogram, unit, digits, name, percentiles } = recorded;
  const shown = shownUnit(unit.unit, inUnit(unit, histogram.max));
  const amount = (value: number): string => significant(value / shown.divisor, digits);
  const figures = recordedFigures(recorded);
  const [min, mean, ...others] = columnsFor({ percentiles }, ['min', 'mean']).map(({ title, of }) => [
    title,
    amount(readFigure(of(figures))),
  ]);
  const rows = [min!, mean!, ['std deviation', amount(inUnit(unit, histogram.standardDeviation))], ...others];
  const [, ...lines] = formatTable([{ title: '' }, { title: '' }], rows);
  const heading = `${valuesText(histogram.totalCount)} of ${name}`;
  const inUnits = shown.unit === 'none' ? '' : `, in ${shown.unit}`;
  const head = `${heading}${inUnits}, to ${digits} significant ${digits === 1 ? 'digit' : 'digits'}`;
  const first = isShown(as)
    ? wrapToScreen(head, io).replace(heading, painter(io, io.stdout)('bold', heading))
    : head;
  const table = `${first}\n\n${lines.join('\n')}\n`;
  if (!as.plot) return table;
  const { plotOf } = await import('./plot.ts');
  return `${table}\n${plotOf(histogram, unit, isShown(as) ? screenOf(io) : undefined)}`;
}

/** Numbers from here on are hard to read. */
const LONG = 1e6;

/** The unit of the table: that of the numbers, or a larger unit of time that makes them shorter: 125 s, not 125,000,000,000 ns. */
function shownUnit(
  unit: CountedUnit,
  largest: number,
): { readonly unit: CountedUnit; readonly divisor: number } {
  const own = nanosecondsPer(unit);
  if (own === undefined) return { unit, divisor: 1 };
  const shown = TIME_UNITS.map((one) => ({ unit: one, divisor: nanosecondsPer(one) / own }));
  return shown.find(({ divisor }) => divisor >= 1 && largest / divisor < LONG) ?? shown.at(-1)!;
}

/** Rounds to the known digits: 1000190509 with three digits is 1000000000. */
function significant(value: number, digits: number): string {
  const rounded = Number(value.toPrecision(Math.max(1, digits)));
  // JavaScript writes smaller numbers as 1e-7.
  const text = rounded < 1e-6 && rounded > 0 ? trimZeros(rounded.toFixed(20)) : String(rounded);
  return groupDecimal(text);
}
