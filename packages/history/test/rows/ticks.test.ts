import { fromTicks, resolutionOf } from '@hdrscope/core/internal';
import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { rowsBetween } from '../../src/index.ts';
import { sumInTicks, valueInTicks } from '../../src/rows/ticks.ts';

const scale = fc.constantFrom(1e-9, 1e-6, 1e-3, 0.01, 1, 60, 1024, 2 ** -20);

test('a value that was a tick is that tick, and gives the very same double back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 50 }), scale, (ticks, step) => {
      const resolution = resolutionOf(step);
      const value = fromTicks(resolution, ticks);
      expect(valueInTicks(value, resolution)).toBe(ticks);
      expect(fromTicks(resolution, valueInTicks(value, resolution))).toBe(value);
    }),
    { numRuns: caseCount(500, 2000) },
  );
});

test('a value between two ticks keeps its place, to the last bits of a double', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), scale, (value, step) => {
      const resolution = resolutionOf(step);
      const again = fromTicks(resolution, valueInTicks(value, resolution));
      expect(Math.abs(again - value)).toBeLessThanOrEqual(value * 2 ** -50);
    }),
    { numRuns: caseCount(500, 2000) },
  );
  const bytes = resolutionOf(1);
  expect(valueInTicks(0.25, bytes)).toBe(0.25);
  expect(sumInTicks(0.25, bytes)).toBe(0.25);
  expect(sumInTicks(1000.001, bytes)).toBe(1000.001);
  expect(sumInTicks(2 ** 30 + 0.25, bytes)).toBe(2 ** 30 + 0.25);
});

test('nanoseconds that were milliseconds before they became seconds are whole', () => {
  const value = 1 / 1e6 / 1000;
  expect(value).toBe(9.999999999999999e-10);
  expect(valueInTicks(value, resolutionOf(1e-9))).toBe(1);
});

test('sums of intervals are whole ticks, also after a million records', async () => {
  const registry = createRegistry();
  const series = registry.histogram({ name: 'rpc', unit: 's' }).with({});
  let before = await registry.gather({ maxAgeMs: 0 });
  for (let interval = 0; interval < 100; interval++) {
    let sum = 0;
    for (let i = 0; i < 10_000; i++) {
      const ticks = 1_000_003 * ((i * 7919 + interval) % 1009) + i;
      sum += ticks;
      series.record(ticks / 1e9);
    }
    const now = await registry.gather({ maxAgeMs: 0 });
    const [row] = rowsBetween(before, now, { producer: 'test' });
    expect(row!.sum).toBe(sum);
    before = now;
  }
});
