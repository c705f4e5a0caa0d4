import { explicitLayout, hdrLayout, LayoutHistogram } from '@hdrscope/core';
import { resolutionOf } from '@hdrscope/core/internal';
import {
  describeExplanation,
  explainChange,
  formatNames,
  formatPart,
  layoutSlots,
  type SlotCounts,
} from '@hdrscope/explain/internal';
import { formatValue } from '@hdrscope/plot';
import { BITS, type GeneratedSeries, INCIDENT_KINDS, QUIET_KINDS } from '@hdrscope/testing/incidents';
import { MOST_SERIES } from '../../src/answer/series-changes.ts';
import type { WhyMessage } from '../../src/messages.ts';
import { NO_QUESTION, type Question } from '../../src/question.ts';
import { START_MS, TimedPage } from '../support-history.ts';

/** With one digit its slots are those of the generator. */
const DIGITS = 1;
const LAYOUT = hdrLayout({ highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits: DIGITS });
const SLOTS = layoutSlots(LAYOUT, resolutionOf(1e-9));

/** The first tick of a slot of the generator: the leading bits of a double. */
function tickOf(k: number): number {
  return 2 ** ((k >> BITS) - 1023) * (1 + (k & (2 ** BITS - 1)) / 2 ** BITS);
}

/** The page has attributes in the order of their keys. */
function sortKeys(all: readonly GeneratedSeries[]): GeneratedSeries[] {
  return all.map((one) => ({
    ...one,
    attributes: Object.fromEntries(Object.entries(one.attributes).sort(([a], [b]) => (a < b ? -1 : 1))),
  }));
}

/** A page that remembers a minute before and a minute after. */
async function pageWith(all: readonly GeneratedSeries[]): Promise<TimedPage> {
  const page = new TimedPage();
  const family = page.family({ significantDigits: DIGITS });
  const known = all.map((one) => family.with(one.attributes));
  await page.update();
  for (const side of ['before', 'after'] as const) {
    for (const [i, { [side]: counts }] of all.entries()) {
      for (const [at, k] of counts.k.entries()) {
        const seconds = Math.ceil(tickOf(k)) / 1e9;
        for (let n = 0; n < counts.c[at]!; n++) known[i]!.record(seconds);
      }
    }
    await page.pass(60_000);
  }
  return page;
}

const BOTH: Partial<Question> = {
  range: { fromMs: START_MS + 60_000, toMs: START_MS + 120_000 },
  baseline: { fromMs: START_MS, toMs: START_MS + 60_000 },
};

async function ask(page: TimedPage, question: Partial<Question>): Promise<WhyMessage | undefined> {
  const [{ facts, family }] = page.table.series as [(typeof page.table.series)[number]];
  const pick = `${family.name} ${facts.attributes.join(', ')}`.trim();
  return (await page.answers.why({ ...NO_QUESTION, pick, ...question })).why;
}

const inLayout = ({ k, c }: SlotCounts): SlotCounts => ({
  k: k.map((slot) => LAYOUT.slotOf(Math.ceil(tickOf(slot)))),
  c,
});

const seconds = (value: number): string => formatValue(value, 's');

// A few of all kinds: other tests ask the engine about each.
const KINDS = INCIDENT_KINDS.filter(({ percentile }, i) => percentile !== 90 && i % 5 === 0);

