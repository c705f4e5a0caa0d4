import {
  countsByStatus,
  formatCount,
  formatHeader,
  formatRows,
  mergeRows,
  rowsByRoute,
} from '../src/latency-table.ts';
import { snapshotOf, upTo } from './support.ts';

test('puts figures under their titles', async () => {
  const snapshot = await snapshotOf(
    { route: '/search', ms: upTo(2000) },
    { route: '/products/{id}', ms: [0.0125] },
  );
  const rows = rowsByRoute(snapshot, ['GET /products/{id}', 'POST /login', 'GET /search']);

  expect([formatHeader('time', 'route'), ...formatRows('3 s', rows)]).toEqual([
    '   time  route                      count       p50       p90       p99     p99.9       max',
    '    3 s  GET /products/{id}             1   12.5 µs   12.5 µs   12.5 µs   12.5 µs   12.5 µs',
    '         POST /login                    0         -         -         -         -         -',
    '         GET /search                2,000    1.00 s    1.80 s    1.98 s    2.00 s    2.00 s',
  ]);
});

test('adds up the status codes of a route, and shows what has no route of its own last', async () => {
  const snapshot = await snapshotOf(
    { status: 404, ms: [1] },
    { route: '/a', status: 200, ms: upTo(10) },
    { route: '/a', status: 500, ms: [900] },
    { method: 'POST', route: '/a', ms: [7, 8] },
  );

  const rows = rowsByRoute(snapshot, ['POST /a', 'GET /a']);

  expect(rows.map(({ label, histogram }) => [label, histogram?.totalCount])).toEqual([
    ['POST /a', 2],
    ['GET /a', 11],
    ['GET (no route)', 1],
  ]);
});

test('leaves the snapshot as it is', async () => {
  const snapshot = await snapshotOf({ route: '/a', ms: [1] }, { route: '/a', status: 404, ms: [2] });

  mergeRows('all', rowsByRoute(snapshot, []));

  expect(snapshot.families[0]!.series.map(({ histogram }) => histogram.totalCount)).toEqual([1, 1]);
});

test('merges rows, those without counts too', async () => {
  const snapshot = await snapshotOf({ route: '/a', ms: [1, 2] }, { route: '/b', ms: [300] });

  const { label, histogram } = mergeRows('all routes', rowsByRoute(snapshot, ['GET /c']));

  expect([label, histogram?.totalCount]).toEqual(['all routes', 3]);
  expect(mergeRows('none', []).histogram).toBeUndefined();
});

test('counts by status code, over all routes', async () => {
  const snapshot = await snapshotOf(
    { route: '/a', ms: upTo(3) },
    { route: '/b', ms: upTo(4) },
    { route: '/b', status: 404, ms: [1] },
  );

  expect(countsByStatus(snapshot)).toEqual(
    new Map([
      [200, 7],
      [404, 1],
    ]),
  );
  expect(countsByStatus(await snapshotOf())).toEqual(new Map());
});

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1234567, '1,234,567'],
])('groups the digits of %d', (count, text) => {
  expect(formatCount(count)).toBe(text);
});
