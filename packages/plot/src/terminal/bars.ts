import type { Bounds } from '@hdrscope/core';
import { formatBar } from '@hdrscope/kit';
import { objectiveName } from '../chart/objectives.ts';
import { slotText } from '../chart/slot-text.ts';
import { boundedCount, formatCount } from '../count-text.ts';
import { largestOf, longestOf } from '../data/largest.ts';
import { boundsOfCount, totalOf } from '../data/used-part.ts';
import type { AxisSlot, BarPlot } from '../plot.ts';
import { painted } from './canvas.ts';
import { inkOf, objectiveInk } from './inks.ts';
import { DEFAULT_COLUMNS, type TerminalOptions } from './options.ts';
import { cut, plain } from './text.ts';

const MOST_ROWS = 48;
const LEAST_BAR = 8;

interface Row {
  readonly slot: AxisSlot;
  readonly count: number;
  readonly bounds: Partial<Bounds>;
}

/** A bar for each slot, smallest values first. Every slot that was hit has a visible bar. */
export function barLines(plot: BarPlot, options: TerminalOptions): string[] {
  const { columns = DEFAULT_COLUMNS, rows = MOST_ROWS, ascii = false } = options;
  const shown = mergedRows(plot, rows);
  const most = largestOf(
    shown.map(({ count }) => count),
    0,
  );
  if (most === 0) return ['nothing was counted'];
  const labels = shown.map(({ slot }) => plain(slotText(slot, plot.unit, plot.isInteger), ascii));
  const counts = shown.map(({ count, bounds }) => boundedCount(count, bounds));
  const labelWidth = longestOf(labels);
  const countWidth = longestOf(counts);
  const beside = columns - labelWidth - countWidth - 3;
  // Long bounds leave no room for a bar beside them on a narrow screen. They stand above it, because a bound that is cut is another bound.
  const isAbove = beside < LEAST_BAR;
  const room = isAbove ? Math.max(LEAST_BAR, columns - countWidth - 2) : beside;
  const notes = shown.map(({ slot }) => objectivesText(slot, plot, ascii));
  const noteWidth = longestOf(notes);
  const width = noteWidth === 0 ? room : Math.max(LEAST_BAR, room - noteWidth - 1);
  const { colour } = inkOf(0, options);
  const side = ascii ? '|' : '│';
  const lines = shown.flatMap(({ count }, i) => {
    const bar = formatBar((count / most) * width, ascii);
    const note = cut(notes[i]!, room - bar.length - 1, ascii);
    const end = note === '' ? '' : ` ${painted(note, objectiveInk(options).colour)}`;
    const line = `${counts[i]!.padStart(countWidth)} ${side}${painted(bar, colour)}${end}`;
    return isAbove ? [labels[i]!, line] : [`${labels[i]!.padEnd(labelWidth)} ${line}`];
  });
  return [...lines, ...totalLines(plot, rows, columns)];
}

function totalLines({ slots, counts }: BarPlot, rows: number, columns: number): string[] {
  const total = `total ${formatCount(totalOf(counts))}`;
  const merged = Math.ceil(slots.length / rows);
  if (merged <= 1) return [total];
  const parts = [total, `each bar is ${merged} slots together`];
  const line = parts.join('; ');
  return line.length <= columns ? [line] : parts;
}

/** The slots, with as many neighbours merged as it takes to fit into the rows. */
function mergedRows({ slots, counts, lower, upper }: BarPlot, rows: number): Row[] {
  const size = Math.max(1, Math.ceil(slots.length / rows));
  const whole = totalOf(counts);
  return Array.from({ length: Math.ceil(slots.length / size) }, (_, row) => {
    const [from, to] = [row * size, Math.min(slots.length, (row + 1) * size)];
    const sumOf = (all: readonly number[]): number => totalOf(all.slice(from, to));
    return {
      slot: { lower: slots[from]!.lower, upper: slots[to - 1]!.upper },
      count: sumOf(counts),
      bounds: boundsOfCount(lower && sumOf(lower), upper && Math.min(whole, sumOf(upper))),
    };
  });
}

/** The objectives whose value lies in the slot, behind an arrow. */
function objectivesText(
  { lower, upper }: AxisSlot,
  { slos = [], unit, isInteger }: BarPlot,
  ascii: boolean,
): string {
  const names = slos
    .filter(({ value }) => value >= lower && (value < upper || (isInteger === true && value === upper)))
    .map((objective) => plain(objectiveName(objective, unit), ascii));
  return names.length === 0 ? '' : `${ascii ? '<-' : '◂'} ${names.join(', ')}`;
}
