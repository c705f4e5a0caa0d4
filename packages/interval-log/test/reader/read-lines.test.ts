import { gzipSync } from 'node:zlib';
import { readEntries } from '../../src/index.ts';
import { readLines } from '../../src/reader/read.ts';
import { ENCODED } from '../support/logs.ts';
import { all, bytes, entriesOf, newParser } from '../support/read.ts';

const SETTINGS = {
  time: 'java',
  maxLineBytes: 2 ** 24,
  maxMalformed: 1_000_000,
  onBytes: undefined,
  maxInflatedBytes: undefined,
} as const;

const LINES = [
  '#[StartTime: 1000 (seconds since epoch)]',
  '',
  `Tag=é,1,1,0,${ENCODED}`,
  `2,1,0,${'x'.repeat(200)}`,
  'nonsense',
  `3,1,0,${ENCODED}`,
];

test('yields lines unchanged, with the entries of readEntries', async () => {
  const options = { maxLineBytes: 150 };
  const lines = await all(readLines(bytes(LINES.join('\r\n')), { ...SETTINGS, ...options }));
  expect(lines.map(({ text }) => text)).toEqual(LINES.map((line) => (line.length > 150 ? '' : line)));
  const entries = await all(readEntries(bytes(LINES.join('\r\n')), options));
  expect(lines.flatMap(({ entry }) => entry ?? [])).toEqual(entries);
  expect(lines[3]?.entry).toMatchObject({
    lineNumber: 4,
    error: { message: 'line 4: a line must have at most 150 bytes, got 206' },
  });
});

test('ends with a malformed entry if a gzip stream is cut short, as readEntries does', async () => {
  const cut = gzipSync(LINES.join('\n')).subarray(0, -12);
  const entries = (await all(readLines(cut, SETTINGS))).flatMap(({ entry }) => entry ?? []);
  expect(entries).toEqual(await all(readEntries(cut)));
  expect(entries.at(-1)).toMatchObject({ kind: 'malformed' });
});

test('a parser makes the same entries of lines and of chunks', () => {
  const parser = newParser();
  const entries = LINES.flatMap((line) => [...parser.push(bytes(`${line}\n`))]);
  expect(entries).toEqual(entriesOf(LINES.join('\n')));
});
