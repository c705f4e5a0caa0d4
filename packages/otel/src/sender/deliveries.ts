import { EMPTY_SNAPSHOT, type FamilySnapshot, type Registry, type Snapshot } from '@hdrscope/registry';
import { snapshotAt } from '@hdrscope/registry/internal';
import { EXPLICIT } from '../explicit.ts';
import { EXPONENTIAL } from '../exponential.ts';
import { KeptPoints, type PointKind } from '../kept-points.ts';
import { knownSettings, type MetricSettings, settingsOfFamily } from '../metric-settings.ts';
import { type KeptKind, type ShownFamily, toScopeMetrics } from '../metrics.ts';
import { hrTime } from '../point.ts';
import { type ExponentialHistogramValue, type HistogramValue, PointType, Temporality } from '../sdk.ts';
import { isNumber } from './encode.ts';
import { type Item, itemsOf, nanoseconds } from './encoding.ts';
import type { Delivery, OtlpSenderMemory } from './memory.ts';
import { numberMetrics, type OtlpNumbers } from './numbers.ts';
import type { SenderSettings } from './options.ts';

/** Makes deliveries of snapshots: all that the receiver does not have, in deltas. */
export type DeliveryOf = (snapshot: Snapshot) => Promise<Delivery>;

export function deliveriesFor(
  registry: Registry,
  settings: SenderSettings,
  memory: OtlpSenderMemory,
): DeliveryOf {
  const { numbers = NO_NUMBERS, maxRequestBytes, histograms: wanted } = settings;
  const known = knownSettings(registry);
  const temporality = settings.temporality === 'delta' ? Temporality.DELTA : Temporality.CUMULATIVE;
  const isDelta = temporality === Temporality.DELTA;
  const kinds = { exponential: keptKind(EXPONENTIAL, isDelta), explicit: keptKind(EXPLICIT, isDelta) };
  return async (snapshot) => {
    const { timeMs } = snapshot;
    const conversion = {
      kindOf: ({ format }: MetricSettings) => kinds[wanted ?? format ?? 'exponential'],
      temporality,
      timeMs,
      settingsOf: (family: FamilySnapshot) => settingsOfFamily(known, family),
    };
    const families: Iterable<ShownFamily> = isDelta
      ? snapshot.changesSince(memory.base ?? EMPTY_SNAPSHOT)
      : snapshot.families.map((family) => ({ family, series: family.series }));
    const histograms = itemsOf(await toScopeMetrics(families, conversion));
    const own = numberMetrics(numbers, temporality, timeMs, memory.numbers!);
    const items = [...histograms, ...itemsOf([own.scope])];
    if (isDelta) startInTime(items, timeMs, memory.base?.timeMs || timeMs - 1);
    return {
      items,
      done: 0,
      tried: 0,
      settled: 0,
      mostBytes: maxRequestBytes,
      snapshot,
      // The start of cumulative counters stays.
      numbers: isDelta ? own.now : memory.numbers!,
    };
  };
}

/** Moves starts behind the end, which series have that began before the clock was set back. */
function startInTime(items: Item[], endMs: number, startMs: number): void {
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

function keptKind<Value extends HistogramValue>(kind: PointKind<Value>, isDelta: boolean): KeptKind {
  return (isDelta ? { kind } : { kind, kept: new KeptPoints(kind) }) as unknown as KeptKind;
}

const NO_NUMBERS: OtlpNumbers = { scope: '', read: () => [] };

/** Drops what the receiver has, and makes the rest small: a delivery may wait for as long as an outage takes. */
export function compact(delivery: Delivery): void {
  const { items } = delivery;
  items.splice(0, delivery.done);
  delivery.tried = Math.max(0, delivery.tried - delivery.done);
  delivery.done = 0;
  for (const [i, item] of items.entries()) {
    if (item.metric.dataPointType !== PointType.EXPONENTIAL_HISTOGRAM) continue;
    const value = EXPONENTIAL.packed!(item.point.value as ExponentialHistogramValue);
    if (value === item.point.value) continue;
    items[i] = { ...item, point: { ...item.point, value } as Item['point'] };
  }
}

/** How many values the histograms among some points have. */
export function valuesIn(items: readonly Item[]): number {
  let values = 0;
  for (const item of items) if (!isNumber(item)) values += (item.point.value as HistogramValue).count;
  return values;
}

/** What a registry has counted between two snapshots: values, and series that have ended. */
export interface News {
  readonly values: number;
  readonly ended: number;
}

export function newsBetween(base: Snapshot, now: Snapshot): News {
  let values = 0;
  let ended = 0;
  for (const { family, series } of now.changesSince(base)) {
    // All states of a series share their attributes.
    const live = new Set(family.series.map(({ attributes }) => attributes));
    for (const { attributes, counts } of series) {
      values += counts.total;
      if (!live.has(attributes)) ended++;
    }
  }
  return { values, ended };
}
