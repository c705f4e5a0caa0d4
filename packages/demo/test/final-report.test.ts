import { Histogram } from '@hdrscope/core';
import { formatTally, formatWholeRun, isReconciled, type Outcome } from '../src/final-report.ts';
import { snapshotOf, upTo } from './support.ts';

async function outcomeOf(changes: Partial<Outcome> = {}): Promise<Outcome> {
  const latency = new Histogram({ highestTrackableValue: 1e12 });
  for (const ms of upTo(1001)) latency.record(2e6 * ms);
  const counts = new Map([
    [200, 1000],
    [401, 1],
  ]);
  return {
    snapshot: await snapshotOf(
      { route: '/search', ms: upTo(1000) },
      { method: 'POST', route: '/login', status: 401, ms: [5] },
    ),
    labels: ['GET /search', 'POST /login'],
    load: { answers: counts, errors: 0, latency },
    answersToOthers: new Map(),
    scraped: counts,
    seconds: 8.04,
    ...changes,
  };
}

test('the whole run shows each route, all routes and the view of the client', async () => {
  const [table, distribution] = formatWholeRun(await outcomeOf()).split('\nPercentile distribution') as [
    string,
    string,
  ];

  expect(table).toBe(`The whole run:

   time  route                      count       p50       p90       p99     p99.9       max
  8.0 s  GET /search                1,000    500 ms    900 ms    990 ms    999 ms    1.00 s
         POST /login                    1   5.00 ms   5.00 ms   5.00 ms   5.00 ms   5.00 ms
         all routes                 1,001    500 ms    900 ms    990 ms    999 ms    1.00 s
         as the client saw them     1,001    1.00 s    1.80 s    1.98 s    2.00 s    2.00 s
`);
  expect(distribution).toMatch(/^ of all routes, in milliseconds:\n\n {7}Value {5}Percentile TotalCount/);
  expect(distribution).toMatch(/\n +1000\.342 1\.000000000000 +1001\n/);
  expect(distribution).toMatch(/\n#\[Max {5}= +1000\.342, Total count {4}= +1001\]\n/);
});

test('the whole run of no requests is one line', async () => {
  const empty = await outcomeOf({ snapshot: await snapshotOf() });

  expect(formatWholeRun(empty)).toBe('no requests were counted\n');
});

test('the tally shows that all parties have the same counts', async () => {
  const outcome = await outcomeOf();

  expect(isReconciled(outcome)).toBe(true);
  expect(formatTally(outcome)).toBe(`answers by status       load client      counted     /metrics
200                           1,000        1,000        1,000
401                               1            1            1
total                         1,001        1,001        1,001

equal: every answer was counted once, and is on /metrics
`);
});

test('the tally has a column for clients other than the load', async () => {
  const outcome = await outcomeOf();
  const withOthers = {
    ...outcome,
    load: { ...outcome.load, answers: new Map([[200, 1000]]) },
    answersToOthers: new Map([[401, 1]]),
  };

  expect(isReconciled(withOthers)).toBe(true);
  expect(
    formatTally(withOthers),
  ).toContain(`answers by status       load client   others got      counted     /metrics
200                           1,000            0        1,000        1,000
401                               0            1            1            1
total                         1,000            1        1,001        1,001
`);
});

test.each([
  ['an answer that was not counted', { load: [1001, 1], scraped: [1000, 1] }],
  ['a count that nobody had an answer for', { load: [999, 1], scraped: [1000, 1] }],
  ['a count that is missing on /metrics', { load: [1000, 1], scraped: [1000, 0] }],
  ['differences that cancel out in the total', { load: [999, 2], scraped: [1000, 1] }],
])('the tally is not equal after %s', async (_, { load, scraped }) => {
  const outcome = await outcomeOf();
  const byStatus = ([ok, unauthorized]: number[]): Map<number, number> =>
    new Map([
      [200, ok!],
      [401, unauthorized!],
    ]);
  const unequal = {
    ...outcome,
    load: { ...outcome.load, answers: byStatus(load) },
    scraped: byStatus(scraped),
  };

  expect(isReconciled(unequal)).toBe(false);
  expect(formatTally(unequal)).toMatch(/\nNOT EQUAL\n$/);
});

test('the tally names errors of the load client when the counts differ', async () => {
  const outcome = await outcomeOf();
  const cutOff = { ...outcome, load: { ...outcome.load, answers: new Map([[200, 998]]), errors: 2 } };

  expect(formatTally(cutOff)).toMatch(/NOT EQUAL; the load client had 2 failed or timed-out requests\n$/);
});
