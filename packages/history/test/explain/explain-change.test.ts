import type { SeriesChange } from '@hdrscope/explain/internal';
import { BITS, swapped } from '@hdrscope/testing/incidents';
import { explainSeries } from '../../src/explain/explain-series.ts';
import { slotOfTick } from '../../src/index.ts';
import { describeGeneratedIncidents } from './generated-incidents.ts';
import { namesOf, QUESTION } from './questions.ts';

describeGeneratedIncidents(1);

/** Counts at 1, 10, 100 and 1000 ms. */
const at = (...c: number[]): SeriesChange['before'] => {
  const used = c
    .map((count, i) => [slotOfTick(10 ** (6 + i), BITS), count] as const)
    .filter(([, n]) => n > 0);
  return { k: used.map(([k]) => k), c: used.map(([, n]) => n) };
};
const series = (
  attributes: Record<string, string>,
  before: SeriesChange['before'],
  after: SeriesChange['before'],
) => ({
  attributes,
  before,
  after,
});
const QUIET = at(90_000, 9_900, 100);

test('a slow route is the cause, and a host with a part of it overlaps with it', () => {
  const { verdict, causes } = explainSeries(
    [
      series({ route: '/pay', host: 'a' }, QUIET, at(90_000, 9_000, 0, 1000)),
      series({ route: '/pay', host: 'b' }, QUIET, at(90_000, 9_000, 0, 1000)),
      series({ route: '/cart', host: 'a' }, QUIET, QUIET),
      series({ route: '/list', host: 'c' }, QUIET, QUIET),
    ],
    QUESTION,
  );
  expect(verdict).toBe('explained');
  const [pay, ...others] = causes;
  expect(namesOf(pay!)).toEqual(['route=/pay']);
  expect(pay).toMatchObject({ kind: 'values', explains: 1, verdict: 'explains it' });
  expect(pay!.before).toMatchObject({ count: 200_000, value: expect.closeTo(0.01, 2) });
  expect(pay!.after).toMatchObject({ count: 200_000, value: expect.closeTo(1, 0) });
  expect(others.map((cause) => [namesOf(cause), cause.verdict])).toEqual([
    [['host=b'], 'overlaps'],
    [['host=a'], 'not shown'],
    [['route=/cart'], 'not shown'],
    [['route=/list', 'host=c'], 'not shown'],
  ]);
});

test('the host of a slow route overlaps with it', () => {
  const { causes } = explainSeries(
    [
      series({ route: '/pay', host: 'a' }, QUIET, at(90_000, 9_000, 0, 1000)),
      series({ route: '/cart', host: 'a' }, QUIET, QUIET),
      series({ route: '/list', host: 'b' }, QUIET, QUIET),
      series({ route: '/item', host: 'b' }, QUIET, QUIET),
    ],
    QUESTION,
  );
  expect(causes.slice(0, 2).map((cause) => [namesOf(cause), cause.verdict])).toEqual([
    [['route=/pay'], 'explains it'],
    [['host=a'], 'overlaps'],
  ]);
});

test('a route that is slow on one host is a cause of both together, and each alone overlaps with it', () => {
  const cells = ['/pay', '/cart', '/list'].flatMap((route) =>
    ['a', 'b', 'c'].map((host) => ({ route, host })),
  );
  const { verdict, causes } = explainSeries(
    cells.map(({ route, host }) =>
      series({ route, host }, QUIET, route === '/pay' && host === 'b' ? at(90_000, 9_000, 0, 1000) : QUIET),
    ),
    QUESTION,
  );
  expect(verdict).toBe('explained');
  expect(causes.slice(0, 3).map((cause) => [namesOf(cause), cause.verdict])).toEqual([
    [['route=/pay & host=b'], 'explains it'],
    [['route=/pay'], 'overlaps'],
    [['host=b'], 'overlaps'],
  ]);
  expect(causes[0]).toMatchObject({ kind: 'values', explains: 1, parts: { values: 1, share: 0 } });
});

test('of two routes, each slow enough, both are named, and their parts add up to all of it', () => {
  const slow = at(90_000, 9_000, 0, 1000);
  const { verdict, causes } = explainSeries(
    [
      series({ route: '/pay', host: 'a' }, QUIET, slow),
      series({ route: '/cart', host: 'b' }, QUIET, slow),
      series({ route: '/list', host: 'a' }, QUIET, QUIET),
      series({ route: '/item', host: 'b' }, QUIET, QUIET),
    ],
    QUESTION,
  );
  expect(verdict).toBe('explained');
  const named = causes.filter((cause) => cause.verdict.startsWith('explains it'));
  expect(named.map((cause) => [namesOf(cause), cause.explains])).toEqual([
    [['route=/pay'], 0.5],
    [['route=/cart'], 0.5],
  ]);
});

