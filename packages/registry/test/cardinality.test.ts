import fc from 'fast-check';
import { OVERFLOW_ATTRIBUTES } from '../src/family.ts';
import { createRegistry, type SeriesSnapshot } from '../src/index.ts';
import { canonicalText, describeReachedLimit, watchSeriesLimit } from '../src/internal.ts';
import { attributes, reordered } from './support/arbitraries.ts';
import { familyIn } from './support/state.ts';

function countsOf(series: readonly SeriesSnapshot[]): Record<string, number> {
  return Object.fromEntries(series.map((one) => [JSON.stringify(one.attributes), one.histogram.totalCount]));
}

test('has as many series as the limit allows, and one for all later attributes', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', cardinalityLimit: 3 });
  for (let user = 0; user < 10; user++) family.with({ user }).record(user);
  const { series } = familyIn(await registry.gather(), 'x');
  expect(countsOf(series)).toEqual({
    '{"user":0}': 1,
    '{"user":1}': 1,
    '{"user":2}': 1,
    '{"otel.metric.overflow":true}': 7,
  });
});

test('has no overflow series as long as the limit is not exceeded', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', cardinalityLimit: 3 });
  for (let user = 0; user < 3; user++) family.with({ user }).record(user);
  expect(familyIn(await registry.gather(), 'x').series).toHaveLength(3);
});

test('the limit holds over many gathers, and known series go on', async () => {
  // The SDK's limit is per collection interval: at 4, five cumulative collects show 3, 6, 9, 12 and 15 series.
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', cardinalityLimit: 4 });
  const known = family.with({ user: 'u0.0' });
  for (let round = 0; round < 5; round++) {
    for (let user = 0; user < 6; user++) family.with({ user: `u${round}.${user}` }).record(1);
    known.record(1);
    family.with({ user: 'u0.1' }).record(1);
    const { series } = familyIn(await registry.gather(), 'x');
    expect(countsOf(series)).toEqual({
      '{"user":"u0.0"}': round + 2,
      '{"user":"u0.1"}': round + 2,
      '{"user":"u0.2"}': 1,
      '{"user":"u0.3"}': 1,
      '{"otel.metric.overflow":true}': 6 * (round + 1) - 4,
    });
  }
});

test('the overflow series is one, for equal and for different attributes', () => {
  const family = createRegistry().histogram({ name: 'x', cardinalityLimit: 1 });
  const known = family.with({ a: 1 });
  const overflow = family.with({ a: 2 });
  expect(overflow.attributes).toEqual(OVERFLOW_ATTRIBUTES);
  expect([{ a: 2 }, { a: 3 }, {}, { b: [1] }].every((set) => family.with(set) === overflow)).toBe(true);
  expect(family.with({ a: 1 })).toBe(known);
});

test('no count is lost, whatever the limit and the attributes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(attributes, { maxLength: 40 }),
      (cardinalityLimit, sets) => {
        const family = createRegistry().histogram({ name: 'x', cardinalityLimit });
        const expected = new Map<string, number>();
        for (const set of [...sets, ...sets.map(reordered)]) {
          const text = canonicalText(set);
          const fits =
            expected.has(text) || expected.size - Number(expected.has('overflow')) < cardinalityLimit;
          const key = fits ? text : 'overflow';
          expected.set(key, (expected.get(key) ?? 0) + 1);
          family.with(set).record(1);
        }
        const { series } = family.snapshot();
        const counted = series.map((one): [string, number] => [
          one.attributes['otel.metric.overflow'] === true ? 'overflow' : canonicalText(one.attributes),
          one.histogram.totalCount,
        ]);
        expect(new Map(counted)).toEqual(expected);
        expect(counted).toHaveLength(expected.size);
      },
    ),
  );
});

test('no two series have equal attributes, even when a caller uses the overflow attribute', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', cardinalityLimit: 1 });
  family.with({ 'otel.metric.overflow': true }).record(1);
  family.with({ user: 1 }).record(1);
  const { series } = familyIn(await registry.gather(), 'x');
  expect(series.reduce((sum, one) => sum + one.histogram.totalCount, 0)).toBe(2);
  // Two series with equal attributes would be a point twice, which every receiver refuses.
  expect(new Set(series.map((one) => canonicalText(one.attributes))).size).toBe(series.length);
});

describe('a listener for limits', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('hears once of each family, with the attribute that has the most values', async () => {
    const registry = createRegistry();
    const heard: string[] = [];
    const stop = watchSeriesLimit(registry, (reached) =>
      heard.push(describeReachedLimit(reached, 'leave it out')),
    );
    for (const name of ['a', 'b']) {
      const family = registry.histogram({ name, cardinalityLimit: 6 });
      for (let i = 0; i < 6; i++) family.with({ route: i % 2, user: `u${i}`, list: ['x', 'y'] }).record(1);
      await settled();
      expect(heard).toHaveLength(name === 'a' ? 0 : 1);
      for (let i = 6; i < 9; i++) family.with({ route: i % 2, user: `u${i}`, list: ['x', 'y'] }).record(1);
      expect(family.remove({ 'otel.metric.overflow': true })).toBe(true);
      family.with({ user: 'another' }).record(1);
      await settled();
    }
    expect(heard).toEqual(
      ['a', 'b'].map(
        (name) =>
          `"${name}" has reached its limit of 6 series: values with other attributes count in one series, ` +
          'otel.metric.overflow. The attribute "user" has the most values, 7: leave it out',
      ),
    );
    stop();
    const last = registry.histogram({ name: 'c', cardinalityLimit: 1 });
    last.with({}).record(1);
    last.with({ x: 1 }).record(1);
    await settled();
    expect(heard).toHaveLength(2);
  });

  test('does not hear of overflow series that somebody else made, and may throw', async () => {
    const registry = createRegistry();
    let calls = 0;
    watchSeriesLimit(registry, () => {
      calls++;
      throw new Error('broken');
    });
    const family = registry.histogram({ name: 'x', cardinalityLimit: 1 });
    family.with(OVERFLOW_ATTRIBUTES).record(1);
    family.with({}).record(1);
    await settled();
    expect(calls).toBe(0);
    family.with({ x: 1 }).record(1);
    await settled();
    expect(calls).toBe(1);
  });
});
