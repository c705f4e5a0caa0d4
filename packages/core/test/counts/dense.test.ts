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

test('dense counts take over those of more than a thousand neighbouring slots, and their own', () => {
  const [slots, low, large] = [3000, 5, 2 ** 31 - 1];
  const [counts, other] = [new DenseCounts(slots), new DenseCounts(slots)];
  const countOf = (slot: number): number => (slot % 1000 === 999 ? large : slot % low);
  for (let slot = 100; slot < slots; slot++) {
    counts.add(slot, countOf(slot));
    other.add(slot, countOf(slot));
  }
  counts.addAll(other);
  const seen = counts.seen();
  for (let slot = 0; slot < slots; slot++) {
    expect(seen.at(slot)).toBe(slot < 100 ? 0 : 2 * countOf(slot));
  }
  other.addAll(other);
  for (let slot = 0; slot < slots; slot++) expect(other.at(slot)).toBe(seen.at(slot));
  expect(seen.total).toBe(other.total);
});
