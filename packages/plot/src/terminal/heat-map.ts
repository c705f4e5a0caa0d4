import { axisName } from '../chart/slot-axis.ts';
import { zoneOfPlot } from '../chart/time-text.ts';
import { boundedCount, formatCount, formatShortCount } from '../count-text.ts';
import { longestOf } from '../data/largest.ts';
import { totalOf, usedPart } from '../data/used-part.ts';
import type { HeatMapPlot } from '../plot.ts';
import { fittedGrid, type HeatGrid } from './heat-grid.ts';
import { assertHeatMap } from './heat-map-check.ts';
import { assertSize, DEFAULT_COLUMNS, type TerminalOptions } from './options.ts';
import { type Shade, shadeOf, shadesFor } from './shades.ts';
import { slotLabels } from './slot-label.ts';
import { clipped, plain } from './text.ts';

const MOST_ROWS = 48;
const COLUMNS_PER_LABEL = 10;
/** In characters; wider cells make a drawing no clearer. */
const WIDEST_CELL = 9;
/** With less room for cells, totals are left out. */
const LEAST_ROOM = 16;

/**
 * A heat map as text: a shade for each cell, large values at the top, totals of rows and columns when there is room, and a
 * legend of the shades. Each shade begins at the same multiple of the shade before. Cells that were hit are never blank, and
 * all others are. Empty rows and columns at the ends are left out, except those of time. When there are too many rows or
 * columns, neighbours are merged, and a note says so.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the size is outside its range; `ERR_INVALID_VALUE` when an axis has no
 *   slots, a bound is not a number, there are not as many counts as slots, or a count is negative or not finite.
 */
export function formatHeatMap(plot: HeatMapPlot, options: TerminalOptions = {}): string {
  assertSize(options);
  assertHeatMap(plot);
  const { columns = DEFAULT_COLUMNS, ascii = false } = options;
  const titles = [plot.title, plot.subtitle].flatMap((title) =>
    title ? wrapped(plain(title, ascii).split(' '), ' ', columns) : [],
  );
  const used = usedPart(plot);
  const drawing = used === undefined ? ['nothing was counted'] : drawn(used, options);
  return [...titles, ...drawing].map((line) => `${line}\n`).join('');
}

function drawn(plot: HeatMapPlot, options: TerminalOptions): string[] {
  const { columns = DEFAULT_COLUMNS, rows = MOST_ROWS, colours = false, ascii = false } = options;
  const inRows = fittedGrid(plot, { columns: plot.x.slots.length, rows });
  const labels = slotLabels(inRows.y, plot.y.unit, ascii);
  const labelWidth = longestOf(['total', ...labels]) + 1;
  const total = formatCount(totalOf(plot.counts.map(totalOf)));
  const rowTotals = inRows.counts.map((row, i) => boundedCount(totalOf(row), inRows.rowBounds?.[i] ?? {}));
  const totalWidth = longestOf(['total', total, ...rowTotals]) + 1;
  const room = columns - labelWidth - 3;
  const hasTotals = room - totalWidth >= LEAST_ROOM;
  const cellRoom = Math.max(1, room - (hasTotals ? totalWidth : 0));

  const grid = fittedGrid(plot, { columns: cellRoom, rows });
  const cellWidth = Math.min(WIDEST_CELL, Math.floor(cellRoom / grid.x.length));
  // Bounded: these are the least and the most.
  const shades = shadesFor(...extremes(grid), { colours, ascii });
  const marks = ascii ? ASCII_MARKS : MARKS;
  const width = grid.x.length * cellWidth;
  const margin = ' '.repeat(labelWidth + 2);

  const body = grid.counts.map((row, i) => {
    const cells = cellsText(row, shades, cellWidth);
    const end = hasTotals ? ` ${rowTotals[i]!.padStart(totalWidth - 1)}` : '';
    return `${labels[i]!.padStart(labelWidth)} ${marks.side}${cells}${marks.side}${end}`;
  });
  const head = hasTotals
    ? `${clipped(plot.y.name.padEnd(labelWidth + width + 3), labelWidth + width + 3)} ${'total'.padStart(totalWidth - 1)}`
    : plot.y.name;
  const zone = zoneOfPlot(plot);
  const xLabels = slotLabels(grid.x, plot.x.unit, ascii, width / COLUMNS_PER_LABEL, zone);
  const totals = hasTotals ? columnTotals(grid, cellWidth) : undefined;
  return [
    clipped(head, columns).trimEnd(),
    ...body.reverse(),
    `${' '.repeat(labelWidth + 1)}${marks.left}${marks.floor.repeat(width)}${marks.right}`,
    `${margin}${placed(xLabels, cellWidth, cellRoom + 1)}`.trimEnd(),
    ...(totals === undefined ? [] : [`${'total'.padStart(labelWidth)}  ${totals}`.trimEnd()]),
    clipped(`${margin}${axisName(plot.x, zone)}`, columns),
    '',
    ...legend(plot.countName ?? 'values', shades, extremes(grid)[1], columns),
    ...mergedNotes(grid, columns),
  ];
}

