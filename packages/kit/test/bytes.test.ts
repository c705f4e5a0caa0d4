import fc from 'fast-check';
import { chunkBytes } from '../src/delivery/index.ts';
import { countBytes, joinBytes } from '../src/index.ts';

test('chunks have the bytes of all parts, each as many as it should or less than twice as many, the last one perhaps fewer', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 })),
      fc.integer({ min: 1, max: 20 }),
      (parts, least) => {
        const chunks = [...chunkBytes(parts, least)];
        expect(Buffer.concat(chunks).equals(joinBytes(parts))).toBe(true);
        expect(countBytes(chunks)).toBe(countBytes(parts));
        for (const [i, { length }] of chunks.entries()) {
          expect(length).toBeGreaterThanOrEqual(i === chunks.length - 1 ? 1 : least);
          expect(length).toBeLessThan(2 * least);
        }
      },
    ),
  );
});

test('a part that is long enough is not copied', () => {
  const part = new Uint8Array(1000);
  for (const { buffer } of chunkBytes([part], 64)) expect(buffer).toBe(part.buffer);
});
