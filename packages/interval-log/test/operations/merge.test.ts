import { mergeLogs } from '@hdrscope/interval-log';
import fc from 'fast-check';
import { bytes } from '../support/read.ts';
import {
  anyIntervals,
  intervalLine,
  intervalsOf,
  logOf,
  logText,
  milliseconds,
  type Times,
  textOf,
  totalsOf,
} from './support/logs.ts';

const BASE = 1_500_000_000;
const anyTimes: fc.Arbitrary<Times> = fc
  .integer({ min: 0, max: 100_000 })
  .map((ms) => ({ start: BASE + ms / 1000, base: BASE + ms / 1000 }));

test('keeps the counts and times of all intervals, in the order of time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(anyIntervals, anyTimes), { maxLength: 4 }), async (logs) => {
      const texts = logs.map(([intervals, times]) => logText(intervals, times));
      const merged = await intervalsOf(await textOf(mergeLogs(texts.map(bytes))));
      const inputs = (await Promise.all(texts.map(intervalsOf))).flat();

      expect(totalsOf(merged)).toEqual(totalsOf(inputs));
      const moments = merged.map(({ startSec }) => milliseconds(startSec));
      expect(moments).toEqual(inputs.map(({ startSec }) => milliseconds(startSec)).sort((a, b) => a - b));
      const ends = ({ endSec }: { endSec: number }): number => milliseconds(endSec);
      expect(merged.map(ends).sort()).toEqual(inputs.map(ends).sort());
    }),
    { numRuns: 50 },
  );
});

test('copies lines if all logs have the same base time', async () => {
  const a = [1, 3].map((at) => intervalLine({ at: BASE + at, values: [at] }));
  const b = [2, 4].map((at) => intervalLine({ tag: 'b', at: BASE + at, values: [at] }));
  const text = await textOf(mergeLogs([bytes(a.join('')), bytes(`#[StartTime: ${BASE} x]\n${b.join('')}`)]));
  expect(text.split('\n').slice(0, 3)).toEqual([
    '#[Histogram log format version 1.3]',
    '#[StartTime: 1500000000.000 (seconds since epoch), Fri Jul 14 02:40:00 UTC 2017]',
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
  ]);
  expect(text.split('\n').slice(3).join('\n')).toBe([a[0], b[0], a[1], b[1]].join(''));
});

test('counts timestamps from the merged start if base times differ', async () => {
  const a = logOf([{ at: 1, values: [1] }], { start: BASE });
  const b = logOf([{ at: BASE + 0.25, values: [2] }]);
  const lines = (await textOf(mergeLogs([a, b]))).split('\n');
  expect(lines.slice(1, 3)).toEqual([
    '#[StartTime: 1500000000.000 (seconds since epoch), Fri Jul 14 02:40:00 UTC 2017]',
    '#[BaseTime: 1500000000.000 (seconds since epoch)]',
  ]);
  expect(lines.slice(4, 6).map((line) => line.split(',').slice(0, 3))).toEqual([
    ['0.250', '1.000', '2.000'],
    ['1.000', '1.000', '1.000'],
  ]);
});

test('reports an interval that is out of order in its own log, and keeps it', async () => {
  const log = logOf([3, 1, 2].map((at) => ({ at, values: [at] })));
  const lines: number[] = [];
  const text = await textOf(mergeLogs([log], { onOutOfOrder: ({ lineNumber }) => lines.push(lineNumber) }));
  expect(lines).toEqual([2]);
  expect((await intervalsOf(text)).map(({ startSec }) => startSec)).toEqual([3, 1, 2]);
});

test('refuses to merge a log without absolute times with one that has them', async () => {
  const dated = logOf([{ at: BASE, values: [] }]);
  const undated = logOf([{ at: 1, values: [] }]);
  await expect(textOf(mergeLogs([dated, undated]))).rejects.toThrow(
    'merged logs must all have absolute times or all lack them: log 1 has them, and log 2 does not. Add a line',
  );
  await expect(textOf(mergeLogs([undated, undated, dated]))).rejects.toMatchObject({
    message: expect.stringContaining('log 3 has them, and log 1 does not'),
    details: { dated: 'log 3', undated: 'log 1' },
  });
  const relative = await textOf(mergeLogs([undated, logOf([{ at: 0.5, values: [] }])]));
  expect((await intervalsOf(relative)).map(({ startSec }) => startSec)).toEqual([0.5, 1]);
});

test('continues after malformed lines, and merges no logs into an empty one', async () => {
  const malformed: number[] = [];
  const text = `nonsense\n${logText([{ at: 1, values: [1] }])}`;
  const merged = await textOf(
    mergeLogs([bytes(text), bytes('')], { onMalformed: ({ lineNumber }) => malformed.push(lineNumber) }),
  );
  expect(malformed).toEqual([1]);
  expect(await intervalsOf(merged)).toHaveLength(1);
  expect(await intervalsOf(await textOf(mergeLogs([])))).toEqual([]);
});
