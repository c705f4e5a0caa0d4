import { helpColumns, wrapCommand, wrapItem, wrapText } from '../src/screen/help-text.ts';

test('paragraphs are wrapped, and items of lists hang', () => {
  const text = `One two three
four five six.

list:
  a   what a is, in
      two lines
  bc  what bc is`;
  expect(wrapText(text, 34)).toBe(`One two three four five six.

list:
  a   what a is, in two lines
  bc  what bc is`);
  expect(wrapText('  name  a long description of the name', 30)).toBe(`  name
      a long description of
      the name`);
});

test('a longer word stays whole', () => {
  expect(wrapText('see https://example.org/a/long/path now', 10)).toBe(
    'see\nhttps://example.org/a/long/path\nnow',
  );
});

test('an item is beside its meaning where there is room', () => {
  expect(wrapItem('-o', 6, 'where to write', 60)).toBe('  -o      where to write');
  expect(wrapItem('--a-long-option', 20, 'what it does', 40)).toBe('  --a-long-option\n      what it does');
});

test('a command is broken before options, which keep their values', () => {
  expect(wrapCommand("hdrscope plot --slo p99=5ms 'a b.hlog' -o c.svg", 30)).toBe(
    "hdrscope plot --slo p99=5ms \\\n    'a b.hlog' -o c.svg",
  );
  expect(wrapCommand('short', 30)).toBe('short');
});

test.each([
  [undefined, {}, 80],
  [30, {}, 40],
  [72, {}, 72],
  [200, {}, 100],
  [undefined, { COLUMNS: '50' }, 50],
  [72, { COLUMNS: '50' }, 50],
])('a terminal of %p columns with %j has lines of %d', (columns, environment, expected) => {
  const stdout = { isTerminal: columns !== undefined, columns, write: async () => {} };
  expect(helpColumns({ stdout, environment })).toBe(expected);
});
