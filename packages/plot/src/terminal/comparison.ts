import { longestOf } from '../data/largest.ts';
import type { ComparisonPlot, PercentileChange } from '../plot.ts';
import { confidenceText, formatValue, percentileName } from '../value-text.ts';
import { DEFAULT_COLUMNS, type TerminalOptions } from './options.ts';
import { percentileLines } from './percentiles.ts';
import { cut, plain } from './text.ts';

/** Two curves, and below them a table of the changes. */
export function comparisonLines(plot: ComparisonPlot, options: TerminalOptions): string[] {
  const { before, after, changes, confidence } = plot;
  const { columns = DEFAULT_COLUMNS, ascii = false } = options;
  const curves = percentileLines({ ...plot, curves: [before, after] }, options);
  if (changes.length === 0) return curves;
  const titles = ['', 'before', 'after', 'difference', '', `${confidenceText(confidence)} interval`];
  const cells = [titles, ...changes.map((change) => rowOf(change, plot))];
  const widths = titles.map((_, at) => longestOf(cells.map((row) => row[at]!)));
  const table = cells.map((row) => row.map((cell, at) => cell.padStart(widths[at]!)).join('  '));
  return [...curves, '', ...table.map((line) => cut(plain(line, ascii), columns, ascii))];
}

function rowOf(
  { percentile, before, after, lower, upper }: PercentileChange,
  { unit }: ComparisonPlot,
): string[] {
  const signed = (value: number): string => `${value < 0 ? '-' : '+'}${formatValue(Math.abs(value), unit)}`;
  const part = (after - before) / before;
  return [
    percentileName(percentile),
    formatValue(before, unit),
    formatValue(after, unit),
    signed(after - before),
    Number.isFinite(part) ? `${part < 0 ? '-' : '+'}${Math.abs(part * 100).toFixed(1)} %` : '',
    lower === undefined || upper === undefined ? 'too few values' : `${signed(lower)} to ${signed(upper)}`,
  ];
}
