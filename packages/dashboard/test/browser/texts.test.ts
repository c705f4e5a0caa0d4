import { fileName } from '@hdrscope/page/download';
import type { TimePlot } from '@hdrscope/plot';
import { UTC } from '../../browser/clock.ts';
import { signedText } from '../../browser/comparison-table.ts';
import { objectiveText, readObjective } from '../../browser/objectives.ts';
import {
  historyText,
  leftOutText,
  pastProblemText,
  pastText,
  rateText,
  recordFactsText,
  refusalsText,
  shareText,
} from '../../browser/texts.ts';
import { timelineLines, valueScale } from '../../browser/timeline-drawing.ts';
import type { PastFacts } from '../../src/messages.ts';

test('rates have three digits, and thousands are separated', () => {
  expect([0, 0.1234, 12.345, 1234.5].map(rateText)).toEqual(['-', '0.123/s', '12.3/s', '1,235/s']);
});

test('refusals are counted by reason', () => {
  expect(refusalsText([])).toBe('');
  expect(
    refusalsText([
      ['token', 1200],
      ['host', 3],
    ]),
  ).toBe('This server has refused 1,200 (token), 3 (host)');
});

test('the history says how long it is, how fine, and how large', () => {
  const facts = {
    ...{ range: { fromMs: 0, toMs: 7_800_400 }, intervals: 500, finestMs: 1004, coarsestMs: 60_020 },
    ...{ bytes: 48.4 * 2 ** 20, mostBytes: 64 * 2 ** 20 },
    ...{ gaps: [], gapCount: 0, gapMs: 0 },
  };
  expect(historyText(facts)).toBe(
    'The server remembers 2 h 10 min in intervals of 1 s to 1 min: 48 of 64 MiB',
  );
  const even = { ...facts, coarsestMs: 1001, bytes: 150_000 };
  expect(historyText(even)).toBe('The server remembers 2 h 10 min in intervals of 1 s: 0.2 of 64 MiB');
  expect(historyText({ ...facts, intervals: 0 })).toBe('');
  expect(recordFactsText(facts)).toBe('The record has intervals of 1 s or longer: 48 of 64 MiB');
  expect(recordFactsText({ ...facts, intervals: 0 })).toBe('');
});

describe('what a restart leaves', () => {
  const AT_MS = Date.UTC(2026, 10, 29, 2, 15, 30);
  const history = {
    ...{ range: { fromMs: AT_MS, toMs: AT_MS + 600_000 }, intervals: 500, finestMs: 1000, coarsestMs: 1000 },
    ...{ bytes: 2 ** 20, mostBytes: 2 ** 26, gaps: [], gapCount: 0, gapMs: 0 },
  };
  const past: PastFacts = {
    ...{ isKept: true, everyMs: 10_000, writtenMs: AT_MS + 590_000, bytes: 12 * 2 ** 20 },
    ...{ problem: null, failingSinceMs: null, earlier: null },
  };
  const whole = { damagedBytes: 0, misplacedIntervals: 0, namelessCounts: 0 };

  test.each([
    [
      'in memory',
      { ...past, isKept: false },
      {},
      'It remembers since 2026-11-29 02:15:30. It has this in memory only: a restart forgets it.',
    ],
    [
      'in a folder',
      past,
      {},
      'It remembers since 2026-11-29 02:15:30. A folder keeps this over restarts, up to 2026-11-29 02:25:20 now (12 MiB). It is written every 10 s or so: a server that is killed loses what came later.',
    ],
    [
      'after a stop',
      { ...past, writtenMs: null, earlier: { ...whole, endMs: AT_MS + 60_000, isWhole: true } },
      { gaps: [{ fromMs: AT_MS + 60_000, toMs: AT_MS + 62_000 }], gapCount: 1, gapMs: 2000 },
      'It remembers since 2026-11-29 02:15:30. A folder keeps this over restarts. It is written every 10 s or so: a server that is killed loses what came later. What an earlier server remembered ends at 2026-11-29 02:16:30, when it was stopped. Nothing is known of 02:16:30 – 02:16:32 (2 s).',
    ],
    [
      'after a kill, with damage',
      {
        ...past,
        earlier: {
          ...{ endMs: AT_MS + 60_000, isWhole: false, damagedBytes: 1234, misplacedIntervals: 2 },
          namelessCounts: 5,
        },
      },
      { gaps: [{ fromMs: AT_MS, toMs: AT_MS + 62_000 }], gapCount: 3, gapMs: 99_000 },
      'What an earlier server remembered ends at 2026-11-29 02:16:30: what it counted later is lost. 1,234 bytes of the folder were damaged or cut, and are left out. 2 intervals are left out: the clock was set back since. 5 counts are left out: the names of their series were damaged. Nothing is known of 3 gaps, the last one 02:15:30 – 02:16:32 (1 min 2 s).',
    ],
  ])('%s', (_, facts, more, text) => {
    expect(pastText({ ...history, ...more }, facts, UTC)).toContain(text);
  });

  test('a gap is no remembered time', () => {
    expect(historyText({ ...history, gapMs: 60_000 })).toMatch(/^The server remembers 9 min in/);
  });

  test('a folder that fails has a reason, and since when', () => {
    expect(pastProblemText(past, UTC)).toBe('');
    const problem = 'the history cannot be written to /page: ENOSPC';
    expect(pastProblemText({ ...past, problem, failingSinceMs: AT_MS }, UTC)).toBe(
      `${problem}, nothing is written since 2026-11-29 02:15:30. The page goes on in memory.`,
    );
  });
});

