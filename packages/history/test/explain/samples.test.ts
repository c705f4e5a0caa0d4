import { hdrLayout } from '@hdrscope/core';
import { PackedSum, packCounts, resolutionOf, SparseCounts } from '@hdrscope/core/internal';
import type { ChangeExplanation } from '@hdrscope/explain';
import { explainChange, layoutSlots, type SlotCounts } from '@hdrscope/explain/internal';
import { caseCount } from '@hdrscope/testing/case-count';
import { createRandom } from '@hdrscope/testing/random';
import { drawSample, findMostByChance, SAMPLINGS, type Sampling } from '@hdrscope/testing/sampling';

const RUNS = caseCount(30, 1000);
const CONFIDENCE = 0.9;
const LAYOUT = hdrLayout({ highestTrackableValue: 10_000_000 });
const SLOTS = layoutSlots(LAYOUT, resolutionOf(1));
const ROUTES = ['/a', '/b', '/c', '/d', '/e', '/f'];

/** What a client sends of so many values of a route, of which a tenth are slow. */
function sampleOf(sampling: Sampling, random: () => number, slower: number, size = 4000): SlotCounts {
  const counts = new SparseCounts(LAYOUT.slotCount);
  for (const [value, weight] of drawSample(sampling, size, random)) {
    const ticks = Math.ceil(slower * 1000 * (1 - value) ** -0.5);
    counts.add(LAYOUT.slotOf(Math.min(ticks, 10_000_000)), weight);
  }
  const sum = new PackedSum(LAYOUT.slotCount);
  const bytes = packCounts(counts);
  sum.add(bytes, 0, bytes.length);
  const { slots, counts: c } = sum.take();
  return { k: slots, c };
}

/** Explains two times of six routes. @param slower By how much all values of a route are larger in the later one. */
function explain(
  sampling: Sampling,
  weight: number,
  seed: number,
  slower: (route: string) => number,
  size?: number,
): ChangeExplanation {
  const random = createRandom(seed);
  const series = ROUTES.map((route) => ({
    attributes: { route },
    before: sampleOf(sampling, random, 1, size),
    after: sampleOf(sampling, random, slower(route), size),
    weight,
  }));
  return explainChange(series, { percentile: 90, slots: SLOTS, confidence: CONFIDENCE, minChange: 0 });
}

describe.each(Object.entries(SAMPLINGS))('where %s', (name, sampling) => {
  const weight = name.includes('100') ? 100 : 10;
  const count = (wanted: string, runs: number, slower: (route: string) => number): number =>
    Array.from({ length: runs }, (_, run) => explain(sampling, weight, run + 1, slower).verdict).filter(
      (verdict) => verdict === wanted,
    ).length;

  test('no difference is shown of equal times', () => {
    const shown = RUNS - count('no difference shown', RUNS, () => 1);
    expect(shown).toBeLessThanOrEqual(findMostByChance(RUNS, 1 - CONFIDENCE));
  });

  test('no route has changed more than others beyond chance when all are slower alike', () => {
    let changed = 0;
    for (let run = 1; run <= RUNS; run++) {
      const { causes } = explain(sampling, weight, run, () => 4);
      if (causes.some(({ verdict }) => verdict !== 'not shown')) changed++;
    }
    expect(changed).toBeLessThanOrEqual(findMostByChance(RUNS, 1 - CONFIDENCE));
  });

  test('the route that is slower is named, with the counts of all its values', () => {
    for (let run = 1; run <= 10; run++) {
      const slower = (route: string): number => (route === '/c' ? 30 : 1);
      const { verdict, causes, before } = explain(sampling, weight, run, slower, 16_000);
      expect([verdict, causes[0]!.attributes]).toEqual(['explained', [[{ key: 'route', value: '/c' }]]]);
      expect(Number.isInteger(before.count)).toBe(true);
      expect(before.count).toBeGreaterThan(0.7 * 16_000 * ROUTES.length);
    }
  });
});

test('a sample has the figures of all its counts, and less evidence', () => {
  const random = createRandom(7);
  const whole = ROUTES.map((route) => ({
    attributes: { route },
    before: sampleOf(() => 1, random, 1),
    after: sampleOf(() => 1, random, route === '/c' ? 30 : 1),
  }));
  const question = { percentile: 90, slots: SLOTS, confidence: CONFIDENCE } as const;
  const [one, other] = [
    explainChange(whole, question),
    explainChange(
      whole.map((series) => ({ ...series, weight: 3 })),
      question,
    ),
  ];
  const [cause, sampled] = [one.causes[0]!, other.causes[0]!];
  expect(sampled).toEqual({ ...cause, evidence: sampled.evidence });
  expect([other.before.count, other.before.percentile!.value]).toEqual([
    one.before.count,
    one.before.percentile!.value,
  ]);
  expect(sampled.evidence).toBeLessThanOrEqual(cause.evidence / 3);
  expect(sampled.evidence).toBeGreaterThanOrEqual(cause.evidence / 5);
});
