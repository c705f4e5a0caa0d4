import { inSlices, type Patience, Slices } from '@hdrscope/kit';
import { EMPTY_SNAPSHOT, type Registry, type Snapshot } from '@hdrscope/registry';
import { type FamilyFacts, type ShownRegistry, snapshotAt } from '@hdrscope/registry/internal';
import { EXPLICIT } from '../explicit.ts';
import { EXPONENTIAL } from '../exponential.ts';
import { KeptPoints, type PointKind } from '../kept-points.ts';
import { knownSettings, type MetricSettings, settingsOfFamily } from '../metric-settings.ts';
import { type FamilySeries, type KeptKind, toScopeMetrics } from '../metrics.ts';
import { type HistogramValue, Temporality } from '../sdk.ts';
import { type Delivery, startInTime } from './delivery.ts';
import { type Item, itemsOf } from './encoding.ts';
import { EXPONENTIAL_IN_PLACE } from './exponential-in-place.ts';
import type { OtlpSenderMemory } from './memory.ts';
import { numberMetrics, type OtlpNumbers } from './numbers.ts';
import type { SenderSettings } from './options.ts';

/** The counts that the receiver has before a delivery. */
export type DeliveryBase = Partial<Pick<Delivery, 'snapshot' | 'numbers'>>;

/** Makes deliveries of one temporality. */
export interface Deliveries {
  /**
   * All that the receiver does not have, in deltas.
   *
   * @param base What it has. @default what it has taken
   * @param patience How long the work may rest. @default it does not
   */
  changes(snapshot: Snapshot, base?: DeliveryBase, patience?: Patience): Promise<Delivery>;
  /** Cumulative counts. They are those of a moment after `timeMs`. */
  totals(registry: ShownRegistry, patience: Patience): Promise<Delivery>;
}

export function deliveriesFor(
  registry: Registry,
  settings: SenderSettings,
  memory: OtlpSenderMemory,
): Deliveries {
  const { numbers = NO_NUMBERS, maxRequestBytes, histograms: wanted } = settings;
  const known = knownSettings(registry);
  const isDelta = settings.temporality === 'delta';
  const temporality = isDelta ? Temporality.DELTA : Temporality.CUMULATIVE;
  // Cumulative counts are made when nothing is left to send of those before.
  const exponential = isDelta ? EXPONENTIAL : EXPONENTIAL_IN_PLACE;
  const kinds = { exponential: keptKind(exponential, isDelta), explicit: keptKind(EXPLICIT, isDelta) };
  const itemsFrom = async (
    families: Iterable<FamilySeries>,
    timeMs: number,
    patience?: Patience,
  ): Promise<Item[]> => {
    const conversion = {
      kindOf: ({ format }: MetricSettings) => kinds[wanted ?? format ?? 'exponential'],
      temporality,
      timeMs,
      settingsOf: (family: FamilyFacts) => settingsOfFamily(known, family),
    };
    return itemsOf(
      await inSlices(toScopeMetrics(families, conversion), new Slices(patience && { patience })),
    );
  };
  const begin = { done: 0, tried: 0, settled: 0, mostBytes: maxRequestBytes };
  return {
    async changes(snapshot, from = {}, patience) {
      const { snapshot: base = memory.base, numbers: before = memory.numbers! } = from;
      const { timeMs } = snapshot;
      const histograms = await itemsFrom(snapshot.changesSince(base ?? EMPTY_SNAPSHOT), timeMs, patience);
      const own = numberMetrics(numbers, temporality, timeMs, before);
      const items = [...histograms, ...itemsOf([own.scope])];
      startInTime(items, timeMs, base?.timeMs || timeMs - 1);
      return { ...begin, items, snapshot, numbers: own.now };
    },
    async totals({ families, timeMs }, patience) {
      // The start of the counters stays.
      const before = memory.numbers!;
      const histograms = await itemsFrom(families, timeMs, patience);
      const own = numberMetrics(numbers, temporality, timeMs, before);
      const items = [...histograms, ...itemsOf([own.scope])];
      return { ...begin, items, snapshot: snapshotAt(EMPTY_SNAPSHOT, timeMs), numbers: before };
    },
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