test.each([
  [null, 'no values'],
  [{ lower: 1, upper: 1 }, '100 %'],
  [{ lower: 0, upper: 0 }, '0 %'],
  [{ lower: 0.9987, upper: 0.9991 }, '99.87 – 99.91 %'],
  // It is not all of them.
  [{ lower: 0.9999999, upper: 0.9999999 }, '99.99999 %'],
  [{ lower: 0.5, upper: 0.5 }, '50 %'],
  // It is not nothing.
  [{ lower: 0.00001, upper: 0.00012 }, '0.001 – 0.012 %'],
  [{ lower: 1e-12, upper: 1e-12 }, '0.0000000001 %'],
] as const)('the share %j is %s', (share, text) => {
  expect(shareText(share)).toBe(text);
});

test('an objective is read, or a sentence says what is wrong', () => {
  const family = { name: 'rpc.duration', counted: 's' } as const;
  expect(readObjective('p99.9 = 250ms', family)).toEqual({ percentile: 99.9, value: '250ms' });
  expect(readObjective('250ms', family)).toBe(
    '"250ms" cannot be read. Write a percentile and the largest value it may have, such as p99.9=250ms.',
  );
  expect(readObjective('p99=4KiB', family)).toBe(
    '4KiB does not suit rpc.duration, which counts times. Write p99.9=250ms, for example.',
  );
  expect(readObjective('p99=4', { name: 'size', counted: 'bytes' })).toMatch(/counts sizes/);
  expect(readObjective('p99=4', { name: 'length', counted: 'none' })).toEqual({ percentile: 99, value: '4' });
  expect(objectiveText({ percentile: 99.9, value: '250ms' })).toBe('p99.9=250ms');
});

test('a difference has its sign', () => {
  expect([0.012, -0.5, 0].map((value) => signedText(value, 's'))).toEqual(['+12 ms', '−500 ms', '0']);
});

test('files have names that every system takes', () => {
  expect(fileName('rpc method=get, route=/a/../b Percentiles', 'png')).toBe(
    'rpc-method-get-route-a-..-b-Percentiles.png',
  );
  expect(fileName('…', 'svg')).toBe('chart.svg');
});

describe('the timeline', () => {
  const plot: TimePlot = {
    kind: 'over-time',
    unit: 's',
    timesMs: [0, 10, 20],
    endMs: 30,
    lines: [
      { name: 'p50', values: [1, null, 2] },
      { name: 'p90', values: [1, null, 2000] },
      { name: 'max', values: [5, null, 30] },
    ],
  };

  test('shows p50, p99.9 and the maximum', () => {
    expect(timelineLines(plot).map(({ name }) => name)).toEqual(['p50', 'max']);
    expect(timelineLines({ ...plot, lines: [{ name: 'mean', values: [1, 2, 3] }] })).toHaveLength(1);
  });

  test('has a scale of what is shown, in logarithms when the values span a decade', () => {
    expect(valueScale(plot, { fromMs: 0, toMs: 30 })).toEqual({ low: 1, high: 30, isLog: true });
    expect(valueScale(plot, { fromMs: 0, toMs: 9 })).toEqual({ low: 1, high: 5, isLog: false });
    expect(valueScale(plot, { fromMs: 11, toMs: 19 })).toBeUndefined();
    const flat = { ...plot, lines: [{ name: 'p50', values: [4, 4, 4] }] };
    expect(valueScale(flat, { fromMs: 0, toMs: 30 })).toEqual({ low: 2, high: 8, isLog: false });
  });
});

test('a table says what it leaves out, and how to see it', () => {
  expect(leftOutText(0, false, false)).toBe('');
  expect(leftOutText(95_000, false, false)).toBe(
    'The table leaves out the 95,000 series with the fewest values. The search does not find them; filters and merged rows count all series. To filter, type an attribute such as route=/pay and press Enter.',
  );
  expect(leftOutText(7, true, false)).toBe(
    'The table leaves out the 7 rows with the fewest values. To see them, add a filter, or merge by fewer attributes.',
  );
});
