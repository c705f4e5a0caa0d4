import { percentileInterval } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import { createRandom } from '@hdrscope/testing/random';
import { drawSample, findMostByChance, SAMPLINGS } from '@hdrscope/testing/sampling';
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
      const rates = new Map<string, number>(
        lines.map(([name, value, rate]) => [name, value < 1e300 ? rate : 1]),
      );
      for (const [name, value, rate] of lines)
        if (value < 1e300) rates.set(name, Math.min(rates.get(name)!, rate));
      for (const { name, series } of (await registry.gather()).families) {
        const { counts, rejected, estimated, weight = 1 } = series[0]!;
        const own = lines.filter((line) => line[0] === name);
        const sum = own.reduce((sum, [, , rate]) => sum + 1 / rate, 0);
        expect(Math.abs(counts.total + rejected.tooLarge - sum)).toBeLessThanOrEqual(0.5 + 1e-9);
        const came = own.filter(([, value]) => value < 1e300).length;
        expect(counts.total - (estimated?.sum ?? 0)).toBe(came);
        estimates += estimated?.sum ?? 0;
        const most = 1 / rates.get(name)!;
        expect(Math.abs(weight - most)).toBeLessThan(1 + 1e-9 * most);
      }
      expect(packets.estimatedValues).toBe(estimates);
    }),
    { numRuns: caseCount(100, 2000) },
  );
});

test.each(Object.entries(SAMPLINGS))(
  'where %s, intervals of what came hold with their confidence, also between two snapshots',
  async (_, sampling) => {
    const [runs, confidence] = [caseCount(100, 1000), 0.9];
    const missed = { ofAll: 0, since: 0 };
    for (let run = 1; run <= runs; run++) {
      const registry = createRegistry();
      const intake = createStatsdIntake(
        registry,
        {
          ...{ attributes: {}, dropAttributes: {}, units: {}, significantDigits: 3, maxSeries: 10 },
          ...{ expireAfterMs: undefined, containers: false, samples: 'scaled' },
        },
        { added() {}, note() {} },
      );
      const random = createRandom(run);
      const receive = async () => {
        const sent = [...drawSample(sampling, 10_000, random)];
        const lines = sent.map(([value, weight]) => `a:${Math.floor(value * 5000)}|ms|@${1 / weight}`);
        const bytes = new TextEncoder().encode(lines.join('\n'));
        intake.take(bytes, 0, bytes.length);
        return registry.gather();
      };
      const first = await receive();
      const second = await receive();
      for (const [name, { families }] of [
        ['ofAll', second],
        ['since', second.since(first)],
      ] as const) {
        const {
          lower,
          upper,
          confidence: known,
        } = percentileInterval(families[0]!.series[0]!, 80, { confidence });
        expect(known).toBe(confidence);
        // In ticks of a nanosecond.
        if (lower > 4000e6 || upper < 3999e6) missed[name]++;
      }
    }
    expect(Math.max(missed.ofAll, missed.since)).toBeLessThanOrEqual(findMostByChance(runs, 1 - confidence));
  },
);
