import {
  type BarPlot,
  type ComparisonPlot,
  chartOption,
  type HeatMapPlot,
  type PercentilePlot,
  type Plot,
  type TimePlot,
} from '@hdrscope/plot';
import type { SeriesSnapshot } from '@hdrscope/registry';
import { endCounts } from '@hdrscope/registry/internal';
import { valuesOf } from '../../src/row-values.ts';
import { START_MS, TimedPage } from '../support-history.ts';

function plotOf<Kind extends Plot['kind']>(
  plots: readonly Plot[],
  kind: Kind,
): Extract<Plot, { kind: Kind }> {
  return plots.find((plot) => plot.kind === kind) as Extract<Plot, { kind: Kind }>;
}

const ROUTES = ['/a', '/b'];
const STATUSES = [200, 500];

/** A page of 60 seconds. In the seconds 20 to 29, route /b with status 500 is ten times slower. */
async function pageWithIncident(): Promise<TimedPage> {
  const page = new TimedPage();
  const family = page.family();
  for (const route of ROUTES) for (const status of STATUSES) family.with({ route, status });
  await page.update();
  for (let second = 0; second < 60; second++) {
    const isIncident = second >= 20 && second < 30;
    for (const route of ROUTES) {
      for (const status of STATUSES) {
        const factor = isIncident && route === '/b' && status === 500 ? 10 : 1;
        for (let n = 1; n <= 40; n++) family.with({ route, status }).record(0.001 * n * factor);
      }
    }
    await page.pass(1000);
  }
  return page;
}

const second = (from: number, to: number) => ({
  fromMs: START_MS + from * 1000,
  toMs: START_MS + to * 1000,
});

const LABEL = 'rpc.duration route=/b, status=500';

test('the rows of a range have the values that the registry counted in it', async () => {
  const page = new TimedPage();
  const family = page.family();
  const states: (readonly SeriesSnapshot[])[] = [];
  for (const n of [0, 1]) family.with({ n }).record(0.5);
  await page.update();
  for (let n = 0; n < 30; n++) {
    states.push((await page.registry.gather()).families[0]!.series);
    for (let i = 0; i <= n; i++) family.with({ n: n % 2 }).record(0.001 * (1 + ((n * 31 + i * 17) % 211)));
    await page.pass(1000);
  }

  const { rows } = await page.ask({ range: second(5, 20) });

  expect(rows!.range).toEqual(second(5, 20));
  const wanted = [0, 1].map((at) => {
    const [now, then] = [states[20]![at]!, states[5]![at]!];
    const histogram = now.histogram.copy();
    histogram.subtract(then.histogram);
    return {
      ...{ family: 0, attributes: [`n=${at}`], seriesCount: 1, count: histogram.totalCount, last: null },
      perSecond: histogram.totalCount / 15,
      values: valuesOf(page.family(), endCounts(histogram.counts, undefined)),
    };
  });
  expect(rows!.rows).toEqual(wanted);
});

test('a range is widened to whole intervals, and says so', async () => {
  const page = await pageWithIncident();
  const { rows } = await page.ask({ range: { fromMs: START_MS + 5400, toMs: START_MS + 7001 } });
  expect(rows!.range).toEqual(second(5, 8));
  expect(rows!.rows[0]).toMatchObject({ count: 120, perSecond: 40 });
});

test('a range without anything has no rows', async () => {
  const page = await pageWithIncident();
  const { rows, detail } = await page.ask({ range: { fromMs: 5, toMs: 10 }, pick: LABEL });
  expect(rows).toMatchObject({ rows: [], leftOut: 0 });
  expect(detail!.facts).toContainEqual({ name: 'mean', text: '-' });
  expect(plotOf(detail!.plots, 'percentiles').curves).toEqual([]);
});

test('rows are merged by the attributes that stay, and have all values of their series', async () => {
  const page = await pageWithIncident();
  const label = (row: { readonly attributes: readonly string[] }) => row.attributes.join();

  const byRoute = (await page.ask({ by: ['route'] })).rows!.rows;
  expect(byRoute.map((row) => [label(row), row.seriesCount, row.count])).toEqual([
    ['route=/a', 2, 4800],
    ['route=/b', 2, 4800],
  ]);
  const whole = (await page.ask({ by: [] })).rows!.rows;
  expect(whole.map((row) => [label(row), row.seriesCount, row.count, row.perSecond])).toEqual([
    ['', 4, 9600, 160],
  ]);
  // The largest value of all series, and of the last second.
  expect(whole[0]!.values!.upper.at(-1)).toBeCloseTo(0.4, 2);
  expect(whole[0]!.last!.upper.at(-1)).toBeCloseTo(0.04, 3);
});

