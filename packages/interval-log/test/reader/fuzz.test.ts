import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { HdrscopeError, type Histogram } from '@hdrscope/core';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import type { LogEntry } from '../../src/reader/entry.ts';
import { readEntries } from '../../src/reader/read.ts';
import { formatInterval } from '../../src/writer/format.ts';
import { histogramOf } from '../support/logs.ts';
import { bytes, inChunks, read } from '../support/read.ts';

interface Written {
  readonly line: string;
  /** The histogram of an interval. */
  readonly histogram?: Histogram;
  readonly tag?: string | undefined;
}

const INTERVALS: readonly Written[] = Array.from({ length: 12 }, (_, n) => {
  const tag = n % 2 === 0 ? undefined : `tag-ä${n}`;
  const histogram = histogramOf(n);
  return { line: formatInterval(histogram, { tag, startSec: n, endSec: n + 1 }).trimEnd(), histogram, tag };
});
const LOG: readonly Written[] = [
  { line: '#[BaseTime: 1500000000.000 (seconds since epoch)]' },
  { line: '' },
  ...INTERVALS.slice(0, 6),
  { line: '#a comment, between' },
  ...INTERVALS.slice(6),
];
const MAX_LINE_BYTES = 2000;

/** Changes a line, without adding a newline. */
type Damage = (line: string, at: number) => string;

const DAMAGES: Readonly<Record<string, Damage>> = {
  'cut at its end': (line, at) => line.slice(0, at),
  'cut at its beginning': (line, at) => line.slice(at),
  'without a part': (line, at) => line.slice(0, at) + line.slice(at + 5),
  'fields reversed': (line) => line.split(',').reverse().join(','),
  'fields doubled': (line) => `${line},${line}`,
  'base64 broken': (line, at) => line.slice(0, -1 - (at % 40)) + line.slice(-(at % 40) || line.length),
  'another character': (line, at) =>
    `${line.slice(0, at)}${String.fromCharCode((line.charCodeAt(at) ^ 1) & 0x7f || 1)}${line.slice(at + 1)}`.replaceAll(
      '\n',
      'x',
    ),
  'zero bytes': (line, at) => `${line.slice(0, at)}${'\0'.repeat(1 + at)}${line.slice(at)}`,
  'zero bytes alone': (_, at) => '\0'.repeat(1 + at),
  'too long': (line) => line + 'A'.repeat(MAX_LINE_BYTES),
  binary: (line) =>
    String.fromCharCode(...bytes(line).map((byte) => (byte * 7919) & 0x7f || 1)).replaceAll(/[\r\n]/g, 'x'),
};

const ENCODINGS: Readonly<Record<string, (text: string) => Uint8Array>> = {
  'UTF-8': bytes,
  'a mark': (text) => bytes(`\uFEFF${text}`),
  'UTF-16LE': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'UTF-16BE': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  gzip: (text) => gzipSync(text),
  members: (text) => {
    const half = text.length >> 1;
    return Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))]);
  },
};

const damaged = fc.array(
  fc.record({
    line: fc.nat(LOG.length - 1),
    damage: fc.constantFrom(...Object.keys(DAMAGES)),
    at: fc.nat(80),
  }),
  { maxLength: 5 },
);
const encoding = fc.constantFrom(...Object.keys(ENCODINGS));
const newline = fc.constantFrom('\n', '\r\n', '\r');
const chunkSize = fc.constantFrom(31, 300, 4096, 1_000_000);

/** Expects the entry of an undamaged line to hold what was written. */
function expectWritten(entry: LogEntry | undefined, { line, histogram, tag }: Written): void {
  if (line === '') expect(entry).toBeUndefined();
  if (histogram === undefined) return;
  if (entry?.kind !== 'interval') throw new Error(`${line} was read as ${entry?.kind}`);
  expect(entry.tag).toBe(tag);
  expect((entry.histogram() as Histogram).equals(histogram)).toBe(true);
}

/** Expects the entry of a damaged line to be readable, or to have an error that names its line. */
function expectInOrder(entry: LogEntry): void {
  if (entry.kind === 'malformed') {
    expect(entry.error).toBeInstanceOf(HdrscopeError);
    expect(entry.error.message).toContain(`line ${entry.lineNumber}: `);
  } else if (entry.kind === 'interval') {
    try {
      entry.histogram();
    } catch (error) {
      expect(error).toMatchObject({ name: 'HdrscopeError', code: 'ERR_LOG_FORMAT' });
      expect((error as Error).message).toContain(`line ${entry.lineNumber}: `);
    }
  }
}

