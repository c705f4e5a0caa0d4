/** How many cells lie between two neighbouring slots of each axis, where the last axis runs fastest. */
export function computeStrides(slotCounts: readonly number[]): number[] {
  const strides = slotCounts.map(() => 1);
  for (let i = slotCounts.length - 2; i >= 0; i--) strides[i] = strides[i + 1]! * slotCounts[i + 1]!;
  return strides;
}