test('of several attributes of one key one must be there, and of each key one', async () => {
  const page = await pageWithIncident();
  const labels = async (...where: string[]) =>
    (await page.ask({ where })).rows!.rows.map(({ attributes }) => attributes.join());

  expect(await labels('route=/a')).toEqual(['route=/a,status=200', 'route=/a,status=500']);
  expect(await labels('route=/a', 'route=/b', 'status=500')).toEqual([
    'route=/a,status=500',
    'route=/b,status=500',
  ]);
  expect(await labels('zone=1')).toEqual([]);
  const merged = (await page.ask({ where: ['status=500'], by: [] })).rows!.rows;
  expect(merged.map(({ count, seriesCount }) => [count, seriesCount])).toEqual([[4800, 2]]);
});

test('merged rows and their filters are different rows, though they look alike', async () => {
  const page = await pageWithIncident();
  const pick = 'rpc.duration';
  const counts = [];
  for (const where of [[], ['status=500'], ['status=200', 'route=/a']]) {
    const { detail } = await page.ask({ by: [], where, pick, range: second(0, 60) });
    counts.push(plotOf(detail!.plots, 'percentiles').curves[0]!.totalCount);
  }
  expect(counts).toEqual([9600, 4800, 2400]);
});

test('two times of a row are compared with the significance of a diff', async () => {
  const page = await pageWithIncident();
  const { detail } = await page.ask({ pick: LABEL, range: second(20, 30), baseline: second(5, 15) });

  expect(detail).toMatchObject({ label: LABEL, range: second(20, 30), baseline: second(5, 15) });
  const { before, after, changes } = detail!.comparison!;
  expect([before.count, after.count]).toEqual([400, 400]);
  expect(changes.map(({ percentile, verdict }) => [percentile, verdict])).toEqual([
    [50, 'worse'],
    [90, 'worse'],
    [99, 'too few values'],
    [99.9, 'too few values'],
  ]);
  expect(changes[0]!.after.upper / changes[0]!.before.upper).toBeCloseTo(10, 1);
  const plot = plotOf(detail!.plots, 'comparison') satisfies ComparisonPlot;
  expect([plot.before.totalCount, plot.after.totalCount, plot.unit]).toEqual([400, 400, 's']);
  expect(plot.after.points.at(-1)!.value).toBeCloseTo(0.4, 2);

  const same = await page.ask({ pick: LABEL, range: second(40, 50), baseline: second(5, 15) });
  expect(same.detail!.comparison!.changes[0]!.verdict).toBe('no difference shown');
});

test('two rows are compared, in one time or in two', async () => {
  const page = await pageWithIncident();
  const other = 'rpc.duration route=/a, status=500';
  const { detail } = await page.ask({ pick: LABEL, other, range: second(20, 30) });
  expect(detail!.comparison).toMatchObject({
    before: { name: other, count: 400 },
    after: { name: LABEL, count: 400 },
    changes: [{ percentile: 50, verdict: 'worse' }, {}, {}, {}],
  });
  const late = await page.ask({ pick: LABEL, other, range: second(20, 30), baseline: second(0, 5) });
  expect(late.detail!.comparison!.before.count).toBe(200);
});

test('a time is compared with all time', async () => {
  const page = await pageWithIncident();
  const { detail } = await page.ask({ pick: LABEL, baseline: second(20, 30) });
  expect(detail!.comparison).toMatchObject({
    before: { name: 'the compared time', count: 400 },
    after: { name: 'all time', count: 2400 },
  });
});

test('a note says why there is no comparison', async () => {
  const page = await pageWithIncident();
  page.registry.histogram({ name: 'size', unit: 'By' }).with({}).record(7);
  await page.pass(1000);
  const units = await page.ask({ pick: LABEL, other: 'size' });
  expect(units.detail).not.toHaveProperty('comparison');
  expect(units.detail!.note).toBe('size has another unit or resolution, so the two cannot be compared');
  const empty = await page.ask({ pick: LABEL, range: second(60, 61), baseline: second(0, 5) });
  expect(empty.detail!.note).toBe('the chosen time has no values to compare');
});

