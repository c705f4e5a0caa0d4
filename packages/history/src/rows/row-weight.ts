import type { Distribution } from './row.ts';

/** The weight of a row, as a property of it: absent where each value stands for itself. */
export function weightProperty(weight: number | undefined): Pick<Distribution, 'weight'> {
  return weight !== undefined && weight > 1 ? { weight } : {};
}

/** The largest weight of some rows. */
export function largestWeight(rows: Iterable<Pick<Distribution, 'weight'>>): number {
  let most = 1;
  for (const { weight = 1 } of rows) most = Math.max(most, weight);
  return most;
}
