import type { Attributes } from '@hdrscope/registry';
import type { Frame, KernelHistogram, KernelSource } from '../../src/index.ts';

/** A source, and control over what it reads. */
export interface ControlledSource {
  readonly source: KernelSource;
  /** Counts a slot `times` more: `who` chooses the histogram, when the source has several. */
  count(slot: number, times: number, who: 'first' | 'second'): void | Promise<void>;
  /** Attributes of the histogram of `who`; absent when the source has one histogram. */
  attributesOf?(who: 'first' | 'second'): Attributes;
  /** Adds to the sum of `first`; absent when the source has no sum. */
  addToSum?(amount: number): void | Promise<void>;
  /** Replaces what is read by something new without counts. */
  replace?(): void | Promise<void>;
  /** Removes what is read, so that reading fails. */
  lose?(): void | Promise<void>;
  /** Adds something to read again after `lose`. */
  restore?(): void | Promise<void>;
  /** Closes what `source.close` does not. */
  dispose(): void | Promise<void>;
}

/**
 * The contract of every source of kernel histograms.
 *
 * @param run `test`, or `test.skip`.
 * @param make Makes a source without counts.
 */
export function describeKernelSource(
  title: string,
  run: typeof test,
  make: () => ControlledSource | Promise<ControlledSource>,
): void {
  describe(`the source ${title}`, () => {
    let counted: ControlledSource;

    beforeEach(async () => {
      if (run !== test.skip) counted = await make();
    });

    afterEach(async () => {
      await counted?.source.close();
      await counted?.dispose();
    });

    async function countAndRead(slot: number, times: number, who: 'first' | 'second' = 'first') {
      await counted.count(slot, times, who);
      return counted.source.read();
    }

    run('has a name', () => {
      expect(counted.source.name).toMatch(/^the \w/);
    });

    run('delivers cumulative counts, and leaves them in place', async () => {
      const slot = 1;
      expect(totalAt(await countAndRead(slot, 3), slot)).toBe(3);
      expect(totalAt(await countAndRead(slot, 4), slot)).toBe(7);
      expect(totalAt(await counted.source.read(), slot)).toBe(7);
      expect(totalAt(await countAndRead(2, 5), slot)).toBe(7);
      expect(totalAt(await counted.source.read(), 2)).toBe(5);
    });

    run('delivers a counter for each slot and CPU, in frames that do not change later', async () => {
      const frame = await countAndRead(1, 3);
      const before = structuredClone(frame.histograms.map(({ counts }) => counts));
      await countAndRead(1, 3);
      expect([32, 64]).toContain(frame.counterBits);
      expect(frame.cpuCount).toBeGreaterThanOrEqual(1);
      for (const [i, { counts, sums, layout, name }] of frame.histograms.entries()) {
        expect(name).not.toBe('');
        expect(counts).toHaveLength(frame.cpuCount * layout.slots.slotCount);
        expect([...counts].every((count) => Number.isSafeInteger(count) && count >= 0)).toBe(true);
        if (sums !== undefined) expect(sums).toHaveLength(frame.cpuCount);
        expect(counts).toEqual(before[i]);
      }
    });

    run('keeps its generation while it counts', async () => {
      const { generation } = await countAndRead(1, 1);
      expect((await countAndRead(1, 1)).generation).toBe(generation);
    });

    run('distinguishes histograms by their attributes', async () => {
      if (counted.attributesOf === undefined) return expectOne(await countAndRead(1, 1));
      await counted.count(1, 2, 'first');
      const frame = await countAndRead(1, 5, 'second');
      for (const [who, times] of [
        ['first', 2],
        ['second', 5],
      ] as const) {
        const found = frame.histograms.filter(
          ({ attributes }) => JSON.stringify(attributes) === JSON.stringify(counted.attributesOf!(who)),
        );
        expect(found.map((histogram) => slotTotal(histogram, frame, 1))).toEqual([times]);
      }
    });

    run('delivers the sum when the program keeps one', async () => {
      await counted.addToSum?.(1);
      const { histograms } = await countAndRead(1, 1);
      const sums = histograms.map(({ sums }) => sums?.reduce((a, b) => a + b, 0));
      expect(sums[0]).toBe(counted.addToSum === undefined ? undefined : 1);
    });

    run('begins a new generation when it was replaced', async () => {
      if (counted.replace === undefined) return;
      const { generation } = await countAndRead(1, 9);
      await counted.replace();
      const frame = await countAndRead(1, 2);
      expect(frame.generation).not.toBe(generation);
      expect(totalAt(frame, 1)).toBe(2);
    });

    run('fails while there is nothing to read, and recovers', async () => {
      if (counted.lose === undefined || counted.restore === undefined) return;
      const { generation } = await countAndRead(1, 9);
      await counted.lose();
      for (let i = 0; i < 2; i++) {
        await expect(async () => counted.source.read()).rejects.toThrow(
          expect.objectContaining({ code: 'ERR_KERNEL' }),
        );
      }
      await counted.restore();
      const frame = await countAndRead(1, 2);
      expect(totalAt(frame, 1)).toBe(2);
      expect(frame.generation).not.toBe(generation);
    });

    run('can be closed before it was read, and twice', async () => {
      await counted.source.close();
      await counted.source.close();
    });
  });
}

/** The count of a slot in all histograms on all CPUs. */
function totalAt(frame: Frame, slot: number): number {
  return frame.histograms.reduce((total, histogram) => total + slotTotal(histogram, frame, slot), 0);
}

/** The count of each slot on all CPUs. */
export function slotTotals({ counts, layout }: KernelHistogram): readonly number[] {
  const { slotCount } = layout.slots;
  return Array.from({ length: slotCount }, (_, slot) =>
    counts.reduce((total, count, i) => (i % slotCount === slot ? total + count : total), 0),
  );
}

function slotTotal(histogram: KernelHistogram, { cpuCount }: Frame, slot: number): number {
  expect(histogram.counts).toHaveLength(cpuCount * histogram.layout.slots.slotCount);
  return slotTotals(histogram)[slot]!;
}

function expectOne({ histograms }: Frame): void {
  expect(histograms).toHaveLength(1);
}
