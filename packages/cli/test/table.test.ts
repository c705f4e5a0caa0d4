import { formatMarkdown, formatTable } from '../src/table.ts';
import { valueFormat, valueScaleOf } from '../src/value-scale.ts';

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

test('control characters and line feeds of a cell become visible', () => {
  expect(formatTable(COLUMNS, [['a\u001b[31m\n', '1']])).toEqual(['name           n', 'a\\x1b[31m\\x0a  1']);
  expect(formatMarkdown(COLUMNS, [['a\u202e|\n', '1']]).at(-1)).toBe('| a\\u202e\\|\\x0a | 1 |');
});
