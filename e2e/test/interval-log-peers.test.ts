import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Histogram } from '@hdrscope/core';
import { IntervalLogWriter, readEntries, readIntervals } from '@hdrscope/interval-log';
import { describeWithPeers, type PeerName, programOf } from '@hdrscope/testing';

const HIGHEST = 3_600_000_000_000;
const BASE_TIME_MS = 1_790_000_000_000;
const PERCENTILES = [50, 90, 99, 99.9];

/** An interval in the input format of a log peer: see tools/peers/README.md. */
interface Interval {
  readonly tag: string | undefined;
  readonly startTimeMs: number;
  readonly endTimeMs: number;
  readonly significantDigits: number;
  readonly values: readonly number[];
}

/**
 * With a thousand values, ranks of a thousandth are whole numbers, so all implementations agree. Implementations round
 * fractional ranks differently: some up, some to the nearest.
 */
function intervals({ tags }: { readonly tags: readonly (string | undefined)[] }): Interval[] {
  let state = 20_261_121;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: 24 }, (_, index) => ({
    tag: tags[index % tags.length],
    startTimeMs: BASE_TIME_MS + index * 1000,
    endTimeMs: BASE_TIME_MS + (index + 1) * 1000,
    significantDigits: 1 + (index % 4),
    // From a nanosecond to most of an hour, with evenly spread logarithms.
    values: Array.from({ length: 1000 }, () => Math.floor(HIGHEST ** random())),
  }));
}

function histogramOf({ tag, startTimeMs, endTimeMs, significantDigits, values }: Interval): Histogram {
  const histogram = new Histogram({ highestTrackableValue: HIGHEST, significantDigits });
  histogram.recordValues(Float64Array.from(values));
  [histogram.tag, histogram.startTimeMs, histogram.endTimeMs] = [tag, startTimeMs, endTimeMs];
  return histogram;
}

/** A line as a log peer prints it. */
function asRead(histogram: Histogram): string {
  const { tag = '-', startTimeMs, endTimeMs, totalCount, max } = histogram;
  const values = histogram.valuesAtPercentiles(PERCENTILES);
  return [tag, startTimeMs, endTimeMs, totalCount, ...values, max].join('\t');
}

function asSpecified({ tag = '-', startTimeMs, endTimeMs, significantDigits, values }: Interval): string {
  return `${[tag, startTimeMs, endTimeMs, significantDigits, HIGHEST, values.join(' ')].join('\t')}\n`;
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hdrscope-log-peers-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe.each<{ peer: PeerName; writesTags: boolean }>([
  { peer: 'log-go', writesTags: true },
  { peer: 'log-rust', writesTags: true },
  { peer: 'log-python', writesTags: false },
])('$peer', ({ peer, writesTags }) => {
  describeWithPeers([peer])('interval logs', () => {
    test('it reads the times, tags, totals and percentiles that we write', () => {
      const ours = intervals({ tags: [undefined, 'get', '/a=b;c'] });
      const lines: string[] = [];
      const writer = new IntervalLogWriter((line) => lines.push(line), {
        baseTimeMs: BASE_TIME_MS,
        timeZone: 'UTC',
      });
      writer.comment('written by hdrscope');
      writer.formatVersion();
      writer.startTime(BASE_TIME_MS);
      writer.baseTime();
      writer.legend();
      const histograms = ours.map(histogramOf);
      for (const histogram of histograms) writer.interval(histogram);
      const file = join(folder, 'ours.hlog');
      writeFileSync(file, lines.join(''));

      const read = execFileSync(programOf(peer), ['read', file], { encoding: 'utf8' });

      expect(read.trim().split('\n')).toEqual(histograms.map(asRead));
    });

    test('we read the times, tags, totals and percentiles that it writes', async () => {
      const theirs = intervals({ tags: writesTags ? [undefined, 'get', '/a=b;c'] : [undefined] });
      const file = join(folder, 'theirs.hlog');
      execFileSync(programOf(peer), ['write', file], { input: theirs.map(asSpecified).join('') });

      const read: string[] = [];
      for await (const interval of readIntervals(file)) read.push(asRead(interval.histogram() as Histogram));
      const kinds = new Set<string>();
      for await (const { kind } of readEntries(file, { time: 'strict' })) kinds.add(kind);

      expect(read).toEqual(theirs.map((interval) => asRead(histogramOf(interval))));
      expect(kinds).not.toContain('malformed');
    });
  });
});
