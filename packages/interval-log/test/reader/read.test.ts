import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { describeUnless, lackOfShared, sharedPath } from '@hdrscope/testing';
import type { LogInterval } from '../../src/reader/entry.ts';
import { type ReadIntervalsOptions, readIntervals } from '../../src/reader/read.ts';
import { ENCODED } from '../support/logs.ts';
import { all, bytes } from '../support/read.ts';

const LOG = bytes(
  [
    '#[StartTime: 1000 (seconds since epoch)]',
    '#[BaseTime: 1000 (seconds since epoch)]',
    `0,1,0,${ENCODED}`,
    `Tag=get,1,1,0,${ENCODED}`,
    `Tag=put,2,1,0,${ENCODED}`,
    `Tag=,3,1,0,${ENCODED}`,
    `4.5,1,0,${ENCODED}`,
  ].join('\n'),
);

async function startsOf(options: ReadIntervalsOptions): Promise<number[]> {
  return (await all(readIntervals(LOG, options))).map(({ timestampSec }) => timestampSec);
}

test.each<[string, ReadIntervalsOptions, number[]]>([
  ['all', {}, [0, 1, 2, 3, 4.5]],
  ['with a tag', { tags: ['get'] }, [1]],
  ['with one of several tags', { tags: new Set(['get', 'put']) }, [1, 2]],
  ['without a tag', { tags: [undefined] }, [0, 4.5]],
  ['with an empty tag', { tags: [''] }, [3]],
  ['with a tag of an empty list', { tags: [] }, []],
  ['from a second on, inclusive', { since: { offsetSec: 2 } }, [2, 3, 4.5]],
  ['before a second', { until: { offsetSec: 2 } }, [0, 1]],
  ['from a time on, inclusive', { since: { epochSec: 1001 } }, [1, 2, 3, 4.5]],
  ['before a time', { until: { epochSec: 1004.5 } }, [0, 1, 2, 3]],
  ['before a time just after one', { until: { epochSec: 1004.501 } }, [0, 1, 2, 3, 4.5]],
  [
    'without a tag in a range',
    { tags: [undefined], since: { offsetSec: 1 }, until: { epochSec: 2000 } },
    [4.5],
  ],
])('intervals: %s', async (_, options, expected) => {
  expect(await startsOf(options)).toEqual(expected);
});

test('an absolute time with a fraction selects its interval', async () => {
  const log = bytes(`1441812279.601,1,0,${ENCODED}`);
  const options = { since: { epochSec: 1441812279.601 }, until: { epochSec: 1441812279.602 } };
  expect(await all(readIntervals(log, options))).toHaveLength(1);
});

describe('a malformed line', () => {
  const log = bytes(`1,1,0,${ENCODED}\nhalf a li\n2,1,0,${ENCODED}\n`);

  test('ends reading with its error', async () => {
    const seen: LogInterval[] = [];
    const reading = (async () => {
      for await (const interval of readIntervals(log)) seen.push(interval);
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'ERR_LOG_FORMAT',
      message: expect.stringMatching(/^line 2:/),
    });
    expect(seen).toHaveLength(1);
  });

  test('goes to onMalformed, and reading continues', async () => {
    const malformed: number[] = [];
    const onMalformed = ({ lineNumber }: { lineNumber: number }): void => void malformed.push(lineNumber);
    expect(await all(readIntervals(log, { onMalformed }))).toHaveLength(2);
    expect(malformed).toEqual([2]);
  });
});

test.each<[ReadIntervalsOptions, string]>([
  [{ since: { offsetSec: Number.NaN } }, 'since.offsetSec must be a number, got NaN'],
  [{ since: {} as never }, 'since must be a moment, { offsetSec } or { epochSec }, got an object'],
  [{ until: 'now' as never }, 'until must be a moment, { offsetSec } or { epochSec }, got "now"'],
  [{ tags: 'get' }, 'tags must be a list of tags, got "get"'],
])('options %j are refused at the first step', async (options, message) => {
  await expect(readIntervals(LOG, options).next()).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message,
  });
});

// The logs of HdrHistogram's own tests.
const LOGS = sharedPath('data/hlog/');

describeUnless(lackOfShared('data/hlog'))('totals are those of Java', () => {
  // Java HdrHistogram: file, seconds from and to, tag, then intervals, total, p50, p99, p99.9, maximum.
  test.each<[string, [number, number], string | undefined, number[]]>([
    ['jHiccup-2.0.7S.logV2', [0, 1e9], undefined, [62, 48761, 327935, 1427111935, 1745879039, 1796210687]],
    ['jHiccup-2.0.7S.logV2', [5, 20], undefined, [15, 11664, 360703, 1435500543, 1536163839, 1544552447]],
    ['jHiccup-2.0.7S.logV2', [40, 60], undefined, [20, 15830, 327935, 1636827135, 1779433471, 1796210687]],
    ['jHiccup-2.0.1.logV0', [0, 1e9], undefined, [81, 61256, 377087, 1099956223, 1510998015, 1569718271]],
    ['jHiccup-2.0.1.logV0', [20, 45], undefined, [25, 18492, 377087, 426239, 459007, 623103]],
    ['jHiccup-2.0.1.logV0', [46, 80], undefined, [34, 25439, 377087, 981991423, 1209008127, 1234173951]],
    ['tagged-Log.logV2', [0, 1e9], undefined, [21, 16145, 344319, 1385168895, 1536163839, 1544552447]],
    ['tagged-Log.logV2', [0, 1e9], 'A', [21, 16145, 344319, 1385168895, 1536163839, 1544552447]],
    ['bug-whitespace', [0, 1e9], 'bo-global-http', [1, 0, 0, 0, 0, 0]],
  ])('of %s from %j s, tag %s', async (name, [fromSec, toSec], tag, expected) => {
    const sum = new Histogram({ autoResize: true });
    const log = `${LOGS}${name}.hlog`;
    const intervals = await all(
      readIntervals(log, { since: { offsetSec: fromSec }, until: { offsetSec: toSec }, tags: [tag] }),
    );
    // Java includes an interval that starts at the end of the range. The totals are comparable because none does.
    expect((await all(readIntervals(log))).map(({ offsetSec }) => offsetSec)).not.toContain(toSec);
    for (const interval of intervals) interval.addTo(sum);
    const percentiles = sum.valuesAtPercentiles([50, 99, 99.9]);
    expect([intervals.length, sum.totalCount, ...percentiles, sum.max]).toEqual(expected);
  });

  test.each([
    ['jHiccup-2.0.7S.logV2', [1_441_812_279_601, 1_441_812_280_608], 301998],
    ['jHiccup-no-header-2.0.7S.logV2', [127, 1134], 301998],
    ['bug-whitespace', [1_527_510_686_313, 1_527_510_727_120], 0],
  ])('and the first interval of %s is at %j', async (name, times, mean) => {
    const [first] = await all(readIntervals(`${LOGS}${name}.hlog`));
    const histogram = first?.histogram();
    if (histogram === undefined || histogram instanceof DoubleHistogram)
      throw new Error('no histogram of integers');
    expect([histogram.startTimeMs, histogram.endTimeMs]).toEqual(times);
    expect(Math.floor(histogram.mean)).toBe(mean);
  });
});
