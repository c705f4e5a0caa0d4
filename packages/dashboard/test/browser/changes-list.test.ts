import { changeMark, changeText, headlineText } from '../../browser/changes-list.ts';
import { UTC } from '../../browser/clock.ts';
import type { ChangesMessage, RowChange } from '../../src/messages.ts';

const CHANGE: RowChange = {
  ...{ label: 'rpc.duration route=/search', isUp: true, isNew: false, percentile: 'p99.9' },
  ...{
    before: '66.8 ms',
    after: '4.16 s',
    sinceMs: Date.UTC(2026, 0, 31, 15, 10),
    limit: '70 ms',
    isWide: false,
  },
  ...{ above: { before: 0.001, after: 0.31 }, moved: 309, share: 0.309, shareOfMetric: 0.08 },
};

const NOW_MS = Date.UTC(2026, 0, 31, 15, 14);

test.each([
  [
    {},
    'p99.9 66.8 ms → 4.16 s since 15:10:00. 31 % of its values are above 70 ms; before, 0.1 % were. 8 % of all values of its metric moved above it.',
    ' ▲ 31 %',
  ],
  [
    { errors: { before: 0, after: 0.02 } },
    'p99.9 66.8 ms → 4.16 s since 15:10:00. 31 % of its values are above 70 ms; before, 0.1 % were. 8 % of all values of its metric moved above it. Errors 0 % → 2 %.',
    ' ▲ 31 %',
  ],
  [
    { isNew: true, before: 'no values', errors: { before: null, after: 0.5 } },
    'p99.9 4.16 s, new since 15:10:00. 31 % of its values are above 70 ms; before, 0.1 % of the values of its metric were. 8 % of all values of its metric moved above it. Errors unknown → 50 %.',
    ' ▲ 31 %',
  ],
  [
    { isUp: false, isWide: true, above: { before: 0.31, after: 0.001 }, errors: { before: 0, after: 0 } },
    'p99.9 66.8 ms → 4.16 s since 15:10:00. At most 0.1 % of its values are above 70 ms; before, at least 31 % were. 8 % of all values of its metric moved below it.',
    ' ▼ 31 %',
  ],
])('a change with %j is said in words', (facts: Partial<RowChange>, text, mark) => {
  expect(changeText({ ...CHANGE, ...facts }, NOW_MS, UTC)).toBe(text);
  expect(changeMark({ ...CHANGE, ...facts })).toBe(mark);
});

test('a change of an earlier day is said with its date', () => {
  const nextDay = NOW_MS + 86_400_000;
  expect(changeText(CHANGE, nextDay, UTC)).toContain('4.16 s since 2026-01-31 15:10:00. ');
});

const QUIET: ChangesMessage = {
  ...{ question: '', rows: [], leftOut: 0, rowCount: 12, errors: [], against: 'recent', known: ['recent'] },
  before: { fromMs: NOW_MS - 660_000, toMs: NOW_MS - 60_000 },
  after: { fromMs: NOW_MS - 60_000, toMs: NOW_MS },
};

test.each([
  [{}, 'is shown first. The page compares 15:13:00 – 15:14:00 with 15:03:00 – 15:13:00.'],
  [
    { known: ['recent', 'earlier', 'day', 'week'] as const },
    'with 15:03:00 – 15:13:00, also with earlier hours, yesterday and last week.',
  ],
  [
    { against: 'day' as const, rows: [CHANGE] },
    '1 of 12 rows changed. The page compares 15:13:00 – 15:14:00 with the same time yesterday, 15:03:00 – 15:13:00.',
  ],
  [{ against: 'week' as const }, 'with the same time a week ago, 15:03:00 – 15:13:00.'],
])('the first line names the times that were compared: %j', (facts, text) => {
  expect(headlineText({ ...QUIET, ...facts }, UTC)).toContain(text);
});
