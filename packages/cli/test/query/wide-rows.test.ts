import type { Bounds } from '@hdrscope/core';
import {
  type ComparisonPlot,
  type Curve,
  type HeatMapPlot,
  type PercentilePlot,
  type Plot,
  plotFromJson,
  type TimePlot,
} from '@hdrscope/plot';
import { caseCount } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { historyDifferences, readComparison } from '../../src/commands/query/comparison.ts';
import { askedHistory } from '../../src/commands/query/engine.ts';
import { comparisonJson } from '../../src/comparison/report.ts';
import { hdrscope } from '../support/fake-io.ts';
import { type Buckets, rowOfBuckets, writeHistory, writeHistoryRows } from '../support/history-rows.ts';
import { useFolder } from '../support/logs.ts';

shareDuckDb();

const folder = useFolder();
let made = 0;

async function writeSides(before: Buckets, after: Buckets): Promise<string> {
  const history = folder.pathOf(`wide-${made++}`);
  await writeHistoryRows(history, [
    rowOfBuckets('2026-03-10T14:00', { route: '/pay' }, before, 0),
    rowOfBuckets('2026-03-10T15:00', { route: '/pay' }, after, 1),
  ]);
  return history;
}

const RANGES = ['--before', '2026-03-10T14:00/10m', '--after', '2026-03-10T15:00/10m'];
const USUAL: Buckets = [
  [10, 25, 9000],
  [100, 250, 1000],
];

test('a table has the bounds of mean, min and max', async () => {
  const history = await writeSides(USUAL, USUAL);
  const { stdout } = await hdrscope(['query', history, '--metric', 'rpc', '--percentiles', '50']);
  expect(stdout).toMatch(
    /20,000 +10\.000 to 25\.000 +19\.000 to 47\.500 +\S+ to \S+ +100\.000 to 250\.000\n$/,
  );
  const json = JSON.parse(
    (await hdrscope(['query', history, '--metric', 'rpc', '--percentiles', '50', '--json'])).stdout,
  );
  expect(json.groups[0]).toMatchObject({
    mean: { lower: 19, upper: 47.5 },
    min: { lower: 10, upper: 25 },
    max: { lower: 100, upper: 250 },
  });
});

test('a comparison shows bounds, and no difference within a bucket', async () => {
  const history = await writeSides(USUAL, [
    [10, 25, 8000],
    [100, 250, 2000],
  ]);
  const args = ['query', history, '--metric', 'rpc', ...RANGES, '--percentiles', '50,99'];
  const { stdout } = await hdrscope(args);
  expect(stdout).toMatch(
    /^p99 +99\.\d+ to 25\d\.\d+ +99\.\d+ to 25\d\.\d+ +-15\d\.\d+ to \+15\d\.\d+ .*no difference shown$/m,
  );
  const { before, changes } = JSON.parse((await hdrscope([...args, '--json'])).stdout);
  expect(before.runs[0].mean).toMatchObject({ lower: 19, upper: 47.5 });
  expect(changes[1]).toMatchObject({ before: { lower: expect.any(Number) }, relative: null });
});

test('a percentile in another bucket is worse, by at least what lies between the buckets', async () => {
  const history = await writeSides(USUAL, [
    [10, 25, 9000],
    [1000, 2500, 1000],
  ]);
  const { stdout } = await hdrscope(['query', history, '--metric', 'rpc', ...RANGES, '--percentiles', '99']);
  expect(stdout).toMatch(/differ\. Slower: p99 \(99 % interval \+29\d\.\d to \+2\d\d\d\.\d %\)\./);
});

test.each(['before', 'after'])('beside buckets, a value has the bounds of its slot: %s', async (narrow) => {
  const history = folder.pathOf(`mixed-${narrow}`);
  const [wideStart, narrowStart] =
    narrow === 'after' ? ['2026-03-10T14:00', '2026-03-10T15:00'] : ['2026-03-10T15:00', '2026-03-10T14:00'];
  await writeHistoryRows(history, [rowOfBuckets(wideStart, {}, [[10, 25, 1000]], 0)]);
  await writeHistory(history, [[narrowStart, {}, { 90: 1000 }]]);
  const args = ['query', history, '--metric', 'rpc', ...RANGES, '--percentiles', '50', '--json'];
  const { changes, ...sides } = JSON.parse((await hdrscope(args)).stdout);
  const { [narrow]: slot, difference } = changes[0];
  expect(slot.lower).toBeLessThan(90);
  expect(slot.upper).toBeGreaterThanOrEqual(90);
  expect(sides[narrow].runs[0].percentiles[0]).toEqual({ percentile: 50, ...slot });
  // The bucket may have 25 ms alone, or 10 ms alone.
  const [least, most] = narrow === 'after' ? [90 - 25, 90 - 10] : [10 - 90, 25 - 90];
  expect(difference.lower).toBeLessThan(least);
  expect(difference.upper).toBeGreaterThanOrEqual(most);
});

