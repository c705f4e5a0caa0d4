import { SparseCounts } from '../../src/counts/sparse.ts';
import { describeCounts } from '../support/counts-suite.ts';

describeCounts('sparse counts', (length) => new SparseCounts(length));

describe('the memory of sparse counts', () => {
  const LENGTH = 45_056;

  test('is that of the pages touched', () => {
    const counts = new SparseCounts(LENGTH);
    const table = (LENGTH / 64) * 4;
    expect(counts.byteLength).toBe(table + 64 * 4);
    for (let slot = 0; slot < 64; slot++) counts.increment(slot);
    expect(counts.byteLength).toBe(table + 64 * 4);
    counts.increment(40_000);
    expect(counts.byteLength).toBeLessThanOrEqual(table + 3 * 64 * 4);
  });

  test('stays below an eighth above what is used when all is touched', () => {
    const counts = new SparseCounts(LENGTH);
    for (let slot = 0; slot < LENGTH; slot += 64) counts.increment(slot);
    expect(counts.byteLength).toBeLessThan(LENGTH * 4 * 1.15 + LENGTH);
  });

  test('is what it takes after many slots were added at once', () => {
    const pages = 100;
    const slots = Int32Array.from({ length: pages }, (_, page) => page * 64 + 3);
    const counts = new SparseCounts(LENGTH);
    let rest = pages;
    counts.addRuns({
      total: pages,
      first: 3,
      last: slots.at(-1)!,
      slots,
      counts: new Float64Array(pages).fill(1),
      next: () => {
        const length = rest;
        rest = 0;
        return length;
      },
    });
    expect(counts.byteLength).toBe((LENGTH / 64) * 4 + pages * 64 * 4);
  });

  test('is given back when cleared', () => {
    const counts = new SparseCounts(LENGTH);
    for (let slot = 0; slot < LENGTH; slot += 64) counts.add(slot, 2 ** 32);
    counts.clear();
    expect(counts.byteLength).toBe((LENGTH / 64) * 4 + 64 * 4);
  });

  test('is not touched by reading', () => {
    const counts = new SparseCounts(LENGTH);
    const before = counts.byteLength;
    for (let slot = 0; slot < LENGTH; slot++)
      if (counts.at(slot) !== 0) throw new Error(`slot ${slot} is used`);
    expect(counts.byteLength).toBe(before);
  });
});
