import type { SeriesChange, SlotCounts } from '@hdrscope/explain/internal';
import { BITS, incidentWorld, swapped, world } from '@hdrscope/testing/incidents';
import { createRandom } from '@hdrscope/testing/random';
import { explainSeries } from '../../src/explain/explain-series.ts';
import { slotOfTick } from '../../src/index.ts';
import { namesOf, QUESTION } from './questions.ts';

/** The ends of buckets in ticks: those of the default of OpenTelemetry, and each third power of two. */
const DEFAULT = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000].map((ms) => ms * 1e6);
const POWERS = Array.from({ length: 12 }, (_, i) => 2 ** (17 + 3 * i));

/** The counts in buckets, of which only the ends are known. */
function inBuckets(ends: readonly number[]): (counts: SlotCounts) => SlotCounts {
  const edges = [0, ...ends, Number.MAX_SAFE_INTEGER].map((tick) => slotOfTick(tick, BITS));
  return ({ k, c }) => {
    const sums = new Map<number, number>();
    for (const [i, slot] of k.entries()) {
      const bucket = edges.findLastIndex((edge) => edge < slot);
      sums.set(bucket, (sums.get(bucket) ?? 0) + c[i]!);
    }
    const used = [...sums].sort(([a], [b]) => a - b);
    return {
      k: used.map(([bucket]) => edges[bucket]!),
      c: used.map(([, count]) => count),
      w: used.map(([bucket]) => edges[bucket + 1]! - edges[bucket]!),
    };
  };
}

function allIn(series: readonly SeriesChange[], ends: readonly number[]): SeriesChange[] {
  const placed = inBuckets(ends);
  return series.map((one) => ({ ...one, before: placed(one.before), after: placed(one.after) }));
}

test('of incidents in wide buckets, no other attribute than the guilty one is named', () => {
  const verdicts: Record<string, number> = {};
  for (let seed = 1; seed <= 25; seed++) {
    const { series, guilty } = incidentWorld(createRandom(seed));
    for (const all of [series, swapped(series)]) {
      for (const ends of [DEFAULT, POWERS]) {
        const { verdict, causes } = explainSeries(allIn(all, ends), QUESTION);
        verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
        if (verdict === 'explained') {
          const [[key, value] = []] = Object.entries(guilty[0]!.attributes);
          expect(namesOf(causes[0]!)).toContain(`${key}=${value}`);
        }
      }
    }
  }
  console.log(`explain: verdicts of incidents in wide buckets ${JSON.stringify(verdicts)}`);
  expect(verdicts.explained).toBeGreaterThan(0);
});

test('causes side by side, and those of two attribute values, are found in wide buckets', () => {
  const usual = buckets([10, 20, 99_900], [100, 250, 100]);
  const slow = buckets([10, 20, 96_000], [100, 250, 1000], [1000, 2500, 3000]);
  const { verdict, explains, causes } = explainSeries(
    ['/pay', '/cart', '/list', '/item'].flatMap((route) =>
      ['a', 'b', 'c'].map((host) => ({
        attributes: { route, host },
        before: usual,
        after: route === '/cart' || (route === '/pay' && host === 'b') ? slow : usual,
      })),
    ),
    QUESTION,
  );
  expect(verdict).toBe('explained');
  const named = causes.filter((cause) => cause.verdict.startsWith('explains it'));
  expect(named.map((cause) => [namesOf(cause), cause.kind])).toEqual([
    [['route=/cart'], 'values'],
    [['route=/pay & host=b'], 'values'],
  ]);
  // Half of the buckets' width is not known to be gone.
  expect(explains).toBeGreaterThan(0.5);
  // Each alone leaves enough slow values for the percentile.
  expect(named.every((cause) => cause.explains <= 0)).toBe(true);
});

test('of quiet days in wide buckets, none gets a cause', () => {
  for (let seed = 1001; seed <= 1010; seed++) {
    const { series } = world(createRandom(seed));
    expect(explainSeries(allIn(series, DEFAULT), QUESTION).verdict).not.toBe('explained');
  }
});