test('an objective has its share, with bounds where its value lies within a slot', async () => {
  const page = new TimedPage();
  const series = page.family({ significantDigits: 1 }).with({});
  for (let ms = 1; ms <= 100; ms++) series.record(ms / 1000);
  await page.update();
  const share = async (percentile: number, value: string) => {
    const { detail } = await page.ask({ pick: 'rpc.duration', objectives: [{ percentile, value }] });
    return detail!.objectives[0];
  };

  const kept = await share(50, '90ms');
  expect(kept).toMatchObject({ name: 'p50 ≤ 90 ms', verdict: 'kept' });
  // With one digit, slots near 90 ms are some milliseconds wide.
  expect(kept!.share!.lower).toBeLessThanOrEqual(0.9);
  expect(kept!.share!.upper).toBeGreaterThanOrEqual(0.9);
  expect(kept!.share!.upper - kept!.share!.lower).toBeGreaterThan(0);
  expect(await share(99.9, '50ms')).toMatchObject({ verdict: 'missed' });
  expect(await share(90, '90ms')).toMatchObject({ verdict: 'undecided' });
  expect(await share(100, '2s')).toMatchObject({
    name: 'max ≤ 2 s',
    share: { lower: 1, upper: 1 },
    verdict: 'kept',
  });
  // Another unit is no objective of this row.
  expect(await share(99, '4KiB')).toBeUndefined();
  const none = await page.ask({
    pick: 'rpc.duration',
    range: second(0, 1),
    objectives: [{ percentile: 99, value: '1s' }],
  });
  expect(none.detail!.objectives).toMatchObject([{ share: null, verdict: 'undecided' }]);
});

test('an objective at a boundary of the family is exact', async () => {
  const page = new TimedPage();
  const series = page.family({ significantDigits: 1, boundaries: [0.09, 1] }).with({});
  await page.update();
  for (let ms = 1; ms <= 100; ms++) series.record(ms / 1000);
  await page.pass(1000);
  const objectives = [{ percentile: 90, value: '90ms' }];
  for (const range of [undefined, second(0, 1)]) {
    const { detail } = await page.ask({ pick: 'rpc.duration', range, objectives });
    expect(detail!.objectives).toMatchObject([{ share: { lower: 0.9, upper: 0.9 }, verdict: 'kept' }]);
  }
});

test('an objective that exactly as many values keep as it wants is kept', async () => {
  const page = new TimedPage();
  const series = page.family({ boundaries: [0.09, 1] }).with({});
  await page.update();
  // 99.9 / 100 is 0.9990000000000001 in doubles, and 999 / 1000 is not.
  for (let count = 0; count < 999; count++) series.record(0.05);
  series.record(0.5);
  await page.pass(1000);
  const { detail } = await page.ask({
    pick: 'rpc.duration',
    objectives: [
      { percentile: 99.9, value: '90ms' },
      { percentile: 99.91, value: '90ms' },
    ],
  });
  expect(detail!.objectives).toMatchObject([
    { share: { lower: 0.999, upper: 0.999 }, verdict: 'kept' },
    { share: { lower: 0.999, upper: 0.999 }, verdict: 'missed' },
  ]);
});

test('objectives are lines of the plots', async () => {
  const page = await pageWithIncident();
  const { detail } = await page.ask({ pick: LABEL, objectives: [{ percentile: 99.9, value: '250ms' }] });
  const line = { percentile: 99.9, value: 0.25 };
  expect(plotOf(detail!.plots, 'percentiles').slos).toEqual([line]);
  expect(plotOf(detail!.plots, 'over-time').slos).toEqual([line]);
});

test('the curve of the last minute has the values of that minute, and is left out without earlier values', async () => {
  const page = new TimedPage();
  const series = page.family().with({});
  for (let n = 0; n < 200; n++) {
    series.record(n < 120 ? 1 : 2);
    await (n === 0 ? page.update() : page.pass(1000));
    if (n === 30) {
      const young = await page.ask({ pick: 'rpc.duration' });
      // The value of the first update has no interval.
      expect(plotOf(young.detail!.plots, 'percentiles').curves.map(({ totalCount }) => totalCount)).toEqual([
        31, 30,
      ]);
    }
  }
  const { detail } = await page.ask({ pick: 'rpc.duration' });
  const { curves } = plotOf(detail!.plots, 'percentiles') satisfies PercentilePlot;
  expect(curves.map(({ name, totalCount }) => [name, totalCount])).toEqual([
    ['since the start', 200],
    ['last minute', 60],
  ]);
  expect(curves[1]!.points.every(({ value }) => Math.abs(value - 2) < 0.01)).toBe(true);
});

