import { painter } from '../colour.ts';
import type { Io } from '../command.ts';
import { percentileTitle, valuesText, withoutLastZeros } from '../format.ts';
import { inUnit } from '../numbers/number-unit.ts';
import { formatTable } from '../table.ts';
import type { Recorded, ShownAs } from './recorded.ts';

/** Formats a line for each statistic, and a plot. */
export async function formatRecorded(
  recorded: Recorded,
  { plot, outputFile }: ShownAs,
  io: Io,
): Promise<string> {
  const { histogram, unit, digits, name, percentiles } = recorded;
  const value = (ticks: number): string => significant(inUnit(unit, ticks), digits);
  const rows = [
    ['min', value(histogram.min)],
    ['mean', value(histogram.mean)],
    ['std deviation', value(histogram.standardDeviation)],
    ...percentiles.map((percentile) => [
      percentile === 100 ? 'max' : percentileTitle(percentile),
      value(histogram.valueAtPercentile(percentile)),
    ]),
  ];
  const [, ...lines] = formatTable([{ title: '' }, { title: '' }], rows);
  const heading = `${valuesText(histogram.totalCount)} of ${name}`;
  const isShown = outputFile === undefined || outputFile === '-';
  const paint = isShown ? painter(io, io.stdout) : (_format: 'bold', text: string) => text;
  const table = `${paint('bold', heading)}${unit.unit === 'none' ? '' : `, in ${unit.unit}`}, to ${digits} significant ${digits === 1 ? 'digit' : 'digits'}

${lines.join('\n')}
`;
  if (!plot) return table;
  const columns = isShown ? io.stdout.columns : undefined;
  const { plotOf } = await import('./plot.ts');
  return `${table}\n${plotOf(recorded, columns)}`;
}

/** Rounds to the known digits: 1000190509 with three digits is 1000000000. */
function significant(value: number, digits: number): string {
  const rounded = Number(value.toPrecision(Math.max(1, digits)));
  // JavaScript writes smaller numbers as 1e-7.
  return rounded < 1e-6 && rounded > 0 ? withoutLastZeros(rounded.toFixed(20)) : String(rounded);
}