test.each(KINDS)('$name: the page names what the engine names', async ({ percentile, generate }) => {
  const series = sortKeys(generate(1).series);
  const page = await pageWith(series);
  const expected = explainChange(
    series.map((one) => ({ ...one, before: inLayout(one.before), after: inLayout(one.after) })),
    { percentile, slots: SLOTS },
  );

  const why = (await ask(page, { ...BOTH, why: percentile }))!;

  expect(why).toMatchObject({
    metric: 'rpc.duration',
    verdict: expected.verdict,
    text: describeExplanation(expected, seconds, ''),
    before: BOTH.baseline,
    after: BOTH.range,
  });
  const names = (all: readonly { names: string; part: string; verdict: string }[]) =>
    all.map((one) => `${one.names} ${one.part} ${one.verdict}`).sort();
  const shown = expected.causes.map((one) => ({
    names: formatNames(one, ' or '),
    part: formatPart(one.explains, false),
    verdict: one.verdict,
  }));
  // Others of equal evidence may come in another order.
  const named = ({ verdict }: { verdict: string }) => verdict.startsWith('explains it');
  expect(names(why.causes.filter(named))).toEqual(names(shown.filter(named)));
  expect(why.summary).toContain(
    expected.verdict === 'explained'
      ? `${why.causes[0]!.names} explains ${why.causes[0]!.part} of it.`
      : 'No attribute value explains it.',
  );
});

test('the parts of a waterfall add up from the percentile before to that after', async () => {
  const page = await pageWith(INCIDENT_KINDS[0]!.generate(1).series);
  const { waterfall } = (await ask(page, BOTH))!;
  const sum = waterfall!.steps.reduce((at, { change }) => at + change, waterfall!.before.value);
  expect(sum).toBeCloseTo(waterfall!.after.value, 9);
});

test('of a quiet time, the page says of which percentiles no difference is shown', async () => {
  const page = await pageWith(QUIET_KINDS[0]!.generate(1001));
  const why = (await ask(page, BOTH))!;
  expect(why).toMatchObject({
    verdict: 'no difference shown',
    percentile: null,
    causes: [],
    summary: 'No change of rpc.duration is shown.',
  });
  expect(why.text).toMatch(
    /^No difference of p99\.9, p99, p90 and p50 is shown \([\d,]+ values before, [\d,]+ values after\)\.$/,
  );
});

test('too few values are no change, and the page says how many there are', async () => {
  const page = new TimedPage();
  const series = page.family().with({ host: 'a' });
  await page.update();
  series.record(0.1);
  await page.pass(60_000);
  series.record(9);
  await page.pass(60_000);
  expect(await ask(page, BOTH)).toMatchObject({
    verdict: 'too few values',
    summary: 'Too few values to say whether rpc.duration changed: 1 value before, 1 value after.',
    text: 'For p99.9, p99, p90 and p50 there are too few values: 1 value before, 1 value after.',
  });
});

/** Two hosts for 20 minutes, a second each. In the last minute host b is slow. */
async function livePage(): Promise<TimedPage> {
  const page = new TimedPage();
  const [a, b] = ['a', 'b'].map((host) => page.family().with({ host }));
  await page.update();
  for (let second = 0; second < 1200; second++) {
    const factor = second >= 1140 ? 10 : 1;
    for (let n = 1; n <= 40; n++) {
      a!.record(0.001 * n);
      b!.record(0.001 * n * factor);
    }
    await page.pass(1000);
  }
  return page;
}

test('without a chosen time, the last minute is explained against the ten minutes before it', async () => {
  const page = await livePage();
  const why = (await ask(page, {}))!;
  expect(why).toMatchObject({ verdict: 'explained', percentile: 99 });
  expect(why.causes[0]).toMatchObject({ names: 'host=b', kind: 'its values changed', part: '100 %' });
  expect(why.after).toEqual({ fromMs: page.nowMs - 60_000, toMs: page.nowMs });
  expect(why.before.toMs).toBe(why.after.fromMs);
  // Older intervals are longer, and whole.
  expect(why.before.fromMs).toBeLessThanOrEqual(page.nowMs - 660_000);
  expect(why.before.fromMs).toBeGreaterThan(page.nowMs - 720_000);

  const chosen = { fromMs: page.nowMs - 60_000, toMs: page.nowMs };
  const against = (await ask(page, { range: chosen }))!;
  expect(against.before).toEqual({ fromMs: page.nowMs - 120_000, toMs: page.nowMs - 60_000 });
  expect(against.causes[0]!.names).toBe('host=b');
  // A filter leaves one host, in which nothing differs from the other.
  const inside = (await ask(page, { range: chosen, pick: 'rpc.duration host=b', where: ['host=b'] }))!;
  expect(inside.verdict).toBe('nothing explains it');
  // The picked row is one of the others.
  const other = (await ask(page, { range: chosen, pick: 'rpc.duration host=b', where: ['host=a'] }))!;
  expect(other.verdict).toBe('no difference shown');
  expect((await ask(page, { range: chosen, where: ['host=c'] }))!.text).toBe(
    'For p99.9, p99, p90 and p50 there are too few values: 0 values before, 0 values after.',
  );
});

