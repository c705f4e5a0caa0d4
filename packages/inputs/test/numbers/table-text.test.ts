import { NumberReader } from '@hdrscope/kit/number-reader';
import fc from 'fast-check';
import { cellsOf, isNumber, numberColumns, readTable } from '../../src/numbers/number-texts.ts';

test.each([
  ['a,b,c', ',', ['a', 'b', 'c']],
  ['"a, b", c ', ',', ['a, b', 'c']],
  ['  1   2\t3', undefined, ['1', '2', '3']],
  ['a;;b', ';', ['a', '', 'b']],
  ['"a ""b"", c",5', ',', ['a "b", c', '5']],
  ['- "GET /a b" 200 rt="0 5" ""', undefined, ['-', 'GET /a b', '200', 'rt="0 5"', '']],
  ['"say \\"x y\\"" 5', undefined, ['say \\"x y\\"', '5']],
  ['"a 5', undefined, ['"a 5']],
])('%j has cells', (line, separator, cells) => {
  expect(cellsOf(line, separator)).toEqual(cells);
});

test.each([
  ['path,ms\n/a,1\n/b,2\n', ',', ['path', 'ms'], ['ms']],
  ['1;2\n3;4\n', ';', undefined, ['1', '2']],
  ['# note\nname value\nx 5ms\ny 6ms\n', undefined, ['name', 'value'], ['value']],
  ['a,b\n1,x\n,y\n', ',', ['a', 'b'], ['a']],
  // A title names the first column that has it.
  ['a,a,\n1,2,3\n', ',', ['a', 'a', ''], ['a', '2', '3']],
])('%j is a table', (text, separator, titles, columns) => {
  const table = readTable(text)!;
  const names = numberColumns(table).map(({ name }) => name);
  expect([table.separator, table.titles, names]).toEqual([separator, titles, columns]);
});

test.each(['', 'a\nb\n', 'one two\nthree four five\n', 'a,b\nc,d\n', 'root:*:1:2\nbin:*:3:4\n'])(
  '%j is no table unless somebody says so',
  (text) => {
    expect(readTable(text)).toBeUndefined();
  },
);

test('cells are those that NumberReader counts', () => {
  const piece = fc.constantFrom('"', '5', 'a', ' ', ',', '=', '\\', '\t', '1.5');
  const line = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => `a${pieces.join('')}`);
  fc.assert(
    fc.property(
      line,
      fc.constantFrom(',', '\t', ' ', undefined),
      fc.integer({ min: 1, max: 5 }),
      (text, separator, column) => {
        const cell = cellsOf(text, separator)[column - 1] ?? '';
        const counted: number[] = [];
        const onNumbers = (values: Float64Array, length: number) =>
          counted.push(...values.subarray(0, length));
        const reader = new NumberReader({ onNumbers, onBadLine() {} }, { column, separator });
        reader.push(new TextEncoder().encode(`${text}\n`));
        expect(counted).toEqual(isNumber(cell) ? [Number(cell)] : []);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a stated table is split so that a column has numbers', () => {
  const line = '1 "a (b; c, d)" 5\n';
  expect(readTable(line.repeat(3), {}, true)?.separator).toBeUndefined();
  expect(readTable(`${line.repeat(3)}broken, line; here\n${line}`, {}, true)?.separator).toBeUndefined();
  expect(readTable('a,b c\n1,x y\n2,y,z\n', {}, true)?.separator).toBe(',');
});

test('a table may be stated, with rows that lack a number', () => {
  const text = 'path,ms\n/a,1\n/b,n/a\n';
  expect(readTable(text)).toBeUndefined();
  expect(readTable(text, {}, true)).toMatchObject({ separator: ',', titles: ['path', 'ms'], headLines: 1 });
  expect(readTable('made by me\na,b\n1,2\n', { skip: 1 }, true)).toMatchObject({
    titles: ['a', 'b'],
    headLines: 2,
  });
  expect(readTable('1:2\n', { separator: ':' }, true)).toMatchObject({ separator: ':', titles: undefined });
});

test.each([
  ['12', true],
  ['.5', true],
  ['1.5e-3', true],
  ['+7', true],
  ['-1', false],
  ['', false],
  ['0x1', false],
  ['Infinity', false],
])('%j is a number: %p', (text, expected) => {
  expect(isNumber(text)).toBe(expected);
});
