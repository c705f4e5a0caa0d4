import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { gzipInSlices } from '../../src/delivery/index.ts';
import { joinBytes, Slices } from '../../src/index.ts';

test('what is compressed in slices comes out as it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.uint8Array({ maxLength: 50 }), fc.integer({ min: 1, max: 2000 }))),
      fc.constantFrom(undefined, 1, 9),
      async (pieces, level) => {
        const parts = pieces.map(([bytes, times]) => joinBytes(Array.from({ length: times }, () => bytes)));
        const zipped = joinBytes(await gzipInSlices(parts, new Slices(), { level }));
        expect(Buffer.from(joinBytes(parts)).equals(gunzipSync(zipped))).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});

test('an aborted signal ends the work', async () => {
  const controller = new AbortController();
  const zipping = gzipInSlices([new Uint8Array(1 << 24)], new Slices(), { signal: controller.signal });
  controller.abort();
  await expect(zipping).rejects.toThrow('aborted');
});
