import type { Bounds } from '@hdrscope/core';
import { explicitLayout, exponentialLayout, type Layout, LayoutHistogram } from '@hdrscope/core';
import type { BarPlot, ComparisonPlot, HeatMapPlot, Plot } from '@hdrscope/plot';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import type { RowValues } from '../../src/messages.ts';
import { ROW_PERCENTILES } from '../../src/messages.ts';
import type { Question } from '../../src/question.ts';
import { START_MS, TimedPage } from '../support-history.ts';

const second = (from: number, to: number) => ({
  fromMs: START_MS + 1000 * from,
  toMs: START_MS + 1000 * to,
});

/** Adds values through a layout, as a sender with buckets does. */
function addBuckets(page: TimedPage, layout: Layout, values: readonly number[], attributes = {}): void {
  const histogram = new LayoutHistogram(layout);
  histogram.recordValues(values);
  page.family().with(attributes).add(histogram);
}

async function pageWithBuckets(): Promise<TimedPage> {
  const page = new TimedPage();
  await page.update();
  addBuckets(page, explicitLayout([0.5, 1, 2.5, 5]), Array(500).fill(1.7));
  await page.pass(1000);
  return page;
}

test('500 values in a bucket from 1 to 2.5 s have percentiles, extremes and a mean from 1 to 2.5 s', async () => {
  const page = await pageWithBuckets();
  for (const range of [undefined, second(0, 1)]) {
    const { rows, detail } = await page.ask({ by: [], pick: 'rpc.duration', range });
    const [row] = rows!.rows;
    expect(row!.values!.wide).toBe(500);
    row!.values!.lower.forEach((lower, i) => {
      expect(lower).toBeCloseTo(1, 2);
      expect(row!.values!.upper[i]).toBeCloseTo(2.5, 2);
    });
    const facts = Object.fromEntries(detail!.facts.map(({ name, text }) => [name, text]));
    expect(facts.mean).toBe('1 to 2.5 s, 1.75 s by the sum');
    expect(facts['sum, sent or estimated']).toBe('14 min 35 s');
    if (range === undefined) {
      expect([facts['smallest recorded'], facts['largest recorded']]).toEqual(['1 to 2.5 s', '1 to 2.5 s']);
    } else {
      expect([facts['smallest at least'], facts['largest at most']]).toEqual(['1 s', '2.5 s']);
    }
  }
});

test('values of buckets that came with their sum and extremes have exact ones', async () => {
  const page = new TimedPage();
  await page.update();
  const histogram = new LayoutHistogram(explicitLayout([0.5, 1, 2.5, 5]));
  histogram.recordValues([1.25, 2, 2.25]);
  const series = page.family().with({});
  series.add(histogram, { sum: 5.5, min: 1.25, max: 2.25 });
  await page.pass(1000);
  const { detail } = await page.ask({ by: [], pick: 'rpc.duration' });
  const facts = Object.fromEntries(detail!.facts.map(({ name, lower, upper }) => [name, [lower, upper]]));
  expect(facts['smallest recorded']).toEqual([1.25, 1.25]);
  expect(facts['largest recorded']).toEqual([2.25, 2.25]);
  expect(facts.sum).toEqual([5.5, 5.5]);
});

test('a value that came in a narrow slot has the bounds of this slot as its extremes', async () => {
  const page = new TimedPage();
  await page.update();
  const layout = explicitLayout([1.0001, 1.0002]);
  addBuckets(page, layout, [1.00015]);
  await page.pass(1000);
  const { detail } = await page.ask({ by: [], pick: 'rpc.duration' });
  const facts = Object.fromEntries(detail!.facts.map(({ name, lower, upper }) => [name, [lower!, upper!]]));
  for (const name of ['smallest recorded', 'largest recorded', 'mean']) {
    const [lower, upper] = facts[name]!;
    expect([name, lower! <= 1.0001, upper! >= 1.0002]).toEqual([name, true, true]);
  }
});

