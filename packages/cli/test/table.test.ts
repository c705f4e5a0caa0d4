import { valueFormat, valueScaleOf } from '@hdrscope/inputs/internal';
import type { Io } from '../src/command.ts';
import { formatMarkdown, formatTable, shownTable } from '../src/screen/table.ts';

const COLUMNS = [{ title: 'name', isText: true }, { title: 'n' }];

test('a table may have more rows than a function takes arguments', () => {
  const rows = Array.from({ length: 200_000 }, (_, at) => [`tag${at}`, '1']);
  const lines = formatTable(COLUMNS, rows);
  expect(lines).toHaveLength(200_001);
  expect(lines[0]).toBe('name       n');
});

test('values may be more than a function takes arguments', () => {
  const format = valueFormat(Array(200_000).fill(5e6), valueScaleOf('ns'));
  expect(format(5e6)).toBe('5.000');
});

test('small values keep three digits', () => {
  const none = valueFormat([1.5e-6, 0, 2.5, 1234], valueScaleOf('none'));
  expect([1.5e-6, 2.5, 1234].map(none)).toEqual(['0.00000150', '2.50000000', '1,234']);
  expect(valueFormat([0.25], valueScaleOf('none'))(0.25)).toBe('0.250');
  expect(valueFormat([0.3], valueScaleOf('ns'))(0.3)).toBe('0.000000300');
  expect(valueFormat([0], valueScaleOf('none'))(0)).toBe('0');
});

test('control characters and line feeds of a cell become visible', () => {
  expect(formatTable(COLUMNS, [['a\u001b[31m\n', '1']])).toEqual(['name           n', 'a\\x1b[31m\\x0a  1']);
  expect(formatMarkdown(COLUMNS, [['a\u202e|\n', '1']]).at(-1)).toBe('| a\\u202e\\|\\x0a | 1 |');
});

describe('a table on a screen', () => {
  const io = (columns: number | undefined): Io =>
    ({
      stdout: { isTerminal: columns !== undefined, columns, write: async () => {} },
      environment: { NO_COLOR: '1' },
    }) as unknown as Io;
  const columns = [{ title: 'name', isText: true }, { title: 'count', spare: 1 }, { title: 'p99' }];
  const rows = [
    ['http.duration?route=/cart', '1,000', '12.5'],
    ['http.duration?route=/search', '20', '1.5'],
  ];

  test('is whole where it fits', () => {
    expect(shownTable(columns, rows, io(undefined))[0]).toBe('name                         count   p99');
    expect(shownTable(columns, rows, io(40))[0]).toBe('name                         count   p99');
  });

  test('loses spare columns first, and the middles of names then', () => {
    expect(shownTable(columns, rows, io(34))).toEqual([
      'name                          p99',
      'http.duration?route=/cart    12.5',
      'http.duration?route=/search   1.5',
    ]);
    expect(shownTable(columns, rows, io(26))).toEqual([
      'name                   p99',
      'http.durat…ute=/cart  12.5',
      'http.durat…e=/search   1.5',
    ]);
  });

  test('is a line per figure where names would be alike or too short', () => {
    const lines = shownTable(columns, rows, io(20));
    expect(lines).toEqual([
      'http.duration?route=/cart',
      '  count  1,000',
      '  p99    12.5',
      'http.duration?route=/search',
      '  count  20',
      '  p99    1.5',
    ]);
    const alike = [
      ['aaaaaaaaaaaaaa-bbbbbbbbbbbbbb', '1', '2'],
      ['aaaaaaaaaaaaaa+bbbbbbbbbbbbbb', '1', '2'],
    ];
    expect(shownTable(columns, alike, io(30))[0]).toBe('aaaaaaaaaaaaaa-bbbbbbbbbbbbbb');
  });

  test('has names short enough for the widest words of the last column', () => {
    const judged = [columns[0]!, { title: 'verdict', isText: true }];
    const lines = shownTable(judged, [['http.duration?route=/cart', 'cannot be judged']], io(38));
    expect(lines).toEqual(['name                  verdict', 'http.durat…ute=/cart  cannot be judged']);
  });

  test('breaks a first cell of words that is wider than the screen', () => {
    const lines = shownTable(
      [columns[0]!, { title: 'p99' }],
      [['the service of all our customers', '1']],
      io(20),
    );
    expect(lines).toEqual(['the service of all', 'our customers', '  p99  1']);
  });

  test('colours lines of a row, and shows control characters', () => {
    const lines = shownTable(
      columns,
      [['\u001b[31m', '1', '2']],
      io(undefined),
      (line, at) => `${at}${line}`,
    );
    expect(lines[1]).toBe('0\\x1b[31m      1    2');
  });
});
