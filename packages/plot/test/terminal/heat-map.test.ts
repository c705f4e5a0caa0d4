import { stripVTControlCharacters } from 'node:util';
import type { HeatMapPlot } from '../../src/index.ts';
import type { HeatAxis } from '../../src/plot.ts';
import { formatHeatMap } from '../../src/terminal/heat-map.ts';

const slots = (...edges: number[]): HeatAxis['slots'] =>
  edges.slice(1).map((upper, i) => ({ lower: edges[i]!, upper }));

const { POSITIVE_INFINITY: UP, NEGATIVE_INFINITY: DOWN } = Number;

const SIZE: HeatAxis = { name: 'Size', unit: 'bytes', slots: slots(DOWN, 0, 4096, 8192, UP) };
const LATENCY: HeatAxis = { name: 'Latency', unit: 'ns', slots: slots(DOWN, 0, 100_000, 200_000, UP) };

function plotOf(counts: HeatMapPlot['counts'], others: Partial<HeatMapPlot> = {}): HeatMapPlot {
  return { kind: 'heat-map', x: SIZE, y: LATENCY, counts, ...others };
}

/** A map with `size` slots on each axis, and the counts of `countOf`. */
function square(size: number, countOf: (x: number, y: number) => number): HeatMapPlot {
  const axis: HeatAxis = {
    name: 'n',
    unit: 'none',
    slots: Array.from({ length: size }, (_, i) => ({ lower: i, upper: i + 1 })),
  };
  const counts = axis.slots.map((_, y) => axis.slots.map((__, x) => countOf(x, y)));
  return { kind: 'heat-map', x: axis, y: axis, counts };
}

const lines = (text: string): string[] => text.split('\n');
const cellsOf = (text: string): string[] =>
  lines(text).flatMap((line) => /[│|](.*)[│|]/.exec(line)?.slice(1) ?? []);

test('large values are at the top, and every number has its unit', () => {
  const counts = [
    [1, 0, 0, 0],
    [0, 900, 40, 0],
    [0, 0, 2, 0],
    [0, 0, 0, 30],
  ];
  expect(
    lines(formatHeatMap(plotOf(counts, { title: 'Writes', subtitle: 'of osd.0', countName: 'writes' }))),
  ).toEqual([
    'Writes',
    'of osd.0',
    'Latency                                         total',
    ' ≥200 µs │                           ▓▓▓▓▓▓▓▓▓│    30',
    '  100 µs │                  ░░░░░░░░░         │     2',
    '       0 │         █████████▓▓▓▓▓▓▓▓▓         │   940',
    '      <0 │░░░░░░░░░                           │     1',
    '         └────────────────────────────────────┘',
    '          <0       0        4 KiB    ≥8 KiB',
    '   total  1        900      42       30',
    '          Size',
    '',
    'writes:  ░ 1 to 5  ▒ 6 to 29  ▓ 30 to 164  █ 165 to 900',
    '',
  ]);
});

test('ASCII is enough to draw a map', () => {
  const counts = [
    [1, 0, 0, 0],
    [0, 900, 40, 0],
    [0, 0, 2, 0],
    [0, 0, 0, 30],
  ];
  const text = formatHeatMap(plotOf(counts), { ascii: true });
  expect(text).toMatch(/^[ -~\n]+$/);
  expect(text).toContain('>=200 us |                           ****');
});

test('empty slots at the ends are left out, and empty slots between others are not', () => {
  const text = formatHeatMap(
    plotOf([
      [0, 0, 0, 0],
      [0, 5, 0, 5],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ]),
  );
  expect(cellsOf(text)).toEqual([`${'█'.repeat(9)}${' '.repeat(9)}${'█'.repeat(9)}`]);
});

test('cells that were hit are never blank, and all others are', () => {
  const plot = square(4, (x, y) => (x === y ? 10 ** (5 * x) : 0));
  for (const options of [{}, { ascii: true }]) {
    const rows = cellsOf(formatHeatMap(plot, options)).reverse();
    for (const [y, row] of rows.entries()) {
      for (const x of rows.keys()) expect(row.slice(9 * x, 9 * x + 9).trim() === '').toBe(x !== y);
    }
  }
});

test('the legend has every count of the map with its shade', () => {
  const text = formatHeatMap(square(12, (x, y) => 1 + x * y * y));
  const ranges = [...text.matchAll(/([░▒▓█]) (\d[\d,]*)(?: to (\d[\d,]*))?/g)].map(
    ([, shade, from, to = from]) => ({
      shade,
      from: Number(from!.replaceAll(',', '')),
      to: Number(to!.replaceAll(',', '')),
    }),
  );
  expect(ranges[0]!.from).toBe(1);
  expect(ranges.at(-1)!.to).toBe(1 + 11 ** 3);
  for (const [i, { from }] of ranges.entries()) if (i > 0) expect(from).toBe(ranges[i - 1]!.to + 1);
  const rows = cellsOf(text).reverse();
  const width = rows[0]!.length / 12;
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < 12; x++) {
      const count = 1 + x * y * y;
      expect(row[x * width]).toBe(ranges.find(({ from, to }) => count >= from && count <= to)!.shade);
    }
  }
});