test('a page that remembers no time before says so', async () => {
  const page = new TimedPage();
  const series = page.family().with({ host: 'a' });
  await page.update();
  for (let second = 0; second < 3; second++) {
    series.record(0.1);
    await page.pass(1000);
  }
  expect(await ask(page, {})).toMatchObject({
    verdict: 'too few values',
    text: 'The page remembers no time before, so it cannot say what changed.',
  });
  const range = { fromMs: page.nowMs, toMs: page.nowMs + 1000 };
  expect((await ask(page, { range }))!.text).toBe('The page remembers nothing of the chosen time.');
});

test('values of wide buckets have bounds, and parts are the least that they may be', async () => {
  const page = new TimedPage();
  await page.update();
  const layout = explicitLayout([0.1, 0.25, 0.5, 1, 2.5]);
  const add = (host: string, seconds: number): void => {
    const histogram = new LayoutHistogram(layout);
    histogram.recordValues(Array(5000).fill(seconds));
    page.family().with({ host }).add(histogram);
  };
  for (const host of ['a', 'b']) add(host, 0.2);
  await page.pass(60_000);
  add('a', 0.2);
  add('b', 2);
  await page.pass(60_000);
  const why = (await ask(page, BOTH))!;
  expect(why.summary).toBe(
    'p99.9 of rpc.duration: 99.9 to 250 ms → 1 to 2.5 s. host=b explains at least 83 % of it.',
  );
  expect(why.causes[0]).toMatchObject({ before: '99.9 to 250 ms', after: '1 to 2.5 s', part: '≥ 83 %' });
  // Parts with bounds do not add up.
  expect(why.waterfall).toBeUndefined();
});

test('of more series than are looked at, the smallest are taken together, and no value is lost', async () => {
  const page = new TimedPage();
  const family = page.family({ cardinalityLimit: 10_000 });
  const all = Array.from({ length: MOST_SERIES + 50 }, (_, n) => family.with({ n }));
  await page.update();
  for (const isAfter of [false, true]) {
    for (const [n, series] of all.entries()) {
      for (let value = 1; value <= (n < 50 ? 1 : 5); value++) series.record(0.001 * value);
      if (n === 1000) for (let i = 1; i <= 500; i++) series.record(isAfter ? 1 + i / 1000 : 0.001);
    }
    await page.pass(60_000);
  }
  const why = (await ask(page, BOTH))!;
  expect(why.together).toBe(50);
  expect(why.waterfall!.subtitle).toBe('25,550 values before, 25,550 values after');
  expect(why.causes[0]!.names).toBe('n=1000');
});

test('series that ended and began again with equal attributes are one', async () => {
  const page = new TimedPage();
  const family = page.family();
  const record = (host: string, factor: number): void => {
    for (let n = 1; n <= 5000; n++) family.with({ host }).record(0.001 * n * factor);
  };
  await page.update();
  for (const host of ['a', 'b']) record(host, 1);
  await page.pass(60_000);
  family.remove({ host: 'b' });
  await page.update();
  record('a', 1);
  record('b', 10);
  await page.pass(60_000);
  const why = (await ask(page, { ...BOTH, pick: 'rpc.duration host=a' }))!;
  expect(why.causes[0]).toMatchObject({ names: 'host=b', kind: 'its values changed' });
});