test.each([
  ['0.9s', 'missed'],
  ['2s', 'undecided'],
  ['2.6s', 'kept'],
] as const)('an objective of %s is %s for values in a bucket from 1 to 2.5 s', async (value, verdict) => {
  const page = await pageWithBuckets();
  const { detail } = await page.ask({ pick: 'rpc.duration', objectives: [{ percentile: 99, value }] });
  expect(detail!.objectives).toMatchObject([{ verdict }]);
});

test.each([
  ['1s', 'missed'],
  ['2.5s', 'kept'],
  ['2s', 'undecided'],
] as const)(
  'an objective of %s at a boundary is %s, also where the bucket begins or ends there',
  async (value, verdict) => {
    const page = new TimedPage();
    page.family({ boundaries: [1, 2, 2.5] });
    await page.update();
    for (const series of [0, 1]) {
      addBuckets(page, explicitLayout([0.5, 1, 2.5, 5]), Array(50).fill(1.7), { series });
      await page.pass(1000);
    }
    for (const range of [undefined, second(0, 1), second(0, 2)]) {
      const objectives = [{ percentile: 99, value }];
      const { detail } = await page.ask({ by: [], pick: 'rpc.duration', range, objectives });
      expect(detail!.objectives).toMatchObject([{ verdict }]);
    }
  },
);

test('a bucket that crosses a boundary within its slot leaves the objective undecided', async () => {
  const page = new TimedPage();
  page.family({ boundaries: [1] });
  await page.update();
  addBuckets(page, explicitLayout([0.9999, 1.0001]), [0.99995]);
  await page.pass(1000);
  const objectives = [{ percentile: 99, value: '1s' }];
  const { detail } = await page.ask({ pick: 'rpc.duration', objectives });
  expect(detail!.objectives).toMatchObject([{ verdict: 'undecided' }]);
});

test('a bucket without an end has no upper bound', async () => {
  const page = new TimedPage();
  await page.update();
  addBuckets(page, explicitLayout([0.5, 1]), [0.7, 3, 4, 5]);
  await page.pass(1000);
  const { rows } = await page.ask({ by: [] });
  const { lower, upper } = rows!.rows[0]!.values!;
  expect(lower.at(-1)).toBeCloseTo(1, 2);
  expect(upper.at(-1)).toBe(Number.POSITIVE_INFINITY);
  const [, line] = (await page.answers.csv({ where: [], objectives: [], by: [] })).text.split('\r\n');
  expect(line).toContain('Infinity');
});

test('two times whose values lie in one bucket show no difference', async () => {
  const page = await pageWithBuckets();
  addBuckets(page, explicitLayout([0.5, 1, 2.5, 5]), Array(500).fill(2.4));
  await page.pass(1000);
  addBuckets(page, explicitLayout([0.5, 1, 2.5, 5]), Array(500).fill(4));
  await page.pass(1000);
  const compare = async (range: Question['range']) => {
    const { detail } = await page.ask({ pick: 'rpc.duration', range, baseline: second(0, 1) });
    const [{ changes }] = detail!.plots as [ComparisonPlot];
    expect(changes[0]).toMatchObject({ before: expect.closeTo(2.5, 2), beforeLower: expect.closeTo(1, 2) });
    return detail!.comparison!.changes[0]!;
  };
  const same = await compare(second(1, 2));
  expect(same.verdict).toBe('no difference shown');
  expect(same.lower).toBeCloseTo(-1.5, 2);
  expect(same.upper).toBeCloseTo(1.5, 2);
  expect((await compare(second(2, 3))).verdict).toBe('no difference shown');
  addBuckets(page, explicitLayout([6, 7]), Array(500).fill(6.5));
  await page.pass(1000);
  expect((await compare(second(3, 4))).verdict).toBe('worse');
});

