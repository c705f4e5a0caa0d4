import { nanosecondsPer } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { painter } from '../colour.ts';
import type { Io } from '../command.ts';
import { columnsFor } from '../figures.ts';
import { groupedDecimal, valuesText, withoutLastZeros } from '../format.ts';
import { wrapToScreen } from '../help-text.ts';
import { inUnit, TIME_UNITS } from '../numbers/number-unit.ts';
import { screenOf } from '../screen.ts';
import { formatTable } from '../table.ts';
import { type Recorded, recordedFigures, type ShownAs } from './recorded.ts';

/** Formats a line for each statistic, and a plot. */
export async function formatRecorded(recorded: Recorded, { plot, output }: ShownAs, io: Io): Promise<string> {
  const { histogram, unit, digits, name, percentiles } = recorded;
  const shown = shownUnit(unit.unit, inUnit(unit, histogram.max));
  const amount = (value: number): string => significant(value / shown.divisor, digits);
  const figures = recordedFigures(recorded);
  const [min, mean, ...others] = columnsFor({ percentiles }, ['min', 'mean']).map(({ title, of }) => [
    title,
    amount(of(figures).upper),
  ]);
  const rows = [min!, mean!, ['std deviation', amount(inUnit(unit, histogram.standardDeviation))], ...others];
  const [, ...lines] = formatTable([{ title: '' }, { title: '' }], rows);
  const heading = `${valuesText(histogram.totalCount)} of ${name}`;
  const isShown = output === undefined || output === '-';
  const inUnits = shown.unit === 'none' ? '' : `, in ${shown.unit}`;
  const head = `${heading}${inUnits}, to ${digits} significant ${digits === 1 ? 'digit' : 'digits'}`;
  const first = isShown
    ? wrapToScreen(head, io).replace(heading, painter(io, io.stdout)('bold', heading))
    : head;
  const table = `${first}\n\n${lines.join('\n')}\n`;
  if (!plot) return table;
  const { plotOf } = await import('./plot.ts');
  return `${table}\n${plotOf(recorded, isShown ? screenOf(io) : undefined)}`;
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
  const text = rounded < 1e-6 && rounded > 0 ? withoutLastZeros(rounded.toFixed(20)) : String(rounded);
  return groupedDecimal(text);
}
