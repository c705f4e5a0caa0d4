import { explicitCounts, exponentialBuckets, justifiedScale, mustBe } from '@hdrscope/core/internal';
import type { FamilySnapshot, Rejected, SeriesSnapshot, Snapshot, SourceFailure } from '@hdrscope/registry';
import { boundariesFor, type ClassicBoundaries, checkClassicBoundaries } from './boundaries.ts';
import type { ClassicBuckets, HistogramValue, Labels, Metric, MetricFamily, Warn } from './families.ts';
import { Labeller, NO_LABELS, scopeLabels } from './labels.ts';
import { mergeFamilies } from './merge-families.ts';
import { familyName, type NamingOptions } from './names.ts';
import { LEAST_ZERO_THRESHOLD, MAX_SCHEMA } from './native.ts';

/** How a snapshot looks in Prometheus. */
export interface SnapshotOptions extends NamingOptions {
  /** The buckets in formats with native histograms. Text formats always have classic ones. @default 'native' */
  readonly buckets?: 'native' | 'classic' | 'both' | undefined;
  /**
   * Boundaries of classic buckets. @default those of the family, else by unit: for times from 5 ms to 10 s, for bytes from
   * 64 B to 1 GiB, else from 0 to 10,000
   */
  readonly classicBoundaries?: ClassicBoundaries | undefined;
  /** The most native buckets of a series: an integer of at least 8. @default 160 */
  readonly maxBuckets?: number | undefined;
  /** Whether `otel_scope_name`, `_version` and `_schema_url` are left out. @default false */
  readonly withoutScopeInfo?: boolean | undefined;
  /** Whether samples carry the time of the snapshot. @default false */
  readonly appendTimestamp?: boolean | undefined;
  /** Receives what could not be shown. @default no warnings */
  readonly warn?: Warn | undefined;
}

const DEFAULT_MAX_BUCKETS = 160;
// At the coarsest schema, so many cover the range of every histogram, a factor of 2^53.
const LEAST_MAX_BUCKETS = 8;
const BUCKETS: readonly SnapshotOptions['buckets'][] = ['native', 'classic', 'both', undefined];

/**
 * Converts a snapshot of a registry to families. Each family of the registry becomes a histogram. If there are any,
 * rejected values become the counter `hdrscope_rejected_values_total`, and failed sources the gauge
 * `hdrscope_source_errors`. Families that get the same name are merged: see the README.
 *
 * Native buckets have the scale that the family's digits justify, at most 8, and a zero threshold of half the resolution,
 * in the unit. While a series counts on, none of its buckets decreases and its scale never rises.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is out of range.
 * @example
 * ```ts
 * import { familiesOfSnapshot, render } from '@hdrscope/prometheus';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'fetch.size', unit: 'By' }).with({ host: 'a' }).record(1000);
 * const families = familiesOfSnapshot(await registry.gather(), { classicBoundaries: [100, 10_000] });
 * new TextDecoder().decode(render(families, 'text')).split('\n').slice(2, 5);
 * //=> ['# TYPE fetch_size histogram', 'fetch_size_count{host="a"} 1', 'fetch_size_sum{host="a"} 1000']
 * ```
 */
export function familiesOfSnapshot(snapshot: Snapshot, options: SnapshotOptions = {}): MetricFamily[] {
  const { warn = () => {}, appendTimestamp = false, maxBuckets = DEFAULT_MAX_BUCKETS } = options;
  if (!Number.isSafeInteger(maxBuckets) || maxBuckets < LEAST_MAX_BUCKETS) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      'maxBuckets',
      `an integer of at least ${LEAST_MAX_BUCKETS}`,
      maxBuckets,
    );
  }
  if (!BUCKETS.includes(options.buckets)) {
    throw mustBe('ERR_INVALID_OPTION', 'buckets', "'native', 'classic' or 'both'", options.buckets);
  }
  checkClassicBoundaries(options.classicBoundaries);
  const timestampMs = appendTimestamp ? snapshot.timeMs : undefined;
  const rejected = new RejectedTally();
  const families: MetricFamily[] = [];
  for (const family of snapshot.families) {
    const name = familyName(family.name, family.unit, 'histogram', options);
    if (name === undefined) {
      warn(`the name ${JSON.stringify(family.name)} has no letter or digit: the family is left out`);
      continue;
    }
    for (const series of family.series) rejected.add(name, series.rejected);
    families.push(histogramFamily(family, name, options, maxBuckets, timestampMs));
  }
  families.push(...rejected.families(timestampMs), ...errorFamilies(snapshot.errors, timestampMs));
  return mergeFamilies(families, warn);
}

