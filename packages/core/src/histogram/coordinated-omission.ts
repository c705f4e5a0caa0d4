import type { HdrLayout } from '../layout/hdr.ts';
import { least, plus, type SlotValues, times } from './slot-values.ts';

/**
 * The counts by slot of `value`, `value - interval`, `value - 2 * interval`, … down to the last number of at least `interval`.
 * The share of a slot is computed at once, so the number of slots bounds the work, however small the interval is.
 *
 * @param value An integer of at least `interval`.
 * @param interval An integer of at least 1.
 */
export function* correctedCounts<V extends number | bigint>(
  layout: HdrLayout,
  values: SlotValues<V>,
  value: V,
  interval: V,
): Generator<[slot: number, count: number], void, undefined> {
  const [one, minusOne] = [values.of(1), values.of(-1)];
  const steps = quotient(value, interval);
  let rest = value;
  for (let left = steps; left > 0; ) {
    const slot = values.slotOf(layout, rest);
    const above = plus(rest, times(minusOne, values.lower(layout, slot)));
    const within = plus(quotient(above, interval), one);
    const share = least(within, left);
    yield [slot, Number(share)];
    left = plus(left, times(minusOne, share));
    rest = plus(rest, times(minusOne, times(share, interval)));
  }
}

/** The number of these values: at least 1. */
export function correctedTotal(value: number | bigint, interval: number | bigint): number {
  const bothBig = typeof value === 'bigint' && typeof interval === 'bigint';
  return Math.max(1, Math.floor(bothBig ? Number(value / interval) : Number(value) / Number(interval)));
}

function quotient<V extends number | bigint>(a: V, b: V): V {
  return (typeof a === 'bigint' ? a / (b as bigint) : Math.floor((a as number) / (b as number))) as V;
}