const value = fc.oneof(
  fc.integer({ min: 1, max: 10_000_000 }).map((us) => us / 1e6),
  // Ends of buckets and limits meet, or nearly so.
  fc.constantFrom(0.999, 0.9999, 1, 1.0001, 1.0005, 1.001, 2),
);
const layout = fc.oneof(
  fc
    .uniqueArray(value, { minLength: 1, maxLength: 6 })
    .map((bounds) => explicitLayout(bounds.sort((a, b) => a - b))),
  fc
    .integer({ min: 0, max: 6 })
    .map((scale) => exponentialLayout({ scale, minIndex: -20 * 2 ** scale, maxIndex: 5 * 2 ** scale })),
);
const part = fc.record({
  values: fc.array(value, { minLength: 1, maxLength: 12 }),
  /** Left out, the values are recorded one by one. */
  layout: fc.option(layout, { nil: undefined }),
  series: fc.nat(1),
  interval: fc.nat(2),
});

/** The value of the rank of a percentile. */
const truthAt = (sorted: readonly number[], percentile: number): number =>
  sorted[Math.max(1, Math.ceil((percentile * sorted.length) / 100 - 1e-9)) - 1]!;

const holds = ({ lower, upper }: Partial<Bounds>, truth: number): boolean =>
  lower! <= truth * (1 + 1e-9) && upper! >= truth * (1 - 1e-9);

function expectTruth(values: RowValues, truth: readonly number[]): void {
  const sorted = [...truth].sort((a, b) => a - b);
  ROW_PERCENTILES.forEach((percentile, i) => {
    const bounds = { lower: values!.lower[i]!, upper: values!.upper[i]! };
    expect([
      percentile,
      truthAt(sorted, percentile),
      bounds,
      holds(bounds, truthAt(sorted, percentile)),
    ]).toEqual([...[percentile, truthAt(sorted, percentile), bounds, true]]);
  });
}

interface Part {
  readonly values: readonly number[];
  readonly layout: Layout | undefined;
  readonly series: number;
  readonly interval: number;
}

test('the truth lies in all bounds of rows, merged rows, facts and objectives, for any buckets and values', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      value,
      fc.option(fc.array(value, { maxLength: 5 }), { nil: undefined }),
      expectBounds,
    ),
    { numRuns: caseCount(25, 200) },
  );
});

async function expectBounds(
  parts: readonly Part[],
  limit: number,
  boundaries: readonly number[] | undefined,
): Promise<void> {
  const page = new TimedPage();
  page.family({
    ...(boundaries && { boundaries: [...new Set([...boundaries, limit])].sort((a, b) => a - b) }),
  });
  await page.update();
  for (const interval of [0, 1, 2]) {
    for (const { values, layout, series } of parts.filter((one) => one.interval === interval)) {
      if (layout !== undefined) addBuckets(page, layout, values, { series });
      else for (const one of values) page.family().with({ series }).record(one);
    }
    await page.pass(1000);
  }
  const truthOf = (isAsked: (one: Part) => boolean): number[] =>
    parts.filter(isAsked).flatMap(({ values }) => values);

  for (const interval of [undefined, 0, 1, 2]) {
    const range = interval === undefined ? undefined : second(interval, interval + 1);
    const isIn = (one: { readonly interval: number }) => interval === undefined || one.interval === interval;
    const objectives = [50, 99].map((percentile) => ({ percentile, value: `${limit}s` }));
    const { rows, detail } = await page.ask({ by: [], range, pick: 'rpc.duration', objectives });
    const all = truthOf(isIn);
    for (const row of rows!.rows) expectTruth(row.values, all);
    for (const row of (await page.ask({ by: ['series'], range })).rows!.rows) {
      expectTruth(
        row.values,
        truthOf((one) => isIn(one) && row.attributes[0] === `series=${one.series}`),
      );
    }
    if (all.length === 0) continue;
    const sorted = [...all].sort((a, b) => a - b);
    expectCells(detail!.plots, (interval) => truthOf((one) => isIn(one) && one.interval === interval), all);
    for (const { percentile, verdict } of detail!.objectives) {
      const isKept = truthAt(sorted, percentile) <= limit;
      expect(['undecided', isKept ? 'kept' : 'missed']).toContain(verdict);
    }
    const factOf = (name: string) => detail!.facts.find((fact) => fact.name.startsWith(name))!;
    const sum = all.reduce((total, one) => total + one, 0);
    expect([factOf('mean'), holds(factOf('mean'), sum / all.length)]).toEqual([factOf('mean'), true]);
    expect(factOf('smallest').lower!).toBeLessThanOrEqual(sorted[0]! * (1 + 1e-9));
    expect(factOf('largest').upper!).toBeGreaterThanOrEqual(sorted.at(-1)! * (1 - 1e-9));
  }
}