/** Buckets that do not overlap, and values in them. */
const counted = fc
  .uniqueArray(fc.integer({ min: 1, max: 5000 }), { minLength: 3, maxLength: 8 })
  .chain((ends) => {
    const edges = ends.sort((a, b) => a - b);
    return fc
      .array(
        fc.record({ bucket: fc.nat(edges.length - 2), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
        {
          minLength: 1,
          maxLength: 60,
        },
      )
      .map((values) => ({
        values: values
          .map(({ bucket, part }) => edges[bucket]! + part * (edges[bucket + 1]! - edges[bucket]!))
          .sort((a, b) => a - b),
        buckets: edges
          .slice(0, -1)
          .map(
            (from, i) => [from, edges[i + 1]!, values.filter(({ bucket }) => bucket === i).length] as const,
          )
          .filter(([, , count]) => count > 0),
      }));
  });

test('the difference of the values lies in the bounds of a comparison, and each figure in its own', async () => {
  await fc.assert(
    fc.asyncProperty(counted, counted, async (one, other) => {
      const history = await writeSides(one.buckets, other.buckets);
      const percentiles = [0, 50, 90, 100];
      const before = [{ sinceMs: Date.parse('2026-03-10T14:00Z'), untilMs: Date.parse('2026-03-10T14:10Z') }];
      const after = [{ sinceMs: Date.parse('2026-03-10T15:00Z'), untilMs: Date.parse('2026-03-10T15:10Z') }];
      const options = {
        metric: 'rpc',
        before,
        after,
        percentiles,
        by: [],
        where: {},
        minRuns: 3,
        timeZone: 'UTC',
      };
      const comparison = await readComparison(askedHistory(history), options);
      const differences = historyDifferences(comparison, options);
      const document = comparisonJson(differences) as { changes: { difference: Bounds }[] };
      const valueAt = ({ values }: typeof one, percentile: number): number =>
        values[Math.max(1, Math.ceil((percentile * values.length) / 100 - 1e-9)) - 1]!;
      for (const [at, percentile] of percentiles.entries()) {
        const [was, is] = [valueAt(one, percentile), valueAt(other, percentile)];
        const { interval, change } = differences.comparison.percentiles[at]!;
        const bounds = document.changes[at]!.difference;
        expect(bounds.lower).toBeLessThanOrEqual(is - was + 1e-6);
        expect(bounds.upper).toBeGreaterThanOrEqual(is - was - 1e-6);
        // Few values have bounds, and no interval.
        if (change !== 'cannot be judged') {
          expect(interval.lower).toBeLessThanOrEqual((is - was) * 1e6 + 1);
          expect(interval.upper).toBeGreaterThanOrEqual((is - was) * 1e6 - 1);
        }
        if (is === was) expect(change).not.toMatch(/worse|better/);
        for (const [side, values] of [[0, one] as const, [1, other] as const]) {
          const figures = comparison.sides[side]![0]!.boundsOf?.(percentiles);
          const truth = valueAt(values, percentile);
          if (figures === undefined) continue;
          expect(figures.percentiles[at]!.lower).toBeLessThanOrEqual(truth + 1e-6);
          expect(figures.percentiles[at]!.upper).toBeGreaterThanOrEqual(truth - 1e-6);
        }
      }
    }),
    { numRuns: caseCount(5, 15) },
  );
});

test('an explanation shows bounds, and the least that a cause explains', async () => {
  const history = folder.pathOf('explained');
  const slow: Buckets = [
    [10, 25, 9000],
    [5000, 10_000, 1000],
  ];
  await writeHistoryRows(history, [
    rowOfBuckets('2026-03-10T14:00', { route: '/pay' }, USUAL, 0),
    rowOfBuckets('2026-03-10T14:00', { route: '/cart' }, USUAL, 1),
    rowOfBuckets('2026-03-10T15:00', { route: '/pay' }, slow, 2),
    rowOfBuckets('2026-03-10T15:00', { route: '/cart' }, USUAL, 3),
  ]);
  const args = ['explain', history, '--metric', 'rpc', '--percentile', '99', ...RANGES];
  const { stdout } = await hdrscope(args);
  expect(stdout).toMatch(
    /^route=\/pay +99\.\d+ to 25\d\.\d+ +4,9\d\d\.\d+ to 10,0\d\d\.\d+ .*≥ 9\d % +values +explains it$/m,
  );
  expect(stdout).toMatch(/and route=\/pay explains at least 9\d % of it: its values changed\.\n$/);
  const json = JSON.parse((await hdrscope([...args, '--json'])).stdout);
  expect(json).toMatchObject({
    isWide: true,
    verdict: 'explained',
    before: { value: expect.any(Number), lower: expect.any(Number) },
  });

  const same = await hdrscope([
    'explain',
    await writeSides(
      USUAL,
      USUAL.map(([from, to, count]) => [from, to, count * 2] as const),
    ),
    '--metric',
    'rpc',
    '--percentile',
    '99',
    ...RANGES,
  ]);
  expect(same.stdout).toContain(
    'depends on where values lie in wide buckets, so there is nothing to explain.',
  );
});

/** The least that a value may be: its lower bound, or the lower end of its slot where a bucket is as narrow as a slot. */
function leastOf(value: number, lower: number | null | undefined): number {
  return lower ?? value * (1 - 1e-2);
}

/** The bounds that a curve has for the value of a rank. */
function pointOfRank({ points, totalCount }: Curve, rank: number): { lower: number; upper: number } {
  const percentile = (100 * rank) / totalCount;
  const point = points.find((one) => one.percentile >= percentile - 1e-9)!;
  return { lower: leastOf(point.value, point.lower), upper: point.value };
}

test('the value of each rank lies in the band of a curve, and each percentile in that of a line over time', async () => {
  await fc.assert(
    fc.asyncProperty(counted, counted, async (one, other) => {
      const history = await writeSides(one.buckets, other.buckets);
      const args = ['query', history, '--metric', 'rpc', '--format', 'json', '--plot'];
      const plotOf = async (...more: string[]) =>
        plotFromJson((await hdrscope([...args, ...more])).stdout) as Plot;
      const whole = (await plotOf()) as PercentilePlot;
      const all = [...one.values, ...other.values].sort((a, b) => a - b);
      expect(whole.curves).toHaveLength(1);
      for (const [i, value] of all.entries()) {
        const { lower, upper } = pointOfRank(whole.curves[0]!, i + 1);
        expect(lower).toBeLessThanOrEqual(value + 1e-6);
        expect(upper).toBeGreaterThanOrEqual(value - 1e-6);
      }
      const over = (await plotOf('--every', '10m', '--percentiles', '50,90,100')) as TimePlot;
      const ofTime = new Map([
        [Date.parse('2026-03-10T14:00Z'), one],
        [Date.parse('2026-03-10T15:00Z'), other],
      ]);
      for (const [at, timeMs] of over.timesMs.entries()) {
        const values = ofTime.get(timeMs)?.values;
        for (const [i, percentile] of [50, 90, 100].entries()) {
          const { values: upper, lower } = over.lines[i]!;
          expect(upper[at] === null).toBe(values === undefined);
          if (values === undefined) continue;
          const truth = values[Math.max(1, Math.ceil((percentile * values.length) / 100 - 1e-9)) - 1]!;
          expect(leastOf(upper[at]!, lower?.[at])).toBeLessThanOrEqual(truth + 1e-6);
          expect(upper[at]).toBeGreaterThanOrEqual(truth - 1e-6);
        }
      }
    }),
    { numRuns: caseCount(4, 10) },
  );
});

test('curves and comparisons have bands over the buckets, and no values beyond the maximum', async () => {
  const history = await writeSides(USUAL, USUAL);
  const args = ['query', history, '--metric', 'rpc', '--format', 'json'];
  const plotOf = async (...more: string[]) =>
    plotFromJson((await hdrscope([...args, ...more])).stdout) as Plot;
  const { title, curves } = (await plotOf('--plot')) as PercentilePlot;
  expect([title, curves[0]!.name]).toEqual(['rpc', 'rpc']);
  expect(curves[0]!.points.at(-1)).toEqual({
    percentile: 100,
    value: 250,
    lower: expect.closeTo(100, 0),
    upper: 250,
  });
  const comparison = (await plotOf(
    '--kind',
    'comparison',
    '--percentiles',
    '50,100',
    ...RANGES,
  )) as ComparisonPlot;
  expect(comparison.before.points.every(({ lower }) => lower !== undefined)).toBe(true);
  expect(comparison.changes).toMatchObject([
    { beforeLower: expect.closeTo(10, 1), before: expect.closeTo(25, 1), afterLower: expect.closeTo(10, 1) },
    { beforeLower: 100, before: 250, after: 250 },
  ]);
});

test('a heat map shows the values of a bucket in all rows that it covers, and says so', async () => {
  const history = folder.pathOf('heat-map');
  await writeHistoryRows(history, [rowOfBuckets('2026-03-10T14:00', {}, USUAL, 0)]);
  await writeHistory(history, [['2026-03-10T15:00', {}, { 90: 1000 }]]);
  const args = ['query', history, '--metric', 'rpc', '--kind', 'heat-map'];
  const map = plotFromJson((await hdrscope([...args, '--format', 'json'])).stdout) as HeatMapPlot;
  expect(map.subtitle).toBe('values of wide buckets are spread over them');
  const columnOf = (cells: HeatMapPlot['counts'], column: number) => cells.map((row) => row[column]!);
  expect(columnOf(map.counts, 0).reduce((sum, count) => sum + count, 0)).toBe(10_000);
  for (const [from, to, count] of USUAL) {
    const rows = map.y.slots.flatMap(({ lower, upper }, row) => (upper > from && lower < to ? [row] : []));
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) {
      expect(map.counts[row]![0]).toBeGreaterThan(0);
      expect([map.lower![row]![0], map.upper![row]![0]]).toEqual([0, count]);
    }
  }
  const last = map.x.slots.length - 1;
  expect(columnOf(map.counts, last).filter((count) => count > 0)).toEqual([1000]);
  expect((await hdrscope([...args, '--width', '100'])).stdout).toContain('values of wide buckets are spread');
});
