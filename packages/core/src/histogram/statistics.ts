import type { HdrCounts } from './iteration.ts';

/** The mean of the slots' middles, each as often as it was counted; 0 when there is none. */
export function meanOf({ layout, counts }: HdrCounts): number {
  if (counts.total === 0) return 0;
  let sum = 0;
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    sum += layout.midpoint(slot) * counts.at(slot);
  }
  return sum / counts.total;
}

/** The standard deviation of a population, of the slots' middles; 0 when there is none. */
export function standardDeviationOf({ layout, counts }: HdrCounts): number {
  if (counts.total === 0) return 0;
  const mean = meanOf({ layout, counts });
  let squares = 0;
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    const deviation = layout.midpoint(slot) - mean;
    squares += deviation * deviation * counts.at(slot);
  }
  return Math.sqrt(squares / counts.total);
}
