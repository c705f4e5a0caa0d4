import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { EMPTY_SNAPSHOT, type FamilyChanges, type Snapshot } from '@hdrscope/registry';
import { EXPLICIT } from '../explicit.ts';
import { EXPONENTIAL } from '../exponential.ts';
import { KeptValues, type PointKind } from '../kept-values.ts';
import { metricSettings } from '../metric-settings.ts';
import { type ShownFamily, toScopeMetrics } from '../metrics.ts';
import { type HistogramMetric, type HistogramValue, Temporality } from '../sdk.ts';
import { encodeRequest } from './encode.ts';
import type { Offer, OtlpSenderMemory } from './memory.ts';
import { numberMetrics, type OtlpNumbers } from './numbers.ts';
import type { SenderSettings } from './options.ts';

const compressed = promisify(gzip);

/** Makes requests of snapshots: all that the receiver does not have, in deltas. */
export type OfferOf = (snapshot: Snapshot) => Promise<Offer>;

export function offersFor(settings: SenderSettings, memory: OtlpSenderMemory): OfferOf {
  const { resource, compression, numbers = NO_NUMBERS } = settings;
  const kind = (settings.histograms === 'exponential' ? EXPONENTIAL : EXPLICIT) as PointKind<HistogramValue>;
  const temporality = settings.temporality === 'delta' ? Temporality.DELTA : Temporality.CUMULATIVE;
  const isDelta = temporality === Temporality.DELTA;
  const shown = isDelta ? { kind } : { kind, kept: new KeptValues(kind) };
  return async (snapshot) => {
    const { timeMs } = snapshot;
    const conversion = {
      kindOf: () => shown,
      temporality,
      timeMs,
      settingsOf: (family: FamilyChanges['family']) =>
        metricSettings(family.unit, { boundaries: family.boundaries }),
    };
    const families: Iterable<ShownFamily> = isDelta
      ? snapshot.changesSince(memory.base ?? EMPTY_SNAPSHOT)
      : snapshot.families.map((family) => ({ family, series: family.series }));
    const scopes = await toScopeMetrics(families, conversion);
    const counted = countOf(scopes.flatMap(({ metrics }) => metrics as readonly HistogramMetric[]));
    const own = numberMetrics(numbers, temporality, timeMs, memory.numbers!);
    const all = own.points === 0 ? scopes : [...scopes, own.scope];
    const bytes = await encodeRequest(resource, all);
    const isGzip = compression === 'gzip';
    return {
      bytes: isGzip ? await compressed(bytes) : bytes,
      isGzip,
      values: counted.values,
      points: counted.points + own.points,
      numberPoints: own.points,
      endedSeries: Math.max(0, counted.points - liveSeries(snapshot)),
      snapshot,
      // The start of cumulative counters stays.
      numbers: isDelta ? own.now : memory.numbers!,
    };
  };
}

const NO_NUMBERS: OtlpNumbers = { scope: '', read: () => [] };

function countOf(metrics: readonly HistogramMetric[]): { points: number; values: number } {
  let points = 0;
  let values = 0;
  for (const { dataPoints } of metrics) {
    points += dataPoints.length;
    for (const { value } of dataPoints) values += value.count;
  }
  return { points, values };
}

/** How many of the series that changed between two snapshots have ended. */
export function endedSince(base: Snapshot, now: Snapshot): number {
  let changed = 0;
  for (const { series } of now.changesSince(base)) for (const _ of series) changed++;
  return Math.max(0, changed - liveSeries(now));
}

function liveSeries({ families }: Snapshot): number {
  return families.reduce((sum, { series }) => sum + series.length, 0);
}
