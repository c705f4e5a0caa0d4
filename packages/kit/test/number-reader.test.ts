import fc from 'fast-check';
import { type BadLine, type NumberFormat, NumberReader } from '../src/number-reader.ts';
import { decimalText } from './support/decimal-text.ts';

interface Read {
  readonly numbers: number[];
  readonly bad: BadLine[];
}

/** @param cuts Where the text is cut into chunks, as parts of its length. */
function read(text: string, format: NumberFormat = {}, cuts: readonly number[] = []): Read {
  const numbers: number[] = [];
  const bad: BadLine[] = [];
  const reader = new NumberReader(
    {
      onNumbers: (values, length) => numbers.push(...values.subarray(0, length)),
      onBadLine: (line) => bad.push(line),
    },
    format,
  );
  const bytes = new TextEncoder().encode(text);
  const ends = [...cuts.map((part) => Math.floor(part * bytes.length)), bytes.length].sort((a, b) => a - b);
  let from = 0;
  for (const to of ends) {
    // A chunk of its own, so that what is kept of the last one is seen to be a copy.
    const chunk = bytes.slice(from, to);
    reader.push(chunk);
    chunk.fill(0x39);
    from = to;
  }
  reader.end();
  return { numbers, bad };
}

const cuts = (): fc.Arbitrary<number[]> =>
  fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

test('reads what Number(text) reads, wherever chunks end', () => {
  const line = fc.tuple(
    fc.constantFrom('', ' ', '\t', '  '),
    decimalText(),
    fc.constantFrom('', ' ', '\t '),
    fc.constantFrom('\n', '\r\n', '\n\n', '\n# 5\n', '\r\n \r\n'),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), cuts(), (lines, at) => {
      const text = lines.map((parts) => parts.join('')).join('');
      const all = lines.map(([, number]) => Number(number));
      const { numbers, bad } = read(text, {}, at);
      expect([numbers, bad]).toEqual([all, []]);
    }),
    { numRuns: 500 },
  );
});