const MARKS = { side: '│', left: '└', floor: '─', right: '┘' } as const;
const ASCII_MARKS = { side: '|', left: '+', floor: '-', right: '+' } as const;

function extremes({ counts }: HeatGrid): [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const count of counts.flat()) {
    if (count > 0) least = Math.min(least, count);
    most = Math.max(most, count);
  }
  return [least, most];
}

/** Cells of one shade are painted together, which takes far fewer escape sequences. */
function cellsText(row: readonly number[], shades: readonly Shade[], cellWidth: number): string {
  const painted = row.map((count) => (count > 0 ? shadeOf(shades, count) : undefined));
  let text = '';
  for (let from = 0; from < painted.length; ) {
    const shade = painted[from];
    let to = from + 1;
    while (to < painted.length && painted[to] === shade) to++;
    const width = (to - from) * cellWidth;
    text += shade === undefined ? ' '.repeat(width) : shade.paint(width);
    from = to;
  }
  return text;
}

/** Each label at the begin of its column, without the labels that would touch the label before. */
function placed(labels: readonly string[], cellWidth: number, room: number): string {
  let text = '';
  for (const [i, label] of labels.entries()) {
    const at = i * cellWidth;
    if (label === '' || (text !== '' && at <= text.length)) continue;
    if (at + label.length > room) continue;
    text = text.padEnd(at) + label;
  }
  return text;
}

/** The totals of the columns; `undefined` when a total does not fit into its column. */
function columnTotals({ x, counts }: HeatGrid, cellWidth: number): string | undefined {
  const totals = x.map((_, column) => totalOf(counts.map((row) => row[column]!)));
  for (const format of [formatCount, formatShortCount]) {
    const texts = totals.map(format);
    if (texts.every(({ length }) => length < cellWidth))
      return texts.map((text) => text.padEnd(cellWidth)).join('');
  }
  return undefined;
}

function legend(countName: string, shades: readonly Shade[], most: number, columns: number): string[] {
  const areIntegers = Number.isInteger(shades[0]!.from);
  const items = shades.map(({ from, paint }, i) => {
    const next = shades[i + 1]?.from;
    const to = next === undefined ? most : areIntegers ? next - 1 : next;
    const range = to === from ? formatCount(from) : `${formatCount(from)} to ${formatCount(to)}`;
    return `${paint(1)} ${range}`;
  });
  return wrapped([`${countName}:`, ...items], '  ', columns);
}

function mergedNotes({ slotsPerColumn, slotsPerRow }: HeatGrid, columns: number): string[] {
  const notes = [
    ...(slotsPerColumn > 1 ? [`Each column is ${slotsPerColumn} slots together.`] : []),
    ...(slotsPerRow > 1 ? [`Each row is ${slotsPerRow} slots together.`] : []),
  ];
  return notes.length === 0 ? [] : wrapped(notes, ' ', columns);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const ESCAPES = /\u001b\[[\d;]*m/g;

/** Items in as many lines as it takes. An item that is longer than a line has a line of its own. */
function wrapped(items: readonly string[], between: string, columns: number): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const longer = lines.length === 0 ? undefined : `${lines.at(-1)}${between}${item}`;
    if (longer !== undefined && longer.replace(ESCAPES, '').length <= columns)
      lines[lines.length - 1] = longer;
    else lines.push(item);
  }
  return lines;
}
