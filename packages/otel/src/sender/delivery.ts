import { Slices } from '@hdrscope/kit';
import type { Snapshot } from '@hdrscope/registry';
import { snapshotAt } from '@hdrscope/registry/internal';
import { EXPONENTIAL } from '../exponential.ts';
import { hrTime } from '../point.ts';
import { type ExponentialHistogramValue, type HistogramValue, PointType } from '../sdk.ts';
import { isNumber } from './encode.ts';
import { type Item, nanoseconds } from './encoding.ts';
import type { NumberBase } from './numbers.ts';

/** Attributes of a resource. */
export type Resource = Readonly<Record<string, string>>;

/**
 * All points of a snapshot that the receiver is to have. They go out in one request or in several. A point keeps its start, its
 * end and its counts, so that receivers recognise it when it comes again.
 */
export interface Delivery {
  readonly items: Item[];
  /** How many of the points, from the first one on, the receiver has. Those that were given up count too. */
  done: number;
  /** How many of the points, from the first one on, the receiver may have. */
  tried: number;
  /** How many points the receiver has taken, or were given up. Those that are dropped from `items` count too. */
  settled: number;
  /** The most bytes of a request, before it is compressed. */
  mostBytes: number;
  /** The snapshot whose counts the receiver has after all points. For cumulative counts, which need none, it has its time alone. */
  readonly snapshot: Snapshot;
  readonly numbers: NumberBase;
  /** The resource of an earlier process, whose delivery this is. Its snapshot has no counts. `undefined` for one of this process. */
  readonly resource?: Resource;
  /** The file of a queue that has the delivery. */
  file?: string;
}

/** Moves starts behind the end, which series have that began before the clock was set back. */
export function startInTime(items: Item[], endMs: number, startMs: number): void {
  const end = nanoseconds(hrTime(endMs));
  for (const [i, item] of items.entries()) {
    if (nanoseconds(item.point.startTime) <= end) continue;
    items[i] = withTimes(item, { startTime: hrTime(startMs) });
  }
}

function withTimes(item: Item, times: Partial<Pick<Item['point'], 'startTime' | 'endTime'>>): Item {
  return { ...item, point: { ...item.point, ...times } as Item['point'] };
}

/** The points of a delivery that the receiver lacks, with another end. The receiver certainly has none of them. */
export function atTime({ items, snapshot, numbers, ...delivery }: Delivery, timeMs: number): Delivery {
  const renewed = items.map((item) => withTimes(item, { endTime: hrTime(timeMs) }));
  startInTime(renewed, timeMs, timeMs - 1);
  return {
    ...{ ...delivery, tried: 0, items: renewed },
    snapshot: snapshotAt(snapshot, timeMs),
    numbers: { ...numbers, timeMs },
  };
}

/** Drops what the receiver has, and makes the rest small: a delivery may wait for as long as an outage takes. */
export function compact(delivery: Delivery): void {
  const { items } = delivery;
  items.splice(0, delivery.done);
  delivery.tried = Math.max(0, delivery.tried - delivery.done);
  delivery.done = 0;
  for (const [i, item] of items.entries()) items[i] = packed(item);
}

/** Makes points small that nobody sends yet. Other work runs in between. */
export async function pack({ items }: Delivery): Promise<void> {
  const slices = new Slices();
  for (const [i, item] of items.entries()) {
    items[i] = packed(item);
    if (slices.isOver()) await slices.next();
  }
}

function packed(item: Item): Item {
  if (item.metric.dataPointType !== PointType.EXPONENTIAL_HISTOGRAM) return item;
  const value = EXPONENTIAL.packed!(item.point.value as ExponentialHistogramValue);
  return value === item.point.value ? item : { ...item, point: { ...item.point, value } as Item['point'] };
}

/** How many values the histograms among some points have. */
export function valuesIn(items: readonly Item[]): number {
  let values = 0;
  for (const item of items) if (!isNumber(item)) values += (item.point.value as HistogramValue).count;
  return values;
}
