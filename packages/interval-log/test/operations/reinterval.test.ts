import { reintervalLog } from '@hdrscope/interval-log';
import fc from 'fast-check';
import { bytes } from '../support/read.ts';
import { anyIntervals, intervalsOf, logOf, logText, milliseconds, textOf, totalsOf } from './support/logs.ts';

const BASE = 1_500_000_000; // a full minute

test('keeps counts, and extends each interval from its first part to its last', async () => {
  const headers = [{}, { start: BASE }, { start: BASE + 0.123, base: BASE }];
  await fc.assert(
    fc.asyncProperty(
      anyIntervals,
      fc.constantFrom(...headers),
      fc.constantFrom(0.5, 10, 60),
      async (intervals, times, lengthSec) => {
        const text = logText(intervals, times);
        const longer = await intervalsOf(await textOf(reintervalLog(bytes(text), { lengthSec })));
        const parts = await intervalsOf(text);

        expect(totalsOf(longer)).toEqual(totalsOf(parts));
        const windowOf = ({ startSec }: { startSec: number }): number =>
          Math.floor(milliseconds(startSec) / (lengthSec * 1000));
        const names = longer.map((interval) => `${interval.tag} ${windowOf(interval)}`);
        expect(new Set(names).size).toBe(names.length);
        for (const [at, name] of names.entries()) {
          const own = parts.filter((part) => `${part.tag} ${windowOf(part)}` === name);
          const { startSec, endSec } = longer[at]!;
          expect(milliseconds(startSec)).toBe(Math.min(...own.map((part) => milliseconds(part.startSec))));
          expect(milliseconds(endSec)).toBe(Math.max(...own.map((part) => milliseconds(part.endSec))));
        }
        const starts = longer.map((interval) => milliseconds(interval.startSec));
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 60 },
  );
});

test('intervals begin at full minutes, and one that straddles a minute counts where it starts', async () => {
  const log = logOf(
    [50, 59.5, 60, 119].map((at) => ({ at, values: [at] })),
    { start: BASE, base: BASE },
  );
  const text = await textOf(reintervalLog(log, { lengthSec: 60 }));
  expect(text.split('\n').slice(1, 3)).toEqual([
    '#[StartTime: 1500000000.000 (seconds since epoch), Fri Jul 14 02:40:00 UTC 2017]',
    '#[BaseTime: 1500000000.000 (seconds since epoch)]',
  ]);
  expect((await intervalsOf(text)).map((one) => [one.offsetSec, one.lengthSec, one.writtenMax])).toEqual([
    [50, 10.5, 59],
    [60, 60, 119],
  ]);
});

test('rounding of doubles does not move an interval before a full moment', async () => {
  // 1441812279.474 + 0.526 is 1441812279.9999998 or so.
  const log = logOf(
    [0.526, 1.526].map((at) => ({ at, values: [1] })),
    { start: 1441812279.474, base: 1441812279.474 },
  );
  const text = await textOf(reintervalLog(log, { lengthSec: 2 }));
  expect(await intervalsOf(text)).toHaveLength(1);
});

test('reports an interval that comes too late, and keeps it', async () => {
  const lines: number[] = [];
  const log = logOf([1, 11, 2].map((at) => ({ at, values: [at] })));
  const text = await textOf(
    reintervalLog(log, { lengthSec: 10, onOutOfOrder: ({ lineNumber }) => lines.push(lineNumber) }),
  );
  expect(lines).toEqual([3]);
  expect((await intervalsOf(text)).map(({ startSec }) => startSec)).toEqual([1, 11, 2]);
});

test('refuses a length of 0', async () => {
  await expect(textOf(reintervalLog(bytes(''), { lengthSec: 0 }))).rejects.toThrow(
    'lengthSec must be a finite number above 0, got 0',
  );
});
