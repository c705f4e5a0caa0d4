import { sliceLog } from '@hdrscope/interval-log';
import fc from 'fast-check';
import { bytes } from '../support/read.ts';
import { anyIntervals, intervalsOf, logText, milliseconds, textOf, totalsOf } from './support/logs.ts';

test('consecutive slices have every interval once, at its time', async () => {
  const headers = [{}, { start: 1_500_000_000 }, { start: 1_500_000_005, base: 1_500_000_000 }];
  await fc.assert(
    fc.asyncProperty(
      anyIntervals,
      fc.constantFrom(...headers),
      fc.integer({ min: 0, max: 200_000 }),
      async (intervals, times, cutMs) => {
        const text = logText(intervals, times);
        const cut = { offsetSec: cutMs / 1000 };
        const before = await intervalsOf(await textOf(sliceLog(bytes(text), { until: cut })));
        const after = await intervalsOf(await textOf(sliceLog(bytes(text), { since: cut })));
        const whole = await intervalsOf(text);

        const moments = (list: typeof whole): number[][] =>
          list.map(({ startSec, offsetSec }) => [milliseconds(startSec), milliseconds(offsetSec)]);
        expect([...moments(before), ...moments(after)]).toEqual(moments(whole));
        expect(totalsOf([...before, ...after])).toEqual(totalsOf(whole));
      },
    ),
    { numRuns: 100 },
  );
});

test('copies selected lines and all lines between intervals byte for byte', async () => {
  const [first, second, third] = [1, 2, 3].map((at) => logText([{ tag: `t${at}`, at, values: [at] }]));
  const head =
    '#[a comment]\n#[StartTime: 1000.0 (seconds since epoch), in some zone]\n"StartTimestamp","x"\n';
  const text = `${head}${first}# between\n\n${second}${third}`;
  expect(await textOf(sliceLog(bytes(text), { tags: ['t2', 't3'] }))).toBe(
    `${head}# between\n\n${second}${third}`,
  );
});

test('adds a start time if the first interval, which started the log, is left out', async () => {
  const text = logText([10, 20].map((at) => ({ at, values: [] })));
  const slice = await textOf(sliceLog(bytes(text), { since: { offsetSec: 5 } }));
  expect(slice.split('\n')[0]).toBe(
    '#[StartTime: 10.000 (seconds since epoch), Thu Jan 01 00:00:10 UTC 1970]',
  );
  expect((await intervalsOf(slice)).map(({ startSec, offsetSec }) => [startSec, offsetSec])).toEqual([
    [20, 10],
  ]);
});
