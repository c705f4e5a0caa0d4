import { inSlices, Slices } from '@hdrscope/kit';
import { EMPTY_SNAPSHOT, type Registry, type Snapshot } from '@hdrscope/registry';
import { type FamilyFacts, showSnapshot } from '@hdrscope/registry/internal';
import { EXPLICIT } from '../explicit.ts';
import { EXPONENTIAL } from '../exponential.ts';
import { KeptPoints, type PointKind } from '../kept-points.ts';
import { knownSettings, type MetricSettings, settingsOfFamily } from '../metric-settings.ts';
import { type FamilySeries, type KeptKind, toScopeMetrics } from '../metrics.ts';
import { type HistogramValue, Temporality } from '../sdk.ts';
import { type Delivery, startInTime } from './delivery.ts';
import { itemsOf } from './encoding.ts';
import type { OtlpSenderMemory } from './memory.ts';
import { numberMetrics, type OtlpNumbers } from './numbers.ts';
import type { SenderSettings } from './options.ts';

/** The counts that the receiver has before a delivery. */
export type DeliveryBase = Partial<Pick<Delivery, 'snapshot' | 'numbers'>>;

/**
 * Makes deliveries of snapshots: all that the receiver does not have, in deltas.
 *
 * @param base What it has. @default what it has taken
 */
export type DeliveryOf = (snapshot: Snapshot, base?: DeliveryBase) => Promise<Delivery>;

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
  return async (snapshot, { snapshot: base = memory.base, numbers: before = memory.numbers! } = {}) => {
    const { timeMs } = snapshot;
    const conversion = {
      kindOf: ({ format }: MetricSettings) => kinds[wanted ?? format ?? 'exponential'],
      temporality,
      timeMs,
      settingsOf: (family: FamilyFacts) => settingsOfFamily(known, family),
    };
    const families: Iterable<FamilySeries> = isDelta
      ? snapshot.changesSince(base ?? EMPTY_SNAPSHOT)
      : showSnapshot(snapshot).families;
    const histograms = itemsOf(await inSlices(toScopeMetrics(families, conversion), new Slices()));
    const own = numberMetrics(numbers, temporality, timeMs, before);
    const items = [...histograms, ...itemsOf([own.scope])];
    if (isDelta) startInTime(items, timeMs, base?.timeMs || timeMs - 1);
    return {
      items,
      done: 0,
      tried: 0,
      settled: 0,
      mostBytes: maxRequestBytes,
      snapshot,
      // The start of cumulative counters stays.
      numbers: isDelta ? own.now : before,
    };
  };
}

function keptKind<Value extends HistogramValue>(kind: PointKind<Value>, isDelta: boolean): KeptKind {
  return (isDelta ? { kind } : { kind, kept: new KeptPoints(kind) }) as unknown as KeptKind;
}

const NO_NUMBERS: OtlpNumbers = { scope: '', read: () => [] };

/** What a registry has counted between two snapshots: values, and series that have ended. */
export interface News {
  readonly values: number;
  readonly ended: number;
}

export async function newsBetween(base: Snapshot, now: Snapshot): Promise<News> {
  const slices = new Slices();
  let values = 0;
  let ended = 0;
  for (const { family, series } of now.changesSince(base)) {
    // All states of a series share their attributes.
    const live = new Set(family.series.map(({ attributes }) => attributes));
    for (const { attributes, counts } of series) {
      values += counts.total;
      if (!live.has(attributes)) ended++;
      if (slices.isOver()) await slices.next();
    }
  }
  return { values, ended };
}
