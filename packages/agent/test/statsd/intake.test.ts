import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { createStatsdIntake } from '../../src/statsd/intake.ts';

/** The values of lines with sample rates, in the order of their arrival. */
const sampled = fc.array(
  fc.tuple(
    fc.constantFrom('a', 'b'),
    fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.constant(1e300)),
    fc.oneof(fc.constantFrom(1, 0.5, 0.3, 0.1, 0.7, 0.001), fc.double({ min: 0.001, max: 1, noNaN: true })),
  ),
  { minLength: 1, maxLength: 60 },
);

test('the count of a series is the integer nearest to the sum of 1 / rate, and all but the values that came are estimates', async () => {
  await fc.assert(
    fc.asyncProperty(sampled, async (lines) => {
      const registry = createRegistry();
      let added = 0;
      const intake = createStatsdIntake(
        registry,
        {
          ...{ attributes: {}, dropAttributes: {}, units: {}, significantDigits: 3, maxSeries: 10 },
          ...{ expireAfterMs: undefined, containers: false, samples: 'scaled' },
        },
        {
          added(values) {
            added += values;
          },
          note() {},
        },
      );
      const text = lines.map(([name, value, rate]) => `${name}:${value}|ms|@${rate}`).join('\n');
      const bytes = new TextEncoder().encode(text);
      intake.take(bytes, 0, bytes.length);

      const { packets } = intake.report();
      expect([added, packets.malformed]).toEqual([lines.length, 0]);
      let estimates = 0;
      for (const { name, series } of (await registry.gather()).families) {
        const { counts, rejected, estimated } = series[0]!;
        const own = lines.filter((line) => line[0] === name);
        const sum = own.reduce((sum, [, , rate]) => sum + 1 / rate, 0);
        expect(Math.abs(counts.total + rejected.tooLarge - sum)).toBeLessThanOrEqual(0.5 + 1e-9);
        const came = own.filter(([, value]) => value < 1e300).length;
        expect(counts.total - (estimated?.sum ?? 0)).toBe(came);
        estimates += estimated?.sum ?? 0;
      }
      expect(packets.estimatedValues).toBe(estimates);
    }),
    { numRuns: caseCount(100, 2000) },
  );
});
