import { Histogram, HistogramSum } from '@hdrscope/core';
import { sumLogs, summarizeLogs } from '@hdrscope/interval-log';
import { readRun, readRunsByTag } from '@hdrscope/interval-log/internal';
import { formatInterval } from '../../src/writer/format.ts';

const bytesOf = (text: string): Uint8Array[] => [new TextEncoder().encode(text)];

/** Intervals of a second, each with its number as often as its number says. */
function logOf(starts: readonly number[], tag?: string): string {
  return starts
    .map((startSec, at) => {
      const histogram = new Histogram({ significantDigits: 3, highestTrackableValue: 1_000_000 });
      histogram.record(1000 + at, (at % 5) + 1);
      return formatInterval(histogram, { startSec, endSec: startSec + 1, ...(tag && { tag }) });
    })
    .join('');
}

const seconds = (count: number, step = 1): number[] => Array.from({ length: count }, (_, at) => at * step);

test.each([
  [
    'each interval is a stretch, also when it begins early or late',
    seconds(60).map((at) => at + 0.3 * Math.sin(at)),
    60,
  ],
  ['an hour has neighbours together', seconds(3600), 450],
  ['a gap has no stretch', [...seconds(30), ...seconds(30).map((at) => at + 1000)], 60],
  ['a clock that was set back goes on in earlier stretches', [...seconds(30), ...seconds(30)], 30],
])('%s', async (_, starts, count) => {
  const log = logOf(starts);
  const run = await readRun(bytesOf(log));
  expect(run!.stretches).toHaveLength(count);
  const sum = new HistogramSum();
  for (const stretch of run!.stretches) sum.add(stretch);
  const whole = (await sumLogs([bytesOf(log)])) as Histogram;
  expect((run!.values as Histogram).equals(whole)).toBe(true);
  expect(sum.toHistogram().equals(whole)).toBe(true);
});

test('stretches are in the order of time, and tags of one time share one', async () => {
  const log = `${logOf(seconds(40), 'get')}${logOf(seconds(40), 'put')}`;
  const { stretches } = (await readRun(bytesOf(log)))!;
  expect(stretches).toHaveLength(40);
  expect(stretches.map(({ min }) => min)).toEqual(seconds(40).map((at) => 1000 + at));
});

test('a log without intervals has no run', async () => {
  expect(await readRun(bytesOf('#nothing\n'))).toBeUndefined();
});

test('each tag has a run of its own, whose values are those of a summary', async () => {
  const log = `${logOf(seconds(40))}${logOf(seconds(20), 'put')}${logOf(seconds(30), 'get')}`;
  const { runs, areUntimed } = await readRunsByTag(bytesOf(log), { maxTags: 3 });
  const { tags } = await summarizeLogs([bytesOf(log)]);
  expect(areUntimed).toBe(false);
  expect(runs.map(({ tag }) => tag)).toEqual([undefined, 'get', 'put']);
  expect(runs.map(({ stretches }) => stretches.length)).toEqual([40, 30, 20]);
  for (const [at, { values }] of runs.entries())
    expect((values as Histogram).equals(tags[at]!.histogram as Histogram)).toBe(true);
  await expect(readRunsByTag(bytesOf(log), { maxTags: 2 })).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
});

test('tags whose stretches take too much memory have none, and their values stay', async () => {
  const log = `${logOf(seconds(40), 'get')}${logOf(seconds(40), 'put')}`;
  const { runs, areUntimed } = await readRunsByTag(bytesOf(log), {}, 1000);
  const { tags } = await summarizeLogs([bytesOf(log)]);
  expect(areUntimed).toBe(true);
  expect(runs.map(({ stretches }) => stretches)).toEqual([[], []]);
  for (const [at, { values }] of runs.entries())
    expect((values as Histogram).equals(tags[at]!.histogram as Histogram)).toBe(true);
});
