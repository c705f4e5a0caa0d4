import { decimalLayout } from './decimal.ts';

/** Leading digits of the boundaries of a decade, by their number. */
const LEADING = {
  1: [1],
  3: [1, 2, 5],
  9: [1, 2, 3, 4, 5, 6, 7, 8, 9],
} as const;

/**
 * Boundaries at round numbers, from the last one that is at most `from` to the first one that is at least `to`.
 *
 * @param from Above 0.
 * @param perDecade How many there are in a decade: 3 are at 1, 2 and 5.
 */
export function roundBounds(from: number, to: number, perDecade: keyof typeof LEADING): number[] {
  const leading: readonly number[] = LEADING[perDecade];
  const lowestPower = powerOf(from);
  const { edges } = decimalLayout({ digits: 1, lowestPower, decades: powerOf(to) - lowestPower + 1 });
  const round = edges.filter((edge) => leading.includes(Number(edge.toExponential()[0])));
  const first = round.findLastIndex((edge) => edge <= from);
  const last = round.findIndex((edge) => edge >= to);
  return round.slice(first, last + 1);
}

/** The largest power of ten that is at most a number. */
function powerOf(value: number): number {
  // Math.log10 is rounded.
  return Number(value.toExponential().split('e')[1]);
}
