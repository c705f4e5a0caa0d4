import {
  type Counted,
  countedIn,
  explicitLayout,
  exponentialLayout,
  Histogram,
  hdrLayout,
} from '@hdrscope/core';
import { integerLayout, resolutionOf, scaledLayout } from '@hdrscope/core/internal';
import { refusalOf } from '@hdrscope/testing/refusals';
import { createRegistry, type FamilyOptions, ingest } from '../../src/index.ts';
import { familyFor, inexactCount } from '../../src/ingest/family-for.ts';
import { reading } from '../support/readings.ts';

const MICROSECONDS = scaledLayout(integerLayout([0, 1, 4, 8], 0), resolutionOf(1e-6));

describe('the new family of a reading', () => {
  test.each<[string, Counted, string, Partial<FamilyOptions>]>([
    [
      'explicit bounds',
      countedIn(explicitLayout([0.005, 0.01]), [1, 0, 0]),
      's',
      { boundaries: [0.005, 0.01], significantDigits: 2 },
    ],
    [
      'integers in a unit',
      countedIn(MICROSECONDS, [1, 0, 0, 0, 0]),
      's',
      { boundaries: [0, 1e-6, 4e-6, 8e-6], significantDigits: 1 },
    ],
  ])('suits %s', async (_what, counted, unit, expected) => {
    const registry = createRegistry();
    ingest(registry, { name: 's' }).take([reading(counted, { family: { name: 'x', unit } })]);
    const { boundaries, layout } = (await registry.gather()).families[0]!;
    expect({ boundaries, significantDigits: layout.significantDigits }).toEqual(expected);
  });

  test('has a finer resolution when its bounds need one', () => {
    const { resolution } = familyFor(createRegistry(), { name: 'x', unit: '1' }, explicitLayout([2.5e-7]));
    expect(resolution).toEqual(resolutionOf(1e-8));
  });

  test('has a finer resolution when exponential buckets are small and the unit says nothing', () => {
    const small = exponentialLayout({ scale: 0, minIndex: -20, maxIndex: -10 });
    const [unknown, seconds] = ['', 's'].map((unit) =>
      familyFor(createRegistry(), { name: 'x', unit }, small),
    );
    expect(unknown!.resolution.ticksPerUnit * 2 ** -20).toBeGreaterThanOrEqual(1000);
    expect(seconds!.resolution).toEqual(resolutionOf(1e-9));
    expect(unknown!.layout.significantDigits).toBe(3);
  });

  test('has the digits of an HDR layout', () => {
    const layout = hdrLayout({ highestTrackableValue: 1000, significantDigits: 4 });
    expect(familyFor(createRegistry(), { name: 'x' }, layout).layout.significantDigits).toBe(4);
  });

  test('has the options that the reading states', async () => {
    const registry = createRegistry();
    const family = { name: 'x', unit: 'By', significantDigits: 4, boundaries: [7] };
    ingest(registry, { name: 's' }).take([reading([1, 0, 0, 0], { family })]);
    const { boundaries, layout } = (await registry.gather()).families[0]!;
    expect([boundaries, layout.significantDigits]).toEqual([[7], 4]);
  });
});

describe('a registered family', () => {
  test('takes values in its unit whatever its ticks are', () => {
    const registry = createRegistry();
    const family = registry.histogram({ name: 'x', unit: 's', significantDigits: 3 });
    const asked = { name: 'x', unit: 's', resolution: 0.5, significantDigits: 1 };
    expect(familyFor(registry, asked, explicitLayout([1]))).toBe(family);
  });

  test.each<[Partial<FamilyOptions>, object]>([
    [{ unit: 'ms' }, { option: 'unit', registered: 's', got: 'ms' }],
    [{ resolution: 1e-3 }, { option: 'resolution', registered: 1e-9, got: 1e-3 }],
    [{ significantDigits: 3 }, { option: 'significantDigits', registered: 2, got: 3 }],
  ])('refuses counts in ticks with %j', (asked, details) => {
    const registry = createRegistry();
    registry.histogram({ name: 'x', unit: 's' });
    const refusal = refusalOf(
      () => familyFor(registry, { name: 'x', unit: 's', ...asked }),
      'ERR_ALREADY_REGISTERED',
    );
    expect(refusal.details).toEqual({ name: 'x', ...details });
  });

  test('counts values of HDR slots that reach beyond its own', () => {
    const registry = createRegistry();
    const family = registry.histogram({ name: 'x', unit: 's', significantDigits: 2 });
    const countsOf = (significantDigits: number): Counted => {
      const histogram = new Histogram({ significantDigits, autoResize: true });
      for (const value of [3, 100_900, 5_000_000]) histogram.record(value, 4);
      return histogram;
    };
    // Slots of 1 digit are single integers up to 31. Finer slots lie in those of the family.
    expect([0, 1, 2, 3].map((digits) => inexactCount(family, countsOf(digits), 0))).toEqual([12, 8, 0, 0]);
    const moved = new Histogram({ significantDigits: 5, autoResize: true });
    moved.add(countsOf(1));
    expect(inexactCount(family, moved, 0)).toBe(12);
    const source = ingest(registry, { name: 'log' });
    source.take([reading(countsOf(1), { family: { name: 'x', unit: 's' } })]);
    expect(source.health.inexact).toBe(8);
  });

  test('says whether its digits keep the slots of a layout apart', () => {
    const registry = createRegistry();
    const [coarse, fine] = [0, 1].map((significantDigits) =>
      registry.histogram({ name: `x${significantDigits}`, unit: 's', resolution: 1e-6, significantDigits }),
    );
    const counted = countedIn(MICROSECONDS, [3], { from: 1 });
    expect([inexactCount(coarse!, counted, 0), inexactCount(fine!, counted, 0)]).toEqual([3, 0]);
  });
});