test('a curve of more than the last minute says so', async () => {
  const page = new TimedPage();
  const series = page.family().with({});
  for (let n = 0; n < 4; n++) {
    series.record(1);
    await (n === 0 ? page.update() : page.pass(600_000));
  }
  const { detail } = await page.ask({ pick: 'rpc.duration' });
  expect(
    plotOf(detail!.plots, 'percentiles').curves.map(({ name, totalCount }) => [name, totalCount]),
  ).toEqual([
    ['since the start', 4],
    ['last 10 min', 1],
  ]);
});

test('percentiles over time have a value for each interval, also of the time that is not chosen', async () => {
  const page = await pageWithIncident();
  const { detail } = await page.ask({ pick: LABEL, range: second(20, 30) });
  const { timesMs, endMs, lines } = plotOf(detail!.plots, 'over-time') satisfies TimePlot;
  expect(timesMs).toEqual(Array.from({ length: 60 }, (_, n) => START_MS + n * 1000));
  expect(endMs).toBe(START_MS + 60_000);
  expect(lines.map(({ name }) => name)).toEqual(['p50', 'p90', 'p99', 'p99.9', 'max']);
  const max = lines.at(-1)!.values.map((value) => value && Number(value.toPrecision(2)));
  expect(max).toEqual([...Array(20).fill(0.04), ...Array(10).fill(0.4), ...Array(30).fill(0.04)]);
  expect(chartOption(plotOf(detail!.plots, 'over-time')).yAxis).toMatchObject({ type: 'log' });
});

test('a heat map has every value of the chosen time in its row and its column', async () => {
  const page = await pageWithIncident();
  for (const [range, wanted] of [
    [undefined, 2400],
    [second(20, 30), 400],
  ] as const) {
    const { detail } = await page.ask({ pick: LABEL, range });
    const { x, y, counts } = plotOf(detail!.plots, 'heat-map') satisfies HeatMapPlot;
    expect(counts.flat().reduce((sum, count) => sum + count, 0)).toBe(wanted);
    counts.forEach((row, j) => {
      row.forEach((count, i) => {
        if (count === 0) return;
        const at = (x.slots[i]!.lower - START_MS) / 1000;
        const largest = at >= 20 && at < 30 ? 0.4 : 0.04;
        expect(y.slots[j]!.lower).toBeLessThanOrEqual(largest * 1.001);
      });
    });
  }
});

test('a family with boundaries has a bar and a row of the heat map for each of its slots', async () => {
  const page = new TimedPage();
  const series = page.registry.histogram({ name: 'depth', boundaries: [1, 3, 7], resolution: 1 }).with({});
  series.record(100);
  await page.update();
  for (const value of [2, 3, 4, 3]) {
    series.record(value);
    await page.pass(1000);
  }
  const all = (await page.ask({ pick: 'depth' })).detail!.plots;
  expect((plotOf(all, 'bars') satisfies BarPlot).counts).toEqual([3, 1, 1]);
  const slots = [
    { lower: 2, upper: 3 },
    { lower: 4, upper: 7 },
  ];
  const { y, counts } = plotOf(all, 'heat-map');
  expect([y.slots, counts]).toEqual([
    slots,
    [
      [1, 1, 0, 1],
      [0, 0, 1, 0],
    ],
  ]);
  const late = (await page.ask({ pick: 'depth', range: second(1, 3) })).detail!.plots;
  expect(plotOf(late, 'bars')).toMatchObject({ slots, counts: [1, 1] });

  const { tab } = await page.ask({ tab: 'Kernel' });
  expect(tab!.plots.map(({ kind, title }) => [kind, title])).toEqual([
    ['bars', 'depth'],
    ['heat-map', 'depth over time'],
  ]);
});

test('the bar of a tab has all values of a family without boundaries', async () => {
  const page = new TimedPage();
  for (let n = 0; n < 3; n++) page.family().with({}).record(1);
  await page.update();
  const { tab } = await page.ask({ tab: 'Kernel' });
  expect(plotOf(tab!.plots, 'bars').counts).toEqual([3]);
});

test('an answer that is made while an interval is added hides no new series from later answers', async () => {
  const page = new TimedPage();
  const family = page.family();
  family.with({ n: 1 });
  await page.update();
  for (let n = 0; n < 2; n++) {
    family.with({ n: 1 }).record(1);
    await page.pass(1000);
  }
  for (let n = 0; n < 5; n++) family.with({ n: 2 }).record(2);
  page.nowMs += 1000;
  const next = await page.registry.gather();
  const question = { by: [], pick: 'rpc.duration', range: second(0, 3) };

  const asked = page.ask(question);
  await page.table.update(next);
  await page.history.add(page.table.startMs, next.timeMs, page.table.increases());
  await asked;

  const { rows, detail } = await page.ask(question);
  expect(rows!.rows).toMatchObject([{ count: 7 }]);
  expect(plotOf(detail!.plots, 'percentiles').curves[0]!.totalCount).toBe(7);
});

