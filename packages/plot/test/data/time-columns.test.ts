import { TimeColumns, timeSlots } from '../../src/data/time-columns.ts';

function filled(
  limit: number,
  intervals: Iterable<readonly [startMs: number, endMs: number]>,
): TimeColumns<number> {
  const columns = new TimeColumns<number>(limit, (a, b) => a + b);
  for (const [startMs, endMs] of intervals) columns.add(startMs, endMs, 1);
  return columns;
}

function* seconds(count: number, lengthMs: (at: number) => number = () => 1000): Generator<[number, number]> {
  let start = 1_500_000_000_000;
  for (let at = 0; at < count; at++) {
    const end = start + lengthMs(at);
    yield [start, end];
    start = end;
  }
}

test('each interval has a column of its own while there is room', () => {
  const { columns } = filled(8, seconds(8));
  expect(columns.map(({ content }) => content)).toEqual(new Array(8).fill(1));
});

test('however many intervals there are, columns are bounded and nothing is lost', () => {
  for (const count of [9, 100, 1000, 12_345]) {
    const { columns } = filled(16, seconds(count));
    expect(columns.length).toBeLessThanOrEqual(16);
    expect(columns.length).toBeGreaterThan(4);
    expect(columns.reduce((sum, { content }) => sum + content, 0)).toBe(count);
    for (const [at, { startMs, endMs }] of columns.entries()) {
      expect(endMs).toBeGreaterThan(startMs);
      expect(startMs).toBeGreaterThanOrEqual(columns[at - 1]?.endMs ?? 0);
    }
  }
});

test('columns hold equally many intervals although their lengths vary a little', () => {
  const { columns } = filled(
    16,
    seconds(64, (at) => [1003, 999, 1001, 998][at % 4]!),
  );
  expect(new Set(columns.map(({ content }) => content)).size).toBe(1);
});

test('a first interval that is shorter than the others changes nothing', () => {
  const { columns } = filled(
    16,
    seconds(1000, (at) => (at === 0 ? 1 : 1000)),
  );
  expect(columns.length).toBeLessThanOrEqual(16);
  expect(columns.length).toBeGreaterThan(4);
});

test('intervals of one time share a column, in whatever order they come', () => {
  const all = [...seconds(20), ...seconds(20)];
  const { columns } = filled(32, all);
  expect(columns.map(({ content }) => content)).toEqual(new Array(20).fill(2));
  expect(filled(32, all.toReversed()).columns).toEqual(columns);
});

test('a long time without intervals neither fills columns nor is left out', () => {
  const { columns } = filled(8, [
    [0, 1000],
    [1000, 2000],
    [3_600_000, 3_601_000],
  ]);
  expect(columns.length).toBe(3);
  expect(timeSlots(columns)).toEqual([
    { slot: { lower: 0, upper: 1000 }, column: 0 },
    { slot: { lower: 1000, upper: 2000 }, column: 1 },
    { slot: { lower: 2000, upper: 3_600_000 }, column: undefined },
    { slot: { lower: 3_600_000, upper: 3_601_000 }, column: 2 },
  ]);
});

test('intervals of no length are counted', () => {
  const { columns } = filled(4, [
    [5, 5],
    [5, 5],
    [9, 9],
  ]);
  expect(columns.reduce((sum, { content }) => sum + content, 0)).toBe(3);
});
