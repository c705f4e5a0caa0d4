import { gzipSync } from 'node:zlib';
import { Histogram } from '@hdrscope/core';
import { formatInterval, formatStartTime, type LogSummary, summarizeLogs } from '@hdrscope/interval-log';
import { type LogDivision, summarizeDividedLogs, summarizePart } from '@hdrscope/interval-log/internal';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { fillDisk, readBlob } from '../browser/disk.ts';
import { LogDivider, type OtherWorker } from '../browser/divide-log.ts';
import type { PartJob, PartResult } from '../browser/job.ts';

const NAME = 'service.hlog';

/** A worker in this thread. Messages to it and from it are copied, as those of other threads are. */
class NearWorker extends EventTarget {
  readonly jobs: number[] = [];
  isEnded = false;
  readonly #failsAt: number;

  /** @param failsAt The job at which the worker breaks down. */
  constructor(failsAt = Number.POSITIVE_INFINITY) {
    super();
    this.#failsAt = failsAt;
  }

  postMessage(job: PartJob): void {
    void this.#answer(job);
  }

  terminate(): void {
    this.isEnded = true;
  }

  async #answer({ part, blob, question }: PartJob): Promise<void> {
    this.jobs.push(part);
    const summary = await summarizePart(readBlob(blob), structuredClone(question), () => {});
    if (this.isEnded) return;
    if (this.jobs.length > this.#failsAt) {
      const error = new Event('error', { cancelable: true });
      // The page would hear of it otherwise, and give up.
      expect(this.dispatchEvent(error)).toBe(false);
      return;
    }
    const data = structuredClone({ part, summary } satisfies PartResult);
    this.dispatchEvent(Object.assign(new Event('message'), { data }));
  }
}

function makeDivider(cores: number, workers: NearWorker[], failsAt?: number): LogDivider {
  const start = (): OtherWorker => {
    const worker = new NearWorker(failsAt);
    workers.push(worker);
    return worker as unknown as OtherWorker;
  };
  return new LogDivider(cores, start, 300);
}

function describeSummary({ startSec, tags }: LogSummary, malformed: readonly string[]): object {
  return {
    ...{ startSec, malformed },
    tags: tags.map(({ sum, histogram, ...tag }) => ({
      ...tag,
      ...{ histogram: histogram.toBase64(), all: [...sum.intervals()] },
    })),
  };
}

function keepWhole(log: Uint8Array): LogDivision {
  return { parts: [log], begin: () => {}, take: async () => undefined, close: () => {} };
}

/** The summary of a dropped file, by one reader and by several. */
async function summarizeTwice(log: Uint8Array, divider: LogDivider): Promise<readonly [object, object]> {
  fillDisk(new Map([[NAME, new Blob([log as BlobPart])]]), () => {});
  const describeBy = async (divide: LogDivider['divide'] | undefined): Promise<object> => {
    const malformed: string[] = [];
    const onMalformed = ({ error }: { readonly error: Error }): void => void malformed.push(error.message);
    const summary =
      divide === undefined
        ? await summarizeLogs([log], { onMalformed })
        : await summarizeDividedLogs([NAME], { onMalformed }, async (source) => {
            // Without a division, the file would be one of Node.js.
            return (await divide(source)) ?? keepWhole(log);
          });
    return describeSummary(summary, malformed);
  };
  return [await describeBy(undefined), await describeBy(divider.divide)];
}

const line = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .record({
        tag: fc.constantFrom(undefined, 'get', 'put'),
        at: fc.nat(100),
        values: fc.array(fc.nat(9999), { maxLength: 9 }),
      })
      .map(({ tag, at, values }) => {
        const histogram = new Histogram({ highestTrackableValue: 10_000 });
        histogram.recordValues(values);
        return formatInterval(histogram, { tag, startSec: at, endSec: at + 1, valueScale: 1 });
      }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'nonsense\n',
      '\n',
      '1,2\r\n',
      '\u{1f642}\n',
      '\u001f\u008b,\n',
      '1,1,1,HISTFAAA\n',
    ),
  },
);

const anyLog = fc
  .tuple(fc.constantFrom('', formatStartTime(1.7e12, 'UTC')), fc.array(line, { maxLength: 60, size: 'max' }))
  .map(([head, lines]) => new TextEncoder().encode(head + lines.join('')));

test('several workers say of any log what one says, also when a worker breaks down', async () => {
  const workers: NearWorker[] = [];
  await fc.assert(
    fc.asyncProperty(
      anyLog,
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(undefined, 0, 1),
      async (log, cores, failsAt) => {
        const [one, several] = await summarizeTwice(log, makeDivider(cores, workers, failsAt));
        expect(several).toEqual(one);
      },
    ),
    { numRuns: caseCount(100, 3000) },
  );
  expect(workers.flatMap(({ jobs }) => jobs).length).toBeGreaterThan(50);
});

/** A log that is long enough for several parts. */
const LONG = Array.from({ length: 60 }, (_, at) => {
  const histogram = new Histogram({ highestTrackableValue: 10_000 });
  histogram.record(at);
  return formatInterval(histogram, { startSec: at, endSec: at + 1, valueScale: 1 });
}).join('');

test('workers take parts from the last one on, and work again for the next log', async () => {
  const workers: NearWorker[] = [];
  const divider = makeDivider(2, workers);
  for (let run = 0; run < 2; run++) {
    const [one, several] = await summarizeTwice(new TextEncoder().encode(LONG), divider);
    expect(several).toEqual(one);
  }
  expect(workers.length).toBe(1);
  const { jobs } = workers[0]!;
  expect(jobs[0]).toBe(Math.max(...jobs));
  expect(jobs.filter((part) => part === jobs[0]).length).toBe(2);
});

test('a worker whose part is of no use any more is ended', async () => {
  const workers: NearWorker[] = [];
  fillDisk(new Map([[NAME, new Blob([`${LONG}nonsense\n`])]]), () => {});
  const stop = new Error('stopped');
  const onBytes = (): void => {
    if (workers.length > 0) throw stop;
  };
  const { divide } = makeDivider(2, workers);
  await expect(summarizeDividedLogs([NAME], { onBytes }, divide)).rejects.toBe(stop);
  expect(workers.map(({ isEnded }) => isEnded)).toEqual([true]);
});

test.each([
  ['a short log', new TextEncoder().encode(LONG.slice(0, 500)), 2],
  ['a gzip file', gzipSync(LONG + Math.random()), 2],
  ['UTF-16', Buffer.from(LONG, 'utf16le'), 2],
  ['a log with other ends of lines', new TextEncoder().encode(LONG.replaceAll('\n', '\r')), 2],
  ['a machine of one core', new TextEncoder().encode(LONG), 1],
])('%s is not divided', async (_, log, cores) => {
  const workers: NearWorker[] = [];
  const [one, several] = await summarizeTwice(log, makeDivider(cores, workers));
  expect(several).toEqual(one);
  expect(workers).toEqual([]);
});
