import fc from 'fast-check';

/** Boundaries of a family, in seconds. Some of the wide buckets end there too. */
export const BOUNDARIES: readonly number[] = [0.5, 1, 2, 5];

const value = fc.integer({ min: 1, max: 10_000_000 }).map((us) => us / 1e6);

/** Up to 20 values, in seconds. */
export const values: fc.Arbitrary<number[]> = fc.array(value, { minLength: 1, maxLength: 20 });

/** The functions of `@hdrscope/core` that make layouts of wide buckets. */
interface LayoutMakers<Layout> {
  explicitLayout(bounds: readonly number[]): Layout;
  exponentialLayout(options: { scale: number; minIndex: number; maxIndex: number }): Layout;
}

/** Layouts whose buckets are wider than the slots of a family. */
export function wideLayouts<Layout>({
  explicitLayout,
  exponentialLayout,
}: LayoutMakers<Layout>): fc.Arbitrary<Layout> {
  // Bounded: BOUNDARIES is a list in this file.
  const bound = fc.oneof(value, fc.constantFrom(...BOUNDARIES));
  return fc.oneof(
    fc
      .uniqueArray(bound, { minLength: 1, maxLength: 5 })
      .map((bounds) => explicitLayout(bounds.sort((a, b) => a - b))),
    fc
      .integer({ min: 0, max: 5 })
      .map((scale) => exponentialLayout({ scale, minIndex: -20 * 2 ** scale, maxIndex: 5 * 2 ** scale })),
  );
}

/** How many values must move to another bucket to make one distribution the other. Both have the same number of values. */
export function countMoves(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): number {
  const buckets = new Set([...a.keys(), ...b.keys()]);
  return [...buckets].reduce((sum, one) => sum + Math.abs((a.get(one) ?? 0) - (b.get(one) ?? 0)), 0) / 2;
}