test('reads a column as split would, wherever chunks end', () => {
  const row = fc.array(decimalText(), { minLength: 1, maxLength: 5 });
  const separators = fc.constantFrom(',', '\t', ';', undefined);
  fc.assert(
    fc.property(
      fc.array(row),
      separators,
      fc.integer({ min: 1, max: 5 }),
      cuts(),
      (rows, separator, column, at) => {
        const text = rows.map((cells) => cells.join(separator ?? '  ')).join('\n');
        const wanted = rows.map((cells) => Number(cells[column - 1]));
        const { numbers, bad } = read(text, { column, separator }, at);
        expect(numbers).toEqual(wanted.filter((value) => !Number.isNaN(value)));
        expect(bad.map(({ lineNumber }) => lineNumber)).toEqual(
          wanted.flatMap((value, index) => (Number.isNaN(value) ? [index + 1] : [])),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ['1.2.3.4 [26/Nov/2026:23:06 +0000] "GET /a b HTTP/1.1" 200 "say \\"x y\\"" 0.005', undefined, 7, [0.005]],
  ['rt="0.1 s" "a b"  7', undefined, 3, [7]],
  ['"a, b",5,"6"', ',', 2, [5]],
  ['"a, b",5,"6"', ',', 3, [6]],
  ['x, "a "",b", 5', ',', 3, [5]],
  ['5" pipe,3', ',', 2, [3]],
  ['""\t"\t"\t4', '\t', 3, [4]],
  // A backslash is a character like any other where a separator is stated.
  ['"C:\\",5', ',', 2, [5]],
  // Quotes within a text are characters like any other, however many.
  ['5"" pipe,3,"a"', ',', 2, [3]],
  ['"say \\"x\\""\t5\t"b"\t7', '\t', 2, [5]],
  // A quote without its end has the rest of the line.
  ['"a,5,6', ',', 2, []],
  ['"a 5 6', undefined, 2, []],
])('separators in quotes separate nothing: %j by %p, column %d', (line, separator, column, numbers) => {
  expect(read(`${line}\n`, { column, separator }).numbers).toEqual(numbers);
});

test('names bad lines by number and text', () => {
  const text = '1\n-2\nthree\r\n\n4 5\nNaN\n# 6\n0x10\n7';
  expect(read(text)).toEqual({
    numbers: [1, 7],
    bad: [
      { lineNumber: 2, text: '-2' },
      { lineNumber: 3, text: 'three' },
      { lineNumber: 5, text: '4 5' },
      { lineNumber: 6, text: 'NaN' },
      { lineNumber: 8, text: '0x10' },
    ],
  });
});

test('passes over a byte order mark and the lines to be skipped', () => {
  expect(read('\ufeff1\n2\n').numbers).toEqual([1, 2]);
  expect(read('latency\n1\n2\n', { skip: 1 })).toEqual({ numbers: [1, 2], bad: [] });
  expect(read('1\n2\n', { skip: 5 })).toEqual({ numbers: [], bad: [] });
});

test('takes blanks around a field for none of it, and an empty one for no number', () => {
  expect(read('a, 1.5 ,b\nc,,d\n', { column: 2, separator: ',' })).toEqual({
    numbers: [1.5],
    bad: [{ lineNumber: 2, text: 'c,,d' }],
  });
  expect(read('\t1\t2\n', { column: 2, separator: '\t' }).numbers).toEqual([1]);
  expect(read('  a   1\r\n', { column: 2 }).numbers).toEqual([1]);
});

test('finds no number in a column far beyond the end of the line, without delay', () => {
  expect(read('1 2\n', { column: Number.MAX_SAFE_INTEGER })).toMatchObject({
    numbers: [],
    bad: [{ lineNumber: 1 }],
  });
});

test('refuses what is too large', () => {
  expect(read('99\n100\n101\n1e3\n', { largest: 100 })).toMatchObject({
    numbers: [99, 100],
    bad: [{ lineNumber: 3 }, { lineNumber: 4 }],
  });
  expect(read('1e308\n1e309\n')).toEqual({ numbers: [1e308], bad: [{ lineNumber: 2, text: '1e309' }] });
});

test('takes negative numbers when the format says so', () => {
  expect(read('-1\n 2\n-4\n3\n', { smallest: -3 })).toEqual({
    numbers: [-1, 2, 3],
    bad: [{ lineNumber: 3, text: '-4' }],
  });
  expect(read('1\n2\n', { smallest: 2 }).numbers).toEqual([2]);
});

test('goes on behind a line of any length, and holds none of it', () => {
  const long = 'x'.repeat(2 ** 21);
  const { numbers, bad } = read(`1\n${long}\n2\n`, {}, [0.1, 0.3, 0.5, 0.7, 0.9]);
  expect(numbers).toEqual([1, 2]);
  expect(bad).toEqual([{ lineNumber: 2, text: `${'x'.repeat(60)}…` }]);
});

test('hands on more numbers than fit into one batch', () => {
  const all = Array.from({ length: 10_000 }, (_, at) => at);
  expect(read(all.join('\n')).numbers).toEqual(all);
  expect(read(all.map((value) => ` ${value}e0`).join('\n')).numbers).toEqual(all);
});

test('reads every word of a line when asked to, and names the words that are no numbers', () => {
  expect(read('1 2\n# 9 9\n3\r\n\t4,5;6 \n -7 12ms,8\n', { column: 'every' })).toEqual({
    numbers: [1, 2, 3, 4, 5, 6, 8],
    bad: [
      { lineNumber: 5, text: '-7' },
      { lineNumber: 5, text: '12ms' },
    ],
  });
  const all = Array.from({ length: 10_000 }, (_, at) => at);
  expect(read(all.join(' '), { column: 'every' }, [0.2, 0.7]).numbers).toEqual(all);
});

test('hands on the numbers of a chunk before the next one comes', () => {
  const numbers: number[] = [];
  const reader = new NumberReader({
    onNumbers: (values, length) => numbers.push(...values.subarray(0, length)),
    onBadLine: () => {},
  });
  reader.push(new TextEncoder().encode('1\n2\n3'));
  expect(numbers).toEqual([1, 2]);
  reader.end();
  expect(numbers).toEqual([1, 2, 3]);
});

test('a long line that comes byte by byte is read in linear time', () => {
  const numbers: number[] = [];
  const reader = new NumberReader({
    onNumbers: (values, length) => numbers.push(...values.subarray(0, length)),
    onBadLine: ({ text }) => {
      throw new Error(text);
    },
  });
  const start = performance.now();
  const zero = Uint8Array.of(0x30);
  for (let i = 0; i < 1_000_000; i++) reader.push(zero);
  reader.push(new TextEncoder().encode('7\n'));
  reader.end();
  expect(numbers).toEqual([7]);
  expect(performance.now() - start).toBeLessThan(10_000);
});
