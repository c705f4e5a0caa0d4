import { countsByStatus, formatHeader, formatRows, mergeRows, rowsByRoute } from '../src/latency-table.ts';
import { snapshotOf, upTo } from './support.ts';

test('rows stand under the titles of their columns', async () => {
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

test('a route has one row for all status codes, and requests without a route come last', async () => {
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

test('making rows does not change the snapshot', async () => {
  const snapshot = await snapshotOf({ route: '/a', ms: [1] }, { route: '/a', status: 404, ms: [2] });

  mergeRows('all', rowsByRoute(snapshot, []));

  expect(snapshot.families[0]!.series.map(({ histogram }) => histogram.totalCount)).toEqual([1, 1]);
});

test('merging accepts rows without counts', async () => {
  const snapshot = await snapshotOf({ route: '/a', ms: [1, 2] }, { route: '/b', ms: [300] });

  const { label, histogram } = mergeRows('all routes', rowsByRoute(snapshot, ['GET /c']));

  expect([label, histogram?.totalCount]).toEqual(['all routes', 3]);
  expect(mergeRows('none', []).histogram).toBeUndefined();
});

test('counts by status code cover all routes', async () => {
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