test.each([
  [1, 2000],
  [10, 3000],
  [100, 30_000],
])(
  'a host that is always slow is a cause of its share, with %d values before and %d after',
  (before, after) => {
    const { verdict, causes } = explainSeries(
      [
        series({ host: 'a' }, at(80_000, 19_990, 10), at(80_000, 19_990, 10)),
        series({ host: 'b' }, at(80_000, 19_990, 10), at(80_000, 19_990, 10)),
        series({ host: 'c' }, at(0, 0, 0, before), at(0, 0, 0, after)),
      ],
      QUESTION,
    );
    expect(verdict).toBe('explained');
    expect(namesOf(causes[0]!)).toEqual(['host=c']);
    expect(causes[0]).toMatchObject({ kind: 'share', verdict: 'explains it' });
    expect(causes[0]!.explains).toBeCloseTo(1, 6);
  },
);

test('of two equal causes among few series, neither hides the other', () => {
  const slow = at(9_500, 0, 0, 500);
  const { verdict, causes } = explainSeries(
    ['/pay', '/cart', '/list', '/item'].map((route) =>
      series({ route }, at(9_985, 15), route === '/pay' || route === '/cart' ? slow : at(9_985, 15)),
    ),
    QUESTION,
  );
  expect(verdict).toBe('explained');
  const named = causes.filter((cause) => cause.verdict.startsWith('explains it'));
  expect(named.flatMap(namesOf).sort()).toEqual(['route=/cart', 'route=/pay']);
});

test('a version that is slow on all routes is the cause, though most slow values are of the slowest route', () => {
  const fast = (slow: number) => at(100_000 - slow, slow);
  const slowest = at(0, 9_900, 100);
  const { verdict, causes } = explainSeries(
    ['/a', '/b', '/c', '/reports'].flatMap((route) =>
      ['1', '2', '3'].map((version) => {
        const slow = version === '2' ? 1 : 0;
        return route === '/reports'
          ? series({ route, version }, slowest, at(0, 9_900 - 900 * slow, 100 + 500 * slow, 400 * slow))
          : series({ route, version }, fast(50), fast(50 + 3000 * slow));
      }),
    ),
    QUESTION,
  );
  expect(verdict).toBe('explained');
  expect(namesOf(causes[0]!)).toEqual(['version=2']);
});

test('more traffic of a route on one host is a cause of both together', () => {
  const cells = ['/pay', '/cart', '/list'].flatMap((route) =>
    ['a', 'b', 'c'].map((host) => ({ route, host })),
  );
  const slow = (times: number) => at(0, 0, 1000 * times);
  const { verdict, causes } = explainSeries(
    cells.map(({ route, host }) =>
      route === '/pay'
        ? series({ route, host }, slow(1), slow(host === 'b' ? 60 : 1))
        : series({ route, host }, at(100_000), at(100_000)),
    ),
    { ...QUESTION, percentile: 99 },
  );
  expect(verdict).toBe('explained');
  expect(causes[0]).toMatchObject({ kind: 'share' });
  expect(namesOf(causes[0]!)).toEqual(['route=/pay & host=b']);
});

test('values that select the same series are one cause with both names', () => {
  const { causes } = explainSeries(
    [
      series({ route: '/pay', pool: 'x' }, QUIET, at(90_000, 9_000, 0, 1000)),
      series({ route: '/cart', pool: 'y' }, QUIET, QUIET),
      series({ route: '/list', pool: 'y' }, QUIET, QUIET),
    ],
    QUESTION,
  );
  expect(namesOf(causes[0]!)).toEqual(['route=/pay', 'pool=x']);
});

test('of two causes that are both needed, the second one explains it as well', () => {
  const slow = at(90_000, 8_800, 0, 1200);
  const { causes } = explainSeries(
    [
      series({ route: '/pay', host: 'a' }, QUIET, at(90_000, 8_700, 0, 1300)),
      series({ route: '/cart', host: 'b' }, QUIET, slow),
      series({ route: '/list', host: 'c' }, QUIET, QUIET),
      series({ route: '/item', host: 'c' }, QUIET, QUIET),
    ],
    { ...QUESTION, percentile: 99.5 },
  );
  expect(causes.slice(0, 2).map((cause) => [namesOf(cause), cause.verdict])).toEqual([
    [['route=/pay', 'host=a'], 'explains it'],
    [['route=/cart', 'host=b'], 'explains it as well'],
  ]);
});