test('both percentiles and their difference lie in the bounds of buckets', () => {
  for (let seed = 1; seed <= 10; seed++) {
    const { series } = incidentWorld(createRandom(seed));
    for (const ends of [DEFAULT, POWERS]) {
      const { before, after, difference } = explainSeries(allIn(series, ends), QUESTION);
      const truth = explainSeries(series, QUESTION);
      for (const [found, exact] of [
        [before, truth.before],
        [after, truth.after],
      ] as const) {
        expect(found.count).toBe(exact.count);
        expect(found.lower ?? 0).toBeLessThanOrEqual(exact.percentile!.value);
        expect(found.percentile!.value).toBeGreaterThanOrEqual(exact.percentile!.value);
        expect(found.percentile!.lower).toBeLessThanOrEqual(exact.percentile!.lower);
        expect(found.percentile!.upper).toBeGreaterThanOrEqual(exact.percentile!.upper);
      }
      expect(difference!.lower).toBeLessThanOrEqual(truth.difference!.lower);
      expect(difference!.upper).toBeGreaterThanOrEqual(truth.difference!.upper);
    }
  }
});

/** Counts of wide buckets, from and to in milliseconds. */
const buckets = (...all: [from: number, to: number, count: number][]): SlotCounts => ({
  k: all.map(([from]) => slotOfTick(from * 1e6, BITS)),
  c: all.map(([, , count]) => count),
  w: all.map(([from, to]) => slotOfTick(to * 1e6, BITS) - slotOfTick(from * 1e6, BITS)),
});

test('a percentile that stays in its bucket has not certainly moved', () => {
  const usual = buckets([10, 20, 90_000], [1000, 2500, 1000]);
  const { verdict, causes, before } = explainSeries(
    [
      { attributes: { route: '/pay' }, before: usual, after: buckets([10, 20, 90_000], [1000, 2500, 9000]) },
      { attributes: { route: '/cart' }, before: usual, after: usual },
    ],
    QUESTION,
  );
  expect([verdict, causes]).toEqual(['undecided', []]);
  expect(before.lower).toBeLessThanOrEqual(1);
  expect(before.percentile!.value).toBeGreaterThanOrEqual(2.5);
});

test('an attribute whose values in a bucket around the limit decide is not the cause', () => {
  const usual = buckets([10, 20, 100_000]);
  const slow = buckets([10, 20, 95_000], [1000, 1200, 5000]);
  // 5000 values may be as slow as those of /pay, or as fast as before.
  const unknown = buckets([10, 20, 95_000], [10, 1200, 5000]);
  const explained = explainSeries(
    [
      { attributes: { route: '/pay' }, before: usual, after: slow },
      { attributes: { route: '/cart' }, before: usual, after: usual },
    ],
    QUESTION,
  );
  expect(explained).toMatchObject({ verdict: 'explained', isWide: true });
  expect(namesOf(explained.causes[0]!)).toEqual(['route=/pay']);
  expect(explained.causes[0]!.explains).toBeLessThan(1);
  const undecided = explainSeries(
    [
      { attributes: { route: '/pay' }, before: usual, after: slow },
      { attributes: { route: '/cart' }, before: usual, after: unknown },
    ],
    QUESTION,
  );
  expect(undecided.verdict).toBe('undecided');
  expect(undecided.causes.map(({ verdict }) => verdict)).toContain('undecided');
});

test('a percentile in a bucket without an end has no upper bound', () => {
  const usual = buckets([10, 20, 100_000]);
  const endless: SlotCounts = {
    k: [usual.k[0]!, slotOfTick(10e9, BITS)],
    c: [90_000, 10_000],
    w: [usual.w![0]!, slotOfTick(Number.MAX_SAFE_INTEGER, BITS) - slotOfTick(10e9, BITS)],
  };
  const { verdict, after, difference } = explainSeries(
    [
      { attributes: { route: '/pay' }, before: usual, after: endless },
      { attributes: { route: '/cart' }, before: usual, after: usual },
    ],
    QUESTION,
  );
  expect(verdict).toBe('explained');
  expect(after.percentile!.value).toBe(Number.POSITIVE_INFINITY);
  expect(after.percentile!.upper).toBe(Number.POSITIVE_INFINITY);
  expect(difference!.upper).toBe(Number.POSITIVE_INFINITY);
  expect(after.lower).toBeCloseTo(10, 0);
});

test('two percentiles in a bucket without an end have no known difference', () => {
  const endless = (count: number): SlotCounts => ({
    k: [slotOfTick(10e6, BITS), slotOfTick(10e9, BITS)],
    c: [100_000 - count, count],
    w: [0, slotOfTick(Number.MAX_SAFE_INTEGER, BITS) - slotOfTick(10e9, BITS)],
  });
  const { verdict, difference } = explainSeries(
    [{ attributes: { route: '/pay' }, before: endless(1000), after: endless(9000) }],
    QUESTION,
  );
  expect(verdict).toBe('undecided');
  expect(difference).toMatchObject({
    difference: Number.NaN,
    lower: Number.NEGATIVE_INFINITY,
    upper: Number.POSITIVE_INFINITY,
    significant: false,
  });
});
