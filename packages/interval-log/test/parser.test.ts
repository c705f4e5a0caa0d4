import { parseLog } from '@hdrscope/interval-log/parser';
import { build } from 'esbuild';
import { readEntries } from '../src/index.ts';
import { logText } from './operations/support/logs.ts';

const LOG = `${logText([
  { tag: 'a', at: 0, values: [1, 2] },
  { at: 1, values: [3] },
])}broken\n`;

test('a log in memory has the entries of a log that is read', async () => {
  const read: unknown[] = [];
  for await (const entry of readEntries(new TextEncoder().encode(LOG))) read.push(entry);
  const shape = (entries: readonly unknown[]): unknown => JSON.parse(JSON.stringify(entries));
  expect(shape([...parseLog(LOG)])).toEqual(shape(read));
  expect(shape([...parseLog(new TextEncoder().encode(LOG))])).toEqual(shape(read));
  expect([...parseLog(LOG)].map(({ kind }) => kind)).toEqual(['interval', 'interval', 'malformed']);
});

test('histograms are decoded when they are read', () => {
  const [first] = parseLog(LOG);
  expect(first).toMatchObject({ kind: 'interval', tag: 'a' });
  if (first?.kind === 'interval') expect(first.histogram().totalCount).toBe(2);
});

test('an option that does not exist is refused', () => {
  expect(() => parseLog(LOG, { tiem: 'java' } as object).next()).toThrow('did you mean time?');
});

test('the entry has nothing of Node.js in it', async () => {
  const { metafile } = await build({
    entryPoints: [new URL('../src/parser.ts', import.meta.url).pathname],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    conditions: ['@hdrscope/source'],
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(imported).toEqual([]);
});

test('an error that is no fault of a line ends the reading', () => {
  const { trim } = String.prototype;
  const fail = (): string => {
    throw new RangeError('out of memory');
  };
  Object.assign(String.prototype, { trim: fail });
  try {
    expect(() => [...parseLog(LOG)]).toThrow(RangeError);
  } finally {
    Object.assign(String.prototype, { trim });
  }
});