/** The values of a family of 3 digits lie so far from the middles of their slots, relative to them. */
const SLACK = 1e-3;

/** Heat maps and bars contain the truth: each value lies in a cell that is drawn, and the bounds of a cell contain its count. */
function expectCells(
  plots: readonly Plot[],
  valuesOf: (interval: number) => readonly number[],
  all: readonly number[],
): void {
  for (const plot of plots) {
    if (plot.kind === 'bars') expectSlots(plot.slots, plot, all);
    if (plot.kind !== 'heat-map') continue;
    for (const [column, { lower: startMs }] of plot.x.slots.entries()) {
      const columnOf = (cells: HeatMapPlot['counts']): number[] => cells.map((row) => row[column]!);
      const { counts, lower = counts, upper = counts } = plot;
      const ofColumn = { counts: columnOf(counts), lower: columnOf(lower), upper: columnOf(upper) };
      expectSlots(plot.y.slots, ofColumn, valuesOf((startMs - START_MS) / 1000));
    }
  }
}

function expectSlots(
  slots: readonly Bounds[],
  { counts, lower = counts, upper = counts }: Pick<BarPlot, 'counts' | 'lower' | 'upper'>,
  values: readonly number[],
): void {
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length);
  const within = (slot: Bounds, slack: number) => (one: number) =>
    one >= slot.lower * (1 - slack) && one <= slot.upper * (1 + slack);
  const undrawn = values.filter((one) => !slots.some((slot, i) => upper[i]! > 0 && within(slot, SLACK)(one)));
  expect(undrawn).toEqual([]);
  for (const [i, slot] of slots.entries()) {
    const [certain, possible] = [-SLACK, SLACK].map((slack) => values.filter(within(slot, slack)).length);
    const isTrue = lower[i]! <= possible! && certain! <= upper[i]!;
    expect([slot, lower[i], upper[i], isTrue]).toEqual([slot, lower[i], upper[i], true]);
  }
}

test('a heat map shows wide buckets as wide, beside values that are known', async () => {
  const page = await pageWithBuckets();
  page.family().with({ series: 1 }).record(1.2);
  await page.pass(1000);
  const { detail } = await page.ask({ by: [], pick: 'rpc.duration' });
  const map = detail!.plots.find((plot) => plot.kind === 'heat-map')!;
  expect(map.subtitle).toBe('values of wide buckets are spread over them');
  const [first, second] = [0, 1].map((column) => map.counts.map((row) => row[column]!));
  expect(first!.reduce((sum, count) => sum + count, 0)).toBe(500);
  expect(first!.every((count) => count > 0)).toBe(true);
  expect(second!.filter((count) => count > 0)).toEqual([1]);
  expect(map.upper!.every((row) => row[0] === 500)).toBe(true);
});

test('bars between boundaries have bounds where a bucket crosses one', async () => {
  const page = new TimedPage();
  page.family({ boundaries: [1, 2, 3] });
  await page.update();
  addBuckets(page, explicitLayout([0.5, 1, 2.5, 5]), Array(50).fill(1.7));
  page.family().with({ series: 1 }).record(0.7);
  await page.pass(1000);
  const { detail } = await page.ask({ by: [], pick: 'rpc.duration' });
  const bars = detail!.plots.find((plot) => plot.kind === 'bars')!;
  expect(bars).toMatchObject({ lower: [1, 0, 0], upper: [1, 51, 50] });
  expect(detail!.plots.find((plot) => plot.kind === 'heat-map')!.y.slots.length).toBeGreaterThan(3);
});