function histogramFamily(
  family: FamilySnapshot,
  name: string,
  options: SnapshotOptions,
  maxBuckets: number,
  timestampMs: number | undefined,
): MetricFamily {
  const { withoutScopeInfo = false, buckets = 'native' } = options;
  const extra: Labels =
    withoutScopeInfo || family.scope === undefined ? NO_LABELS : scopeLabels(family.scope);
  const labeller = new Labeller(extra, 'le');
  const boundaries = boundariesFor(options.classicBoundaries, family);
  const zeroThreshold = zeroThresholdOf(family);
  const maxScale = Math.min(MAX_SCHEMA, justifiedScale(family.layout));

  const histogramOf = ({
    histogram: { counts, totalCount },
    sum,
    exemplars,
  }: SeriesSnapshot): HistogramValue => {
    const toClassic = (): ClassicBuckets => ({
      boundaries,
      counts: explicitCounts(counts, family, boundaries),
    });
    return {
      kind: 'histogram',
      count: totalCount,
      sum,
      ...(buckets !== 'classic' && {
        native: {
          positive: exponentialBuckets(counts, family, { maxSize: maxBuckets, maxScale }),
          zeroThreshold,
        },
      }),
      ...(buckets === 'native' ? { toClassic } : { classic: toClassic() }),
      ...(exemplars.length > 0 && { exemplars }),
    };
  };
  return {
    name,
    help: family.description,
    unit: family.unit,
    type: 'histogram',
    metrics: family.series.map((series) => ({
      labels: labeller.labels(series.attributes),
      timestampMs,
      createdMs: series.startTimeMs,
      value: histogramOf(series),
    })),
  };
}

/** Values closer to 0 than to the first tick count as 0. */
function zeroThresholdOf({ resolution: { unitsPerTick, ticksPerUnit } }: FamilySnapshot): number {
  return Math.max(unitsPerTick / ticksPerUnit / 2, LEAST_ZERO_THRESHOLD);
}

const REASONS = [
  ['not_a_number', 'notANumber'],
  ['negative', 'negative'],
  ['too_large', 'tooLarge'],
  ['overflowing', 'overflowing'],
] as const satisfies (readonly [label: string, field: keyof Rejected])[];

/** Adds up the rejected values of all series, by family and reason. */
class RejectedTally {
  readonly #counts = new Map<string, { family: string; reason: string; count: number }>();

  add(family: string, rejected: Rejected): void {
    for (const [reason, field] of REASONS) {
      if (rejected[field] === 0) continue;
      const key = `${reason} ${family}`;
      const count = (this.#counts.get(key)?.count ?? 0) + rejected[field];
      this.#counts.set(key, { family, reason, count });
    }
  }

  families(timestampMs: number | undefined): MetricFamily[] {
    const metrics = [...this.#counts.values()].map(
      ({ family, reason, count }): Metric => ({
        labels: [
          ['family', family],
          ['reason', reason],
        ],
        timestampMs,
        value: { kind: 'number', value: count },
      }),
    );
    if (metrics.length === 0) return [];
    const help = 'Values that a histogram received and could not count';
    return [{ name: 'hdrscope_rejected_values', help, unit: '', type: 'counter', metrics }];
  }
}

function errorFamilies(errors: readonly SourceFailure[], timestampMs: number | undefined): MetricFamily[] {
  if (errors.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { source } of errors) counts.set(source, (counts.get(source) ?? 0) + 1);
  const metrics = [...counts].map(
    ([source, value]): Metric => ({
      labels: [['source', source]],
      timestampMs,
      value: { kind: 'number', value },
    }),
  );
  const help = 'Sources that failed during this scrape';
  return [{ name: 'hdrscope_source_errors', help, unit: '', type: 'gauge', metrics }];
}
