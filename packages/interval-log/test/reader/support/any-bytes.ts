import { gzipSync } from 'node:zlib';
import { HdrscopeError } from '@hdrscope/core';
import {
  convertToV2,
  ingestLog,
  mergeLogs,
  parseSeriesTag,
  readEntries,
  readHistograms,
  readIntervals,
  reintervalLog,
  sliceLog,
  summarizeLogs,
} from '@hdrscope/interval-log';
import { decodeIntervals } from '@hdrscope/interval-log/internal';
import { recogniseText } from '@hdrscope/interval-log/parser';
import { createRegistry } from '@hdrscope/registry';
import fc from 'fast-check';
import { ENCODED, logOf } from '../../support/logs.ts';
import { bytes, inChunks } from '../../support/read.ts';

/** Parts of logs, and what resembles them. */
const PARTS = [
  '#[StartTime: ',
  '#[BaseTime: ',
  '#[Family: {"name":"a","unit":"s","resolution":1e-9,"significantDigits":3,"description":""}]\n',
  '#[Family: {"name":7,"tagAttributes":{"__proto__":1}}]\n',
  '#[Family: [[[[]]]]]\n',
  '"StartTimestamp","Interval_Length"\n',
  'Tag=',
  'Tag=a?b=1,',
  '1.5,1,2,',
  '9e12,1,1,',
  '-1e300,NaN,Infinity,',
  '1e-320,.5,5.,',
  `${ENCODED}`,
  ENCODED.slice(0, 30),
  'HISTFAAA',
  'DHISTAAAA',
  ENCODED.replace('HIST', 'DHIST'),
  ',',
  ' ',
  '\n',
  '\r\n',
  '\0',
  '\uFEFF',
  '\u2028',
  '\x1b[31m',
  '\ud800',
  '0'.repeat(300),
  '9'.repeat(300),
  '%',
  '=&?',
  logOf(2),
];

const text = fc.array(
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PARTS) }, { weight: 1, arbitrary: fc.string() }),
  { maxLength: 40 },
);
const encoding = fc.constantFrom<(text: string) => Uint8Array>(
  bytes,
  (log) => gzipSync(log),
  (log) => gzipSync(log).subarray(0, -9),
  (log) => Buffer.from(`\uFEFF${log}`, 'utf16le'),
);
const anyLog = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(text, encoding).map(([parts, encode]) => encode(parts.join(''))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 2000 }) },
);
const chunkBytes = fc.constantFrom(1, 7, 300, 2 ** 20);

type Source = Iterable<Uint8Array>;

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

const onMalformed = ({ error }: { readonly error: unknown }): void => {
  if (!(error instanceof HdrscopeError)) throw error;
};

const READERS: Readonly<Record<string, (log: Source) => Promise<unknown>>> = {
  readEntries: async (log) => {
    for await (const entry of readEntries(log, { maxLineBytes: 5000 })) {
      if (entry.kind === 'malformed') onMalformed(entry);
    }
  },
  'readIntervals in strict time': (log) => drain(readIntervals(log, { onMalformed, time: 'strict' })),
  'readIntervals in plain time': (log) => drain(readIntervals(log, { time: 'plain' })),
  summarizeLogs: (log) => summarizeLogs([log], { onMalformed, maxTags: 3 }),
  mergeLogs: (log) => drain(mergeLogs([log, [...log]], { onMalformed })),
  sliceLog: (log) => drain(sliceLog(log, { onMalformed, since: { offsetSec: 1 } })),
  reintervalLog: (log) => drain(reintervalLog(log, { onMalformed, lengthSec: 60 })),
  convertToV2: (log) => drain(convertToV2(log, { onMalformed })),
  decodeIntervals: (log) => drain(decodeIntervals(log, { onMalformed, storage: 'sparse' })),
  readHistograms: (log) => drain(readHistograms(log)),
  ingestLog: (log) =>
    ingestLog(createRegistry(), log, {
      seriesOf: ({ tag }) => ({
        family: { name: 'f', unit: 's', resolution: 1e-9, significantDigits: 3 },
        attributes: { tag },
      }),
    }),
};

/** Describes what readers do with bytes that resemble a log, in so many cases of each reader. */
export function describeAnyBytes(cases: number): void {
  describe('any bytes give results or an HdrscopeError, in bounded time', () => {
    test.each(Object.keys(READERS))('%s', async (name) => {
      await fc.assert(
        fc.asyncProperty(anyLog, chunkBytes, async (log, size) => {
          const start = process.cpuUsage();
          try {
            // An array, because some operations read twice.
            await READERS[name]!([...inChunks(log, size)]);
          } catch (error) {
            if (!(error instanceof HdrscopeError && error.code.startsWith('ERR_'))) throw error;
          }
          const { user, system } = process.cpuUsage(start);
          // About a millisecond.
          if (user + system > 5e6) throw new Error(`the reader took ${user + system} µs`);
        }),
        { numRuns: cases },
      );
    });

    test('recogniseText and parseSeriesTag', () => {
      fc.assert(
        fc.property(text, (parts) => {
          const whole = parts.join('');
          recogniseText(whole);
          try {
            parseSeriesTag(whole);
          } catch (error) {
            if (!(error instanceof HdrscopeError)) throw error;
          }
        }),
        { numRuns: 7 * cases },
      );
    });
  });
}
