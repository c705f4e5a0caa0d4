import type { TimeMode } from '../../src/reader/time.ts';
import { brief, entriesOf } from '../support/read.ts';

const YEAR_SEC = 365 * 24 * 3600;

type Placed = readonly [startSec: number, offsetSec: number] | string;

/** The starts of a log's intervals, and the error codes of its malformed lines. */
function timesOf(lines: readonly string[], time: TimeMode): Placed[] {
  return entriesOf(lines.join('\n'), { time }).flatMap((entry): Placed[] => {
    if (entry.kind === 'interval') return [[entry.startSec, entry.offsetSec]];
    return entry.kind === 'malformed' ? [entry.error.code] : [];
  });
}

function start(seconds: number): string {
  return `#[StartTime: ${seconds} (seconds since epoch), some day]`;
}

function base(seconds: number): string {
  return `#[BaseTime: ${seconds} (seconds since epoch)]`;
}

function at(seconds: number): string {
  return `${seconds},1.0,0.0,H`;
}

// A benchmark of two hours with a log for each hour. The process started at 1500000000, the benchmark at 1500000040.
const FIRST_HOUR = [start(1_500_000_040), base(1_500_000_040), at(60), at(3540)];
const SECOND_HOUR = [start(1_500_000_040), base(1_500_003_640), at(0), at(1020)];

describe.each(['java', 'plain', 'strict'] as const)('in mode %s', (time) => {
  test('timestamps count from the base time, and offsets from the start time', () => {
    expect(timesOf(FIRST_HOUR, time)).toEqual([
      [1_500_000_100, 60],
      [1_500_003_580, 3540],
    ]);
    // The 17th minute of the second hour is the 77th of the benchmark.
    expect(timesOf(SECOND_HOUR, time)).toEqual([
      [1_500_003_640, 3600],
      [1_500_004_660, 4620],
    ]);
  });

  test('timestamps count from 1970 in a log that states no time, and the first one is the start', () => {
    expect(timesOf([at(1_500_000_000), at(1_500_000_001)], time)).toEqual([
      [1_500_000_000, 0],
      [1_500_000_001, 1],
    ]);
  });

  test('timestamps close to the start time count from 1970', () => {
    expect(timesOf([start(1_500_000_000), at(1_500_000_001)], time)).toEqual([[1_500_000_001, 1]]);
  });
});

describe('a log of relative timestamps that states its start, but no base time', () => {
  const log = [start(1_441_812_279.474), at(0.127), at(1.134)];

  test('has timestamps that count from the start in java mode', () => {
    const [first, second] = timesOf(log, 'java') as [number, number][];
    expect(first).toEqual([1_441_812_279.601, expect.closeTo(0.127, 6)]);
    expect(second).toEqual([1_441_812_280.608, expect.closeTo(1.134, 6)]);
  });

  test('has timestamps that count from 1970 in plain mode', () => {
    expect(timesOf(log, 'plain')[0]).toEqual([0.127, 0.127 - 1_441_812_279.474]);
  });

  test('is malformed in strict mode', () => {
    expect(timesOf(log, 'strict')).toEqual(['ERR_LOG_TIME', 'ERR_LOG_TIME']);
    const [, entry] = entriesOf(log.join('\n'), { time: 'strict' });
    expect(entry).toMatchObject({
      error: { message: expect.stringMatching(/^line 2: .* must state a base time/) },
    });
  });
});

describe('java mode', () => {
  test.each([
    [
      'a year and a second before the start counts from it',
      at(2_000_000_000 - YEAR_SEC - 1),
      4_000_000_000 - YEAR_SEC - 1,
    ],
    [
      'exactly a year before the start counts from 1970',
      at(2_000_000_000 - YEAR_SEC),
      2_000_000_000 - YEAR_SEC,
    ],
    ['later than the start counts from 1970', at(2_000_000_001), 2_000_000_001],
  ])('decides that a timestamp %s', (_, line, startSec) => {
    expect(timesOf([start(2_000_000_000), line], 'java')).toEqual([[startSec, startSec - 2_000_000_000]]);
  });

  test('decides once what timestamps count from', () => {
    expect(timesOf([start(1_500_000_000), at(1), start(1_600_000_000), at(2)], 'java')).toEqual([
      [1_500_000_001, 1],
      [1_500_000_002, 1_500_000_002 - 1_600_000_000],
    ]);
    expect(timesOf([at(5), start(1_500_000_000), at(6)], 'java')).toEqual([
      [5, 0],
      [6, 6 - 1_500_000_000],
    ]);
  });

  test('takes the last of several start and base times', () => {
    expect(timesOf([start(1), start(1005), base(1), base(1000), at(1)], 'java')).toEqual([[1001, -4]]);
    expect(timesOf([base(1000), at(1), base(2000), at(1)], 'java')).toEqual([
      [1001, 1000],
      [2001, 2000],
    ]);
  });

  test('takes the first timestamp as the start, even if it is relative', () => {
    expect(timesOf([base(1000), at(5), at(6)], 'java')).toEqual([
      [1005, 1000],
      [1006, 1001],
    ]);
  });

  test.each([
    [[start(1000), at(1)], 1000],
    [[start(1_441_812_279.474), at(1)], 1_441_812_280_474],
    [[base(1000), start(1005), at(1)], 1_001_000],
  ])('places the interval of %j at %d ms', (lines, startTimeMs) => {
    const [interval] = entriesOf(lines.join('\n')).filter(({ kind }) => kind === 'interval');
    expect(interval).toMatchObject({ startTimeMs });
  });
});

test('in plain mode the first interval starts a log that states no start', () => {
  expect(timesOf([base(1000), at(5), at(6)], 'plain')).toEqual([
    [1005, 0],
    [1006, 1],
  ]);
});

describe('in strict mode it is malformed', () => {
  test.each([
    [
      'to state two starts',
      [start(1), start(2)],
      'line 2: the start time must be stated once, and an earlier line states 1',
    ],
    [
      'to state two base times',
      [base(1), base(2)],
      'line 2: the base time must be stated once, and an earlier line states 1',
    ],
    [
      'to state the start late',
      [at(1), start(1)],
      'line 2: the start time must stand before the first interval',
    ],
    [
      'to state the base time late',
      [at(1), base(1)],
      'line 2: the base time must stand before the first interval',
    ],
    [
      'to have a negative timestamp',
      [at(-1)],
      'line 1: timestamp and length must be at least 0, got -1 and 1',
    ],
    [
      'to have a negative length',
      ['1,-1,0,H'],
      'line 1: timestamp and length must be at least 0, got 1 and -1',
    ],
  ])('%s', (_, lines, message) => {
    const malformed = entriesOf(lines.join('\n'), { time: 'strict' }).filter(
      ({ kind }) => kind === 'malformed',
    );
    expect(malformed).toMatchObject([{ error: { code: 'ERR_LOG_TIME', message } }]);
  });

  test('and the lines after it are read as usual', () => {
    const lines = [start(100), start(200), at(101)];
    expect(entriesOf(lines.join('\n'), { time: 'strict' }).map(brief)).toEqual([
      '1 start-time 100',
      '2 ERR_LOG_TIME',
      '3 interval - 101 1 0 H',
    ]);
    expect(timesOf(lines, 'strict')[1]).toEqual([101, 1]);
  });
});

test('a mode that does not exist is refused', () => {
  expect(() => entriesOf('', { time: 'utc' as TimeMode })).toThrow(
    expect.objectContaining({
      code: 'ERR_INVALID_OPTION',
      message: `time must be 'java', 'plain' or 'strict', got "utc"`,
    }),
  );
});
