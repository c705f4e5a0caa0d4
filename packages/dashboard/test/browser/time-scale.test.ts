import {
  boundsOf,
  earlierBy,
  edgeAfter,
  edgesOf,
  lastOf,
  movedBy,
  nearestEdge,
  rangeBetween,
  rightBefore,
  showing,
  withEnd,
  zoomed,
} from '../../browser/time-scale.ts';

/** Intervals of 10, then of 5. */
const EDGES = [0, 10, 20, 30, 35, 40, 45, 50];
const range = (fromMs: number, toMs: number) => ({ fromMs, toMs });

test('edges are the starts of all intervals, the end of the last, and what is remembered before', () => {
  const plot = { kind: 'over-time', unit: 's', timesMs: [10, 20, 30], lines: [], endMs: 40 } as const;
  expect(edgesOf(plot, range(0, 40))).toEqual([0, 10, 20, 30, 40]);
  expect(edgesOf(plot, range(10, 40))).toEqual([10, 20, 30, 40]);
  // The plot is older than the last update.
  expect(edgesOf(plot, range(10, 50))).toEqual([10, 20, 30, 50]);
  expect(edgesOf(undefined, range(3, 9))).toEqual([3, 9]);
  expect(edgesOf(undefined, range(0, 0))).toEqual([0]);
  expect(boundsOf([])).toEqual(range(0, 0));
});

test('a range that is drawn has whole intervals, and at least one', () => {
  expect(rangeBetween(EDGES, 12, 31)).toEqual(range(10, 35));
  expect(rangeBetween(EDGES, 31, 12)).toEqual(range(10, 35));
  expect(rangeBetween(EDGES, 32, 33)).toEqual(range(30, 35));
  expect(rangeBetween(EDGES, 10, 20)).toEqual(range(10, 20));
  expect(rangeBetween(EDGES, 50, 50)).toEqual(range(45, 50));
  expect(rangeBetween(EDGES, -5, 99)).toEqual(range(0, 50));
});

test('an end goes to the nearest edge, and stays an interval away from the other end', () => {
  expect(withEnd(EDGES, range(10, 40), 'from', 23)).toEqual(range(20, 40));
  expect(withEnd(EDGES, range(10, 40), 'from', 48)).toEqual(range(35, 40));
  expect(withEnd(EDGES, range(10, 40), 'to', -7)).toEqual(range(10, 20));
  expect(withEnd(EDGES, range(10, 40), 'to', 99)).toEqual(range(10, 50));
});

test('keys go from edge to edge, also from a moment between two', () => {
  expect(edgeAfter(EDGES, 10, 1)).toBe(20);
  expect(edgeAfter(EDGES, 12, 1)).toBe(20);
  expect(edgeAfter(EDGES, 12, -1)).toBe(10);
  expect(edgeAfter(EDGES, 45, 10)).toBe(50);
  expect(edgeAfter(EDGES, 45, -10)).toBe(0);
  expect(nearestEdge(EDGES, 33)).toBe(35);
});

test('a range that is moved keeps about its length, and stays within the edges', () => {
  expect(movedBy(EDGES, range(10, 20), 16)).toEqual(range(30, 40));
  expect(movedBy(EDGES, range(10, 30), 1000)).toEqual(range(30, 50));
  expect(movedBy(EDGES, range(10, 30), -1000)).toEqual(range(0, 20));
});

test('the last minute has whole intervals', () => {
  expect(lastOf(EDGES, 12)).toEqual(range(35, 50));
  expect(lastOf(EDGES, 1000)).toEqual(range(0, 50));
});

test('the time right before a range is as long, as far as it is remembered', () => {
  expect(rightBefore(EDGES, range(30, 45))).toEqual(range(10, 30));
  expect(rightBefore(EDGES, range(10, 50))).toEqual(range(0, 10));
  expect(rightBefore(EDGES, range(0, 10))).toBeUndefined();
});

test('a zoom keeps the moment under the pointer, and ends at everything', () => {
  const bounds = range(0, 100_000);
  const window = zoomed(bounds, bounds, 0.5, 20_000)!;
  expect(window).toEqual(range(10_000, 60_000));
  expect(zoomed(window, bounds, 0.5, 60_000)).toEqual(range(35_000, 60_000));
  expect(zoomed(window, bounds, 2, 20_000)).toBeUndefined();
  // No less than a second.
  expect(zoomed(range(0, 1000), bounds, 0.1, 0)).toEqual(range(0, 1000));
});

test('a window follows a handle that leaves it', () => {
  const bounds = range(0, 100);
  expect(showing(range(40, 60), 50, bounds)).toEqual(range(40, 60));
  expect(showing(range(40, 60), 65, bounds)).toEqual(range(45, 65));
  expect(showing(range(40, 60), 10, bounds)).toEqual(range(10, 30));
});

test('an earlier time has whole intervals, and is remembered', () => {
  expect(earlierBy(EDGES, range(40, 45), 20)).toEqual(range(20, 30));
  expect(earlierBy(EDGES, range(40, 50), 40)).toEqual(range(0, 10));
  expect(earlierBy(EDGES, range(40, 45), 41)).toBeUndefined();
  // Its intervals are so long that they reach into the chosen time.
  expect(earlierBy([0, 100, 101, 102], range(99, 102), 3)).toBeUndefined();
});
