import { DenseCounts } from '../../src/counts/dense.ts';
import { describeCounts } from '../support/counts-suite.ts';

describeCounts('dense counts', (length) => new DenseCounts(length));

test('a dense count takes four bytes, and eight after the first that passes 2^31', () => {
  const counts = new DenseCounts(1024);
  counts.add(3, 2 ** 31 - 2);
  expect(counts.byteLength).toBe(4096);
  counts.add(3, 1);
  expect(counts.byteLength).toBe(4096);
  counts.add(3, 1);
  expect(counts.byteLength).toBe(8192);
});