test('few different counts have few shades', () => {
  expect(formatHeatMap(square(2, (x, y) => 1 + x + y))).toContain('values:  ▒ 1  ▓ 2  █ 3\n');
  expect(formatHeatMap(square(2, () => 7))).toContain('values:  █ 7\n');
});

test('colours have 24 bits and take no room', () => {
  const plot = square(30, (x, y) => x * y);
  const plain = formatHeatMap(plot, { columns: 72 });
  const coloured = formatHeatMap(plot, { columns: 72, colours: true });
  expect(coloured).toContain('\u001b[48;2;');
  const bare = stripVTControlCharacters(coloured);
  expect(bare).not.toContain('\u001b');
  const untilLegend = (text: string): number[] =>
    lines(text)
      .slice(0, 30)
      .map(({ length }) => length);
  expect(untilLegend(bare)).toEqual(untilLegend(plain));
  for (const line of lines(bare)) expect(line.length).toBeLessThanOrEqual(72);
});

test.each([40, 57, 80, 200, 1000])('in %d columns every count is drawn, in no more', (columns) => {
  const plot = square(150, (x, y) => (x + y) % 3);
  const text = formatHeatMap(plot, { columns, rows: 13 });
  expect(Math.max(...lines(text).map(({ length }) => length))).toBeLessThanOrEqual(columns);
  const totals = lines(text).flatMap((line) => /│ +([\d,]+)$/.exec(line)?.slice(1) ?? []);
  const sum = totals.map((total) => Number(total.replaceAll(',', ''))).reduce((a, b) => a + b);
  expect(sum).toBe(plot.counts.flat().reduce((a, b) => a + b));
  expect(text).toContain('Each row is 12 slots together.');
  expect(/Each column is \d+ slots together\./.test(text)).toBe(columns < 170);
});

test('merged rows keep open ends', () => {
  const text = formatHeatMap(
    { ...square(9, () => 1), y: { name: 'n', unit: 'none', slots: slots(DOWN, 1, 2, 3, 4, 5, 6, 7, 8, UP) } },
    { rows: 4 },
  );
  expect(lines(text).flatMap((line) => /^ *(\S+) │/.exec(line)?.slice(1) ?? [])).toEqual(['≥6', '3', '<3']);
  expect(new Set(lines(text).flatMap((line) => (line.includes('│') ? [line.indexOf('│')] : []))).size).toBe(
    1,
  );
});

test('the slots of round moments have their date or their time as label', () => {
  const start = Date.UTC(2026, 2, 1);
  const x: HeatAxis = { name: 'Time', unit: 'time', slots: slots(start, start + 1500, start + 3000) };
  const counts = [
    [1, 1],
    [0, 0],
    [0, 0],
    [0, 0],
  ];
  expect(formatHeatMap(plotOf(counts, { x }))).toMatch(/ 1 Mar +00:00:02\n/);
  const later = { ...x, slots: slots(start + 1500, start + 3000) };
  expect(formatHeatMap(plotOf([[1], [0], [0], [0]], { x: later }))).toMatch(/ 00:00:02\n/);
});

test('a map without counts says that nothing was counted', () => {
  const counts = LATENCY.slots.map(() => [0, 0, 0, 0]);
  expect(formatHeatMap(plotOf(counts, { title: 'Reads' }))).toBe('Reads\nnothing was counted\n');
});

test('counts that are not integers have shades too', () => {
  const text = formatHeatMap(square(2, (x, y) => (x === y ? 0.25 + x : 0)));
  expect(text).toContain('░ 0.25 to ');
  expect(text).toContain(' to 1.25\n');
});

test.each([
  [{ columns: 39 }, 'columns must be an integer from 40 to 1000, got 39'],
  [{ rows: 4.5 }, 'rows must be an integer from 4 to 200, got 4.5'],
])('refuses %j', (options, message) => {
  expect(() =>
    formatHeatMap(
      square(2, () => 1),
      options,
    ),
  ).toThrow(message);
});

test.each<[string, HeatMapPlot, string]>([
  [
    'no slots',
    plotOf([], { y: { ...LATENCY, slots: [] } }),
    'y.slots must be at least one slot, got an array of 0',
  ],
  [
    'a bound that is not a number',
    plotOf([], { x: { ...SIZE, slots: slots(0, Number.NaN) } }),
    'x.slots[0].upper must be a number',
  ],
  [
    'missing rows',
    plotOf([[0, 0, 0, 0]]),
    'counts must be 4 rows, one for each slot of y, got an array of 1',
  ],
  ['missing columns', plotOf([[], [], [], []]), 'counts[0] must be 4 counts, one for each slot of x'],
  [
    'a count that is not a number',
    square(2, () => Number.NaN),
    'counts[0][0] must be a finite number of at least 0, got NaN',
  ],
  ['a negative count', square(2, (x) => -x), 'counts[0][1] must be a finite number of at least 0, got -1'],
])('refuses %s', (_, plot, message) => {
  expect(() => formatHeatMap(plot)).toThrow(message);
});