test('time of which nothing is known is a gap of the line and of the heat map', async () => {
  const page = new TimedPage();
  const family = page.family({ boundaries: [1] });
  await page.update();
  family.with({}).record(0.5);
  await page.pass(1000);
  await page.history.add(START_MS + 5000, START_MS + 6000, page.table.increases());
  const { plots } = (await page.ask({ pick: 'rpc.duration', range: second(0, 6) })).detail!;
  expect(plotOf(plots, 'over-time').timesMs).toEqual([START_MS, START_MS + 1000, START_MS + 5000]);
  expect(plotOf(plots, 'over-time').lines[0]!.values[1]).toBe(null);
  expect(plotOf(plots, 'heat-map').counts).toEqual([[1, 0, 1]]);
});

test('a series that has left the table is still found in its time', async () => {
  const page = new TimedPage();
  const family = page.family();
  await page.update();
  family.with({ pod: 'a' }).record(1);
  await page.pass(1000);
  family.remove({ pod: 'a' });
  for (let minute = 0; minute < 7; minute++) await page.pass(60_000);
  expect(page.table.series).toEqual([]);

  expect((await page.ask({ where: ['pod=a'] })).rows!.rows).toEqual([]);
  family.with({ pod: 'b' }).record(1);
  await page.pass(1000);
  // The counts since the start are those of the table.
  expect((await page.ask({ by: [] })).rows!.rows).toMatchObject([{ seriesCount: 1, count: 1 }]);
  const past = await page.ask({ range: second(0, 1), pick: 'rpc.duration pod=a' });
  expect(past.rows!.rows).toMatchObject([{ attributes: ['pod=a'], count: 1 }]);
  expect(plotOf(past.detail!.plots, 'percentiles').curves[0]!.totalCount).toBe(1);
});

test('facts have the exact extremes and the numbers of rejected values; those of a range have the bounds of slots', async () => {
  const page = new TimedPage();
  const series = page.family({ significantDigits: 2 }).with({});
  await page.update();
  for (const value of [0.0012345, 3, -1, Number.NaN, Number.NaN]) series.record(value);
  await page.pass(1000);
  const factsOf = async (range?: ReturnType<typeof second>) => {
    const { detail } = await page.ask({ pick: 'rpc.duration', range });
    return Object.fromEntries(detail!.facts.map(({ name, text }) => [name, text]));
  };
  expect(await factsOf()).toMatchObject({
    'smallest recorded': '1.23 ms',
    'largest recorded': '3 s',
    mean: '1.5 s',
    precision: '2 digits',
    resolution: '1 ns',
    rejected: '2 not a number, 1 negative',
  });
  expect(await factsOf(second(0, 1))).toMatchObject({
    mean: '1.5 s',
    'smallest at least': '1.23 ms',
    'largest at most': '3 s',
  });
});

test('rows are exported as CSV, and a row as percentile text in milliseconds', async () => {
  const page = new TimedPage();
  const family = page.family();
  await page.update();
  family.with({ route: '/a, "b"', formula: '=1+1' }).record(0.25);
  family.with({ status: -7 }).record(2);
  await page.pass(1000);
  const question = { where: [], objectives: [], range: second(0, 1), pick: 'rpc.duration status=-7' };

  const { text, name } = await page.answers.csv(question);
  expect(name).toBe('hdrscope.csv');
  const [head, first, other, end] = text.split('\r\n');
  expect(head).toBe(
    'metric,unit,formula,route,status,series,count,per_second,p50,p90,p99,p99.9,max,p50_lower,p90_lower,p99_lower,p99.9_lower,max_lower',
  );
  expect(first).toMatch(/^rpc\.duration,s,'=1\+1,"\/a, ""b""",,1,1,1,0\.25/);
  expect(other).toMatch(/^rpc\.duration,s,,,-7,1,1,1,2\./);
  expect(end).toBe('');

  const hgrm = await page.answers.percentileText(question);
  expect(hgrm!.name).toBe('rpc.duration_status_-7.hgrm');
  expect(hgrm!.text).toContain('    2000.683 1.000000000000          1');
  expect(await page.answers.percentileText({ ...question, pick: 'other' })).toBeUndefined();
});

test('an empty registry has no rows', async () => {
  const page = new TimedPage();
  await page.update();
  expect(await page.ask({ by: [] })).toMatchObject({ rows: { rows: [], leftOut: 0 } });
});