test('a change that all series share is explained by none of them', () => {
  const slow = at(90_000, 9_000, 0, 1000);
  const { verdict, causes, difference } = explainSeries(
    [
      series({ route: '/pay', region: 'eu' }, QUIET, slow),
      series({ route: '/cart', region: 'eu' }, QUIET, slow),
    ],
    QUESTION,
  );
  expect(difference!.significant).toBe(true);
  expect(verdict).toBe('nothing explains it');
  expect(causes.every(({ verdict }) => verdict === 'not shown')).toBe(true);
});

const FAST = at(99_990, 10);
const SLOW = at(0, 0, 990, 10);

test('more traffic of a slow route is a cause of its share', () => {
  const { verdict, causes } = explainSeries(
    [
      series({ route: '/pay' }, FAST, FAST),
      series({ route: '/cart' }, FAST, FAST),
      series({ route: '/reports' }, SLOW, at(0, 0, 9_900, 100)),
    ],
    { ...QUESTION, percentile: 99 },
  );
  expect(verdict).toBe('explained');
  expect(namesOf(causes[0]!)).toEqual(['route=/reports']);
  expect(causes[0]).toMatchObject({ kind: 'share', verdict: 'explains it' });
});

test('less traffic of a fast route is a cause, though no slow value has more of its kind', () => {
  const { verdict, causes } = explainSeries(
    [
      series({ route: '/health' }, at(900_000), at(9_000)),
      series({ route: '/pay' }, at(0, 9_000, 600), at(0, 9_000, 600)),
      series({ route: '/cart' }, at(0, 9_000, 600), at(0, 9_000, 600)),
    ],
    { ...QUESTION, percentile: 99 },
  );
  expect(verdict).toBe('explained');
  expect(namesOf(causes[0]!)).toEqual(['route=/health']);
  expect(causes[0]).toMatchObject({ kind: 'share', evidence: 0 });
});

test('a new version is a cause of its share, and an improvement is explained too', () => {
  const none = at();
  const canary = [
    series({ version: '1' }, QUIET, QUIET),
    series({ version: '1b' }, QUIET, QUIET),
    series({ version: '2' }, none, at(9_000, 0, 0, 1000)),
  ];
  const [cause] = explainSeries(canary, QUESTION).causes;
  expect([namesOf(cause!), cause!.kind, cause!.before]).toEqual([
    ['version=2'],
    'share',
    { count: 0, value: undefined, lower: undefined, isWide: false },
  ]);
  const gone = explainSeries(swapped(canary), QUESTION);
  expect(gone.difference!.difference).toBeLessThan(0);
  expect([gone.verdict, namesOf(gone.causes[0]!)]).toEqual(['explained', ['version=2']]);
});

test('ranges without values, or with too few for the percentile, are no evidence', () => {
  expect(explainSeries([], QUESTION)).toEqual({
    percentile: 99.9,
    isWide: false,
    before: { count: 0, percentile: undefined, lower: undefined, isWide: false },
    after: { count: 0, percentile: undefined, lower: undefined, isWide: false },
    difference: undefined,
    verdict: 'too few values',
    explains: undefined,
    causes: [],
  });
  const few = explainSeries([series({ route: '/pay' }, QUIET, at(0, 0, 0, 20))], QUESTION);
  expect([few.verdict, few.causes]).toEqual(['too few values', []]);
});

test('a change that is certain, but small, is not explained', () => {
  const shifted = { k: [slotOfTick(1e6, BITS) + 2], c: [1e6] };
  const one = [series({ route: '/pay' }, { k: [slotOfTick(1e6, BITS)], c: [1e6] }, shifted)];
  expect(explainSeries(one, { ...QUESTION, minChange: 0.2 }).verdict).toBe('no difference shown');
  expect(explainSeries(one, QUESTION).verdict).toBe('nothing explains it');
});

test('errors that are new are the cause, and not the success that became rarer by as much', () => {
  const names = Array.from({ length: 300 }, (_, n) => {
    const { causes } = explainSeries(
      ['/a', '/b', '/c', '/d'].flatMap((route, i) => [
        series({ route, status: '200' }, at(400 + 7 * n + i), at(400 + 3 * n)),
        series({ route, status: '503' }, at(), at(0, 0, 0, i === 2 ? 60 + n : 0)),
      ]),
      { ...QUESTION, percentile: 99 },
    );
    return namesOf(causes[0]!).join();
  });
  expect(names.filter((name) => !name.includes('status=503'))).toEqual([]);
});
