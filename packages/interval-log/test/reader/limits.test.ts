import { gzipSync } from 'node:zlib';
import { Histogram } from '@hdrscope/core';
import {
  formatInterval,
  mergeLogs,
  readEntries,
  readIntervals,
  reintervalLog,
  runProcessor,
  sliceLog,
  summarizeLogs,
} from '@hdrscope/interval-log';
import { readUtf8 } from '@hdrscope/interval-log/internal';
import { all, bytes, read } from '../support/read.ts';

const MB = 2 ** 20;
const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
histogram.record(7);
const LINE = formatInterval(histogram, { startSec: 1, endSec: 2 });

function tagged(count: number): Uint8Array {
  return bytes(Array.from({ length: count }, (_, n) => `Tag=t${n},${LINE}`).join(''));
}

/** The turns of the event loop during a work. A busy machine makes them no fewer, because the length of a turn is limited in time. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const look = (): void => {
    turns++;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  return turns;
}

describe('a log of malformed lines', () => {
  const onMalformed = (): void => {};

  test('has an error for each line that is allowed, and the number is an option', async () => {
    const entries: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const entry of readEntries(bytes('x\n'.repeat(5000)), { maxMalformed: 3000 })) {
        entries.push(entry.kind === 'malformed' ? entry.error.message : '');
      }
    };
    const { stackTraceLimit } = Error;
    await expect(reading()).rejects.toThrow(
      'a log must have at most 3000 malformed lines, and line 3001 is another one: choose an interval log, or set maxMalformed',
    );
    expect(entries).toHaveLength(3000);
    expect(entries[2999]).toMatch(/^line 3000: an interval must be .* got 1 fields in "x"$/);
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
    expect(await read(bytes('x\n'.repeat(5)), { maxMalformed: Number.POSITIVE_INFINITY })).toHaveLength(5);
  });

  test.each<[string, (log: Uint8Array) => Promise<unknown>]>([
    ['mergeLogs', (log) => all(mergeLogs([log], { onMalformed, maxMalformed: 9 }))],
    ['sliceLog', (log) => all(sliceLog(log, { onMalformed, maxMalformed: 9 }))],
    ['readIntervals', (log) => all(readIntervals(log, { onMalformed, maxMalformed: 9 }))],
  ])('ends %s too', async (_, run) => {
    await expect(run(bytes('x\n'.repeat(10)))).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
    await expect(run(bytes('x\n'.repeat(9)))).resolves.toBeDefined();
  });

  test.each([0, 1.5, Number.NaN])('is refused with a limit of %d', async (maxMalformed) => {
    await expect(read(bytes('x'), { maxMalformed })).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
  });
});

describe('a compressed log', () => {
  test('has at most 250 times its bytes, or 64 MiB', async () => {
    const log = gzipSync(Buffer.alloc(65 * MB, '#\n'));
    let taken = 0;
    const reading = async (): Promise<void> => {
      for await (const chunk of readUtf8(log)) taken += chunk.length;
    };
    await expect(reading()).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
      details: { limit: 'maxInflatedBytes', most: 64 * MB },
    });
    expect(taken).toBeLessThanOrEqual(64 * MB);
    expect(taken).toBeGreaterThan(32 * MB);
  });

  test('may have as many as the option says', async () => {
    const log = gzipSync(LINE.repeat(100));
    const maxInflatedBytes = LINE.length * 100;
    expect(await read(log, { maxInflatedBytes })).toHaveLength(100);
    await expect(read(log, { maxInflatedBytes: maxInflatedBytes - 1 })).rejects.toThrow(
      /^the decompressed text must have at most \d+ bytes, and has more after \d+ compressed bytes: decompress the file first, or set maxInflatedBytes$/,
    );
  });
});

describe('a log of many tags', () => {
  test('ends with an error after 10,000, within bounded memory', async () => {
    const log = tagged(11_000);
    const before = process.memoryUsage().rss;
    await expect(summarizeLogs([log])).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
      message: 'a log must have at most 10000 tags, and has more: select some, or set maxTags',
      details: { what: 'tags', limit: 'maxTags', most: 10_000 },
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(600 * MB);
  });

  test('may have as many as the option says, and the sums are those of few tags', async () => {
    const { tags } = await summarizeLogs([tagged(10_001), tagged(10_001)], { maxTags: 10_001 });
    expect(tags).toHaveLength(10_001);
    expect(new Set(tags.map(({ histogram }) => histogram.totalCount))).toEqual(new Set([2]));
    expect(new Set(tags.map(({ histogram }) => histogram.max))).toEqual(new Set([7]));
  });

  test('is limited in longer intervals, each for itself, and in a list of tags', async () => {
    const reintervaled = (count: number): Promise<string[]> =>
      all(reintervalLog(tagged(count), { lengthSec: 60, maxTags: 5 }));
    expect(await reintervaled(5)).toHaveLength(6);
    await expect(reintervaled(6)).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
    let printed = '';
    const output = {
      write: (text: string): void => {
        printed += text;
      },
    };
    const io = { stdin: tagged(10_001), stdout: output, stderr: output, files: {} as never };
    expect(await runProcessor(['-listtags'], io)).toBe(1);
    expect(printed).toContain('a log must have at most 10000 tags');
  });

  test('takes no more memory than 1 GiB, however large the layouts are', async () => {
    const wide = new Histogram({ highestTrackableValue: 2 ** 50, significantDigits: 5 });
    wide.record(7);
    const line = formatInterval(wide, { startSec: 1, endSec: 2 });
    // Dense histograms of this layout would take more than 1 GiB.
    const log = bytes(Array.from({ length: 300 }, (_, n) => `Tag=t${n},${line}`).join(''));
    const before = process.memoryUsage().rss;
    expect((await summarizeLogs([log])).tags).toHaveLength(300);
    expect(process.memoryUsage().rss - before).toBeLessThan(600 * MB);
  });
});

test.each<[string, (log: Uint8Array) => Promise<unknown>]>([
  [
    'readEntries',
    async (log) => {
      for await (const _ of readEntries(log));
    },
  ],
  [
    'readIntervals',
    async (log) => {
      for await (const _ of readIntervals(log));
    },
  ],
  ['summarizeLogs', (log) => summarizeLogs([log])],
  [
    'sliceLog',
    async (log) => {
      for await (const _ of sliceLog(log));
    },
  ],
  [
    'mergeLogs',
    async (log) => {
      for await (const _ of mergeLogs([log, log]));
    },
  ],
  [
    'reintervalLog',
    async (log) => {
      for await (const _ of reintervalLog(log, { lengthSec: 1 }));
    },
  ],
])('%s lets other work run, though the log is one chunk', async (_, run) => {
  const log = bytes(LINE.repeat(20_000));
  expect(await countTurns(() => run(log))).toBeGreaterThan(4);
});
