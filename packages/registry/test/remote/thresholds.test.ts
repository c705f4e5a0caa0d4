import fc from 'fast-check';
import { bucketCounts, collectFrom, createRegistry, serveRegistry } from '../../src/index.ts';
import { FakePort } from '../support/ports.ts';

const THRESHOLDS = [0.1, 0.25, 0.2501, 0.3];
const OPTIONS = { name: 'x', unit: 's', boundaries: THRESHOLDS, thresholds: [0.25, 7], otherThresholds: [9] };

test('counts of a remote registry at thresholds are those of its values', async () => {
  const value = fc.oneof(
    fc.constantFrom(...THRESHOLDS, 0.100_000_001, 0.2502, 0.299_999_9),
    fc.double({ min: 0.09, max: 0.31, noNaN: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(value, { maxLength: 30 }), { maxLength: 3 }), async (rounds) => {
      const { main: ours, remote: theirs } = FakePort.pair();
      const [registry, remote] = [createRegistry(), createRegistry()];
      const stop = serveRegistry(remote, theirs);
      collectFrom(registry, ours);
      const expected = new Array<number>(THRESHOLDS.length + 1).fill(0);
      for (const values of rounds) {
        for (const one of values) {
          remote.histogram(OPTIONS).with({}).record(one);
          const at = THRESHOLDS.findIndex((threshold) => one <= threshold);
          expected[at < 0 ? THRESHOLDS.length : at]!++;
        }
        const [family] = (await registry.gather()).families;
        const [series] = family?.series ?? [];
        if (family !== undefined && series !== undefined) {
          expect(bucketCounts(family, series, THRESHOLDS)).toEqual(expected);
          expect([family.thresholds, family.statedThresholds]).toEqual([
            [...THRESHOLDS, 7, 9],
            [0.25, 7],
          ]);
        }
      }
      await stop();
    }),
    { numRuns: 30 },
  );
});
