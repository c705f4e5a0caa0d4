import { sumLogs, summarizeLogs } from '@hdrscope/interval-log';
import { bytes } from '../support/read.ts';
import { intervalLine, logOf, logText } from './support/logs.ts';

test('adds up each tag, intervals without a tag first', async () => {
  const first = logOf(
    [
      { tag: 'put', at: 1, values: [5] },
      { tag: 'get', at: 1, values: [1, 2] },
      { at: 3, values: [7] },
    ],
    { start: 1_500_000_000, base: 1_500_000_000 },
  );
  const second = logOf([{ tag: 'get', at: 1_500_000_010, length: 2, values: [3] }], { start: 1_500_000_009 });

  const { startSec, tags } = await summarizeLogs([first, second]);

  expect(startSec).toBe(1_500_000_000);
  expect(
    tags.map(({ tag, intervals, startSec, endSec, histogram }) => [
      tag,
      intervals,
      startSec - 1_500_000_000,
      endSec - 1_500_000_000,
      histogram.totalCount,
      histogram.max,
    ]),
  ).toEqual([
    [undefined, 1, 3, 4, 1, 7],
    ['get', 2, 1, 12, 3, 3],
    ['put', 1, 1, 2, 1, 5],
  ]);
});

test('selects intervals from a moment on and before another', async () => {
  const log = logOf(
    [10, 11, 12, 13].map((at) => ({ at, values: [at] })),
    { start: 1_500_000_000, base: 1_500_000_000 },
  );
  const offsets = await sumLogs([log], { since: { offsetSec: 11 }, until: { offsetSec: 13 } });
  expect([offsets?.min, offsets?.max]).toEqual([11, 12]);
  const epoch = await sumLogs([log], { since: { epochSec: 1_500_000_012 } });
  expect([epoch?.min, epoch?.max]).toEqual([12, 13]);
});

test('leaves out malformed lines and undecodable histograms, and reports them', async () => {
  const text = `${logText([{ at: 1, values: [1] }])}nonsense\n2,1,0,HISTFAAAno\n${intervalLine({ at: 3, values: [2] })}`;
  const malformed: number[] = [];
  const source = bytes(text);
  const { tags } = await summarizeLogs([source], {
    onMalformed: ({ lineNumber }, where) => malformed.push(where === source ? lineNumber : Number.NaN),
  });
  expect(malformed).toEqual([2, 3]);
  expect(tags.map(({ intervals, histogram }) => [intervals, histogram.totalCount])).toEqual([[2, 2]]);
  await expect(summarizeLogs([source])).rejects.toThrow('line 2: an interval must be');
});

test('a log without intervals has no tags and no sum', async () => {
  expect(await summarizeLogs([bytes('#nothing\n')])).toEqual({ startSec: undefined, tags: [] });
  expect(await sumLogs([bytes('')])).toBeUndefined();
});

test('a tag begins at its earliest interval and ends at the latest, in whatever order they are', async () => {
  const log = logOf([
    { tag: 'get', at: 12, values: [1] },
    { tag: 'get', at: 10, values: [2] },
    { tag: 'get', at: 11, length: 5, values: [3] },
    { tag: 'get', at: 10.5, values: [4] },
  ]);
  const [tag] = (await summarizeLogs([log])).tags;
  expect([tag!.startSec, tag!.endSec]).toEqual([10, 16]);
});
