import { gzipSync } from 'node:zlib';
import { readLines } from '../../src/operations/read-lines.ts';
import { LogParser } from '../../src/reader/parser.ts';
import { readEntries } from '../../src/reader/read.ts';
import { ENCODED } from '../support/logs.ts';
import { all, bytes } from '../support/read.ts';

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
  const lines = await all(readLines(bytes(LINES.join('\r\n')), options));
  expect(lines.map(({ text }) => text)).toEqual(LINES.map((line) => (line.length > 150 ? '' : line)));
  const entries = await all(readEntries(bytes(LINES.join('\r\n')), options));
  expect(lines.flatMap(({ entry }) => entry ?? [])).toEqual(entries);
  expect(lines[3]?.entry).toMatchObject({
    lineNumber: 4,
    error: { message: 'line 4: a line must have at most 150 bytes, got 207' },
  });
});

test('ends with a malformed entry if a gzip stream is cut short, as readEntries does', async () => {
  const cut = gzipSync(LINES.join('\n')).subarray(0, -12);
  const entries = (await all(readLines(cut))).flatMap(({ entry }) => entry ?? []);
  expect(entries).toEqual(await all(readEntries(cut)));
  expect(entries.at(-1)).toMatchObject({ kind: 'malformed' });
});

test('a parser makes the same entries of lines and of chunks', () => {
  const [whole, parser] = [new LogParser(), new LogParser()];
  const entries = [...whole.push(bytes(LINES.join('\n'))), ...whole.end()];
  expect(LINES.flatMap((line) => parser.pushLine(line) ?? [])).toEqual(entries);
  expect([parser.lineCount, parser.startSec]).toEqual([whole.lineCount, whole.startSec]);
});
