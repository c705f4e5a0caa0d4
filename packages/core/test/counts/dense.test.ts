import { DenseCounts } from '../../src/counts/dense.ts';
import { describeCounts } from '../support/counts-suite.ts';

describeCounts('dense counts', (length) => new DenseCounts(length));

test('a dense count takes four bytes, and eight after the first that passes 2^32', () => {
  const counts = new DenseCounts(1024);
  counts.add(3, 2 ** 32 - 1);
  expect(counts.byteLength).toBe(4096);
  counts.increment(3);
  expect(counts.byteLength).toBe(8192);
});