test('damaged lines do not change the entries of other lines', async () => {
  await fc.assert(
    fc.asyncProperty(damaged, encoding, newline, chunkSize, async (damages, name, end, size) => {
      const lines = LOG.map(({ line }) => line);
      for (const { line, damage, at } of damages) {
        lines[line] = (DAMAGES[damage] as Damage)(lines[line] as string, at);
      }
      const encoded = (ENCODINGS[name] as (text: string) => Uint8Array)(lines.join(end));
      const entries = await read(inChunks(encoded, size), { maxLineBytes: MAX_LINE_BYTES });

      const byLine = new Map(entries.map((entry) => [entry.lineNumber, entry]));
      expect(byLine.size).toBe(entries.length);
      for (const entry of entries) expectInOrder(entry);
      LOG.forEach((written, i) => {
        if (lines[i] === written.line) expectWritten(byLine.get(i + 1), written);
      });
    }),
    { numRuns: caseCount(25, 200) },
  );
});

test('a gzip stream that is cut short or has a wrong byte yields its readable lines, then a malformed entry', async () => {
  const whole = gzipSync(LOG.map(({ line }) => line).join('\n'), { level: 1 });
  const expected = LOG.length;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(whole.length - 1),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      chunkSize,
      async (at, flip, isCut, size) => {
        const broken = new Uint8Array(isCut ? whole.subarray(0, Math.max(2, at)) : whole);
        // The header and the padding bits before the checksum do not affect the text.
        const flipped = at < 10 || at === whole.length - 9 ? whole.length - 1 : at;
        if (!isCut) broken[flipped] = (broken[flipped] as number) ^ flip;
        const entries = await read(inChunks(broken, size));
        for (const entry of entries) expectInOrder(entry);
        expect(entries.at(-1)?.kind).toBe('malformed');
        if (!isCut) return;
        for (const entry of entries.slice(0, -2)) {
          expect(entry.lineNumber).toBeLessThanOrEqual(expected);
          expectWritten(entry, LOG[entry.lineNumber - 1] as Written);
        }
      },
    ),
    { numRuns: caseCount(25, 200) },
  );
});

test('arbitrary bytes are read to their end', async () => {
  const start = fc.constantFrom(
    '',
    '\u001f\u008b',
    '\u001f\u008b\b',
    '\u00ff\u00fe',
    '\u00fe\u00ff',
    '#[StartTime: ',
    'Tag=',
  );
  await fc.assert(
    fc.asyncProperty(start, fc.uint8Array({ maxLength: 300 }), chunkSize, async (begin, rest, size) => {
      const whole = Buffer.concat([Buffer.from(begin, 'latin1'), rest]);
      for (const entry of await read(inChunks(whole, size), { maxLineBytes: 100 })) expectInOrder(entry);
    }),
    { numRuns: caseCount(80, 1000) },
  );
});

test('a line of 10 MB is dropped, and the next one is read', async () => {
  const [{ line }] = INTERVALS as [Written];
  const log = bytes(`${line}\n#${'x'.repeat(10_000_000)}\n${line}\n`);
  for (const source of [[log], inChunks(log, 65_536), gzipSync(log)]) {
    const entries = await read(source, { maxLineBytes: 100_000 });
    expect(entries.map(({ kind, lineNumber }) => [kind, lineNumber])).toEqual([
      ['interval', 1],
      ['malformed', 2],
      ['interval', 3],
    ]);
  }
});

describe('memory does not grow with the log', () => {
  const MB = 2 ** 20;
  const BOUND_BYTES = 24 * MB;

  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heldBytes = (): number => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };

  function* streamOf(chunk: Uint8Array, streamBytes: number): Generator<Uint8Array> {
    for (let given = 0; given < streamBytes; given += chunk.length) yield chunk;
  }

  test.each<[string, number, Uint8Array]>([
    ['60 MB without a newline', 60, bytes('x'.repeat(MB / 4))],
    ['10 MB of ordinary lines', 10, bytes(`${INTERVALS.map(({ line }) => line).join('\n')}\n`.repeat(100))],
    ['1 MB of lines of two bytes', 1, bytes('#\n'.repeat(MB / 16))],
    ['gzip of 50 MB without a newline', 0.05, gzipSync('x'.repeat(MB))],
  ])('%s', async (_, megabytes, chunk) => {
    const before = heldBytes();
    let [given, most, measured] = [0, 0, 0];
    const onBytes = (count: number): void => {
      given += count;
      if (given / (megabytes * MB) < measured / 5) return;
      measured++;
      most = Math.max(most, heldBytes());
    };
    const source = streamOf(chunk, megabytes * MB);
    for await (const _entry of readEntries(source, { maxLineBytes: MB, onBytes }));
    expect(given).toBeGreaterThanOrEqual(megabytes * MB);
    expect(measured).toBeGreaterThanOrEqual(5);
    expect(most - before).toBeLessThan(BOUND_BYTES);
  });
});
