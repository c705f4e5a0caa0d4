import { formatShare, percentileName } from '@hdrscope/kit';
import { longestOf } from '../data/largest.ts';
import type { ComparisonPlot, PlottedChange } from '../plot.ts';
import { boundedText, formatValue, isBounded } from '../value-text.ts';
import { DEFAULT_COLUMNS, type TerminalOptions } from './options.ts';
import { percentileLines } from './percentiles.ts';
import { cut, plain } from './text.ts';

/** Two curves, and below them a table of the changes. */
export function comparisonLines(plot: ComparisonPlot, options: TerminalOptions): string[] {
  const { before, after, changes, confidence } = plot;
  const { columns = DEFAULT_COLUMNS, ascii = false } = options;
  const curves = percentileLines({ ...plot, curves: [before, after] }, options);
  if (changes.length === 0) return curves;
  const titles = ['', 'before', 'after', 'difference', '', `${formatShare(confidence)} interval`];
  const cells = [titles, ...changes.map((change) => rowOf(change, plot))];
  const widths = titles.map((_, at) => longestOf(cells.map((row) => row[at]!)));
  // The share of a change says more than the change, and its interval more than both values.
  const fits = (shown: readonly number[]): boolean =>
    shown.reduce((sum, at) => sum + widths[at]! + 2, -2) <= columns;
  // Values with bounds leave columns empty.
  const isUsed = (at: number): boolean => at === 0 || cells.slice(1).some((row) => row[at] !== '');
  const choices = [ALL, WITHOUT_DIFFERENCE, WITHOUT_INTERVAL].map((choice) => choice.filter(isUsed));
  const shown = choices.find(fits) ?? choices.at(-1)!;
  const table = cells.map((row) => shown.map((at) => row[at]!.padStart(widths[at]!)).join('  '));
  return [...curves, '', ...table.map((line) => cut(plain(line, ascii), columns, ascii))];
}

const ALL = [0, 1, 2, 3, 4, 5];
const WITHOUT_DIFFERENCE = [0, 1, 2, 4, 5];
const WITHOUT_INTERVAL = [0, 1, 2, 4];

function rowOf(change: PlottedChange, { unit }: ComparisonPlot): string[] {
  const { percentile, before, after, beforeLower, afterLower, lower, upper } = change;
  const signed = (value: number): string =>
    value === 0 ? '0' : `${value < 0 ? '-' : '+'}${formatValue(Math.abs(value), unit)}`;
  const part = (after - before) / before;
  // The interval says how far two values with bounds are apart.
  const isKnown = !isBounded(change);
  return [
    percentileName(percentile),
    boundedText(beforeLower, before, unit),
    boundedText(afterLower, after, unit),
    isKnown ? signed(after - before) : '',
    isKnown && Number.isFinite(part) ? percentText(part) : '',
    lower === undefined || upper === undefined ? 'too few values' : `${signed(lower)} to ${signed(upper)}`,
  ];
}

/** A part that is shown as zero has a plus. */
function percentText(part: number): string {
  const text = Math.abs(part * 100).toFixed(1);
  return `${part < 0 && text !== '0.0' ? '-' : '+'}${text} %`;
}
