import {
  callback,
  flag,
  integer,
  justifiedScale,
  oneOf,
  optional,
  type RulesFor,
  readOptions,
} from '@hdrscope/core/internal';
import type { RejectedCounts, Snapshot } from '@hdrscope/registry';
import {
  assertSnapshot,
  type CurrentState,
  countInexact,
  type FamilyFacts,
  INEXACT_VALUES,
  isLive,
  readState,
  type ShownRegistry,
  showSnapshot,
} from '@hdrscope/registry/internal';
import { boundariesFor, classicBoundaries as boundariesRule, type ClassicBoundaries } from './boundaries.ts';
import type { Labels, Metric, MetricFamily, Warn } from './families.ts';
import { NO_LABELS, scopeLabels, withExtra } from './labels.ts';
import { type LazyFamily, lazyFamily } from './lazy-family.ts';
import { type HistogramLook, lazyHistograms, withinFamilies } from './lazy-histograms.ts';
import { mergeFamilies } from './merge-families.ts';
import { familyName, keepsCharacters, NAMING_RULES, type NamingOptions } from './names.ts';
import { LEAST_MAX_BUCKETS, LEAST_ZERO_THRESHOLD, MAX_SCHEMA } from './native.ts';

/** How a snapshot looks in Prometheus. */
export interface SnapshotFamiliesOptions extends NamingOptions {
  /** The buckets in formats with native histograms. Text formats always have classic ones. @default 'native' */
  readonly buckets?: 'native' | 'classic' | 'both' | undefined;
  /**
   * Boundaries of classic buckets. Counts are exact at boundaries that are thresholds of the family, and otherwise exact within a
   * slot. To declare boundaries, name them when the family is made: as `boundaries` or `thresholds` of the family, or as
   * boundaries of the view or of the instrument's advice.
   * @default those of the family, else by unit: for times from 5 ms to 10 s, for bytes from 64 B to 1 GiB, else from 0 to 10,000
   */
  readonly classicBoundaries?: ClassicBoundaries | undefined;
  /**
   * Whether text 0.0.4 and 1.0.0 have the buckets of VictoriaMetrics in place of classic ones: 18 for each power of ten, of which those
   * with values are shown, as `x_bucket{vmrange="1.000e+00...1.136e+00"} 5`. Other formats stay.
   * Source: https://docs.victoriametrics.com/victoriametrics/keyconcepts/#histogram
   * @default false
   */
  readonly vmrange?: boolean | undefined;
  /** The most native buckets of a series: an integer of at least 8. @default 160 */
  readonly maxBuckets?: number | undefined;
  /** Whether `otel_scope_name`, `_version` and `_schema_url` are left out. @default false */
  readonly withoutScopeInfo?: boolean | undefined;
  /** Whether samples carry the time of the snapshot. @default false */
  readonly appendTimestamp?: boolean | undefined;
  /** Receives what could not be shown. @default no warnings */
  readonly warn?: Warn | undefined;
}

/** The rules of `SnapshotFamiliesOptions`. */
export const SNAPSHOT_RULES: RulesFor<SnapshotFamiliesOptions, keyof SnapshotFamiliesOptions> = {
  ...NAMING_RULES,
  buckets: optional(oneOf<'native' | 'classic' | 'both'>(['native', 'classic', 'both'])),
  classicBoundaries: optional(boundariesRule),
  vmrange: optional(flag),
  maxBuckets: optional(integer({ from: LEAST_MAX_BUCKETS })),
  withoutScopeInfo: optional(flag),
  appendTimestamp: optional(flag),
  warn: optional(callback()),
};

const CONVERT_SNAPSHOT = {
  name: 'convertSnapshot',
  rules: SNAPSHOT_RULES,
  call: "convertSnapshot(snapshot, { prefix: 'shop' })",
};

const DEFAULT_MAX_BUCKETS = 160;

/**
 * Converts a snapshot of a registry to families. Each family of the registry becomes a histogram. A family that states `thresholds` also
 * becomes a counter, `x_within_total`, of the values that are at most each of them. If there are any, rejected values become the counter
 * `hdrscope_rejected_values_total`, values of wide buckets the gauge `hdrscope_inexact_values`, values with estimated sums among
 * measured ones the gauge `hdrscope_estimated_sum_values`, and failed sources the gauge
 * `hdrscope_source_errors`. Families that get the same name are merged: see the README.
 *
 * Native buckets have the scale that the family's digits justify, at most 8, and a zero threshold of half the resolution,
 * in the unit. While a series counts on, none of its buckets decreases and its scale never rises.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 * @example
 * ```ts
 * import { convertSnapshot, render } from '@hdrscope/prometheus';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'fetch.size', unit: 'By' }).with({ host: 'a' }).record(1000);
 * const families = convertSnapshot(await registry.gather(), { classicBoundaries: [100, 10_000] });
 * new TextDecoder().decode(render(families, 'text')).split('\n').slice(3, 5);
 * //=> ['fetch_size_bytes_count{host="a"} 1', 'fetch_size_bytes_sum{host="a"} 1000']
 * ```
 */
export function convertSnapshot(snapshot: Snapshot, options: SnapshotFamiliesOptions = {}): MetricFamily[] {
  assertSnapshot(snapshot);
  const settings = readOptions(options, CONVERT_SNAPSHOT);
  return mergeFamilies(toLazyFamilies(showSnapshot(snapshot), settings), settings.warn ?? (() => {}));
}

/**
 * The families of a registry before those of one name are merged.
 *
 * @param bucketsOf The buckets of a family. @default those of the options
 */
export function toLazyFamilies(
  registry: ShownRegistry,
  options: SnapshotFamiliesOptions,
  bucketsOf: (family: FamilyFacts) => HistogramLook['buckets'] = () => options.buckets ?? 'native',
): LazyFamily[] {
  const { warn = () => {}, appendTimestamp = false, maxBuckets = DEFAULT_MAX_BUCKETS } = options;
  const { withoutScopeInfo = false, classicBoundaries } = options;
  const timestampMs = appendTimestamp ? registry.timeMs : undefined;
  const families: LazyFamily[] = [];
  for (const { family, series } of registry.families) {
    const { scope, description: help, unit } = family;
    const name = histogramName(family, options, warn);
    if (name === undefined) continue;
    const look: HistogramLook = {
      keepsCharacters: keepsCharacters(options),
      extra: withoutScopeInfo || scope === undefined ? NO_LABELS : scopeLabels(scope),
      buckets: bucketsOf(family),
      vmrange: options.vmrange ?? false,
      boundaries: boundariesFor(classicBoundaries, family),
      maxSize: maxBuckets,
      maxScale: Math.min(MAX_SCHEMA, justifiedScale(family.layout)),
      zeroThreshold: zeroThresholdOf(family),
    };
    const parts = [lazyHistograms(family, series, look, timestampMs)];
    families.push({ name, help, unit, type: 'histogram', parts });
    // Bounded: one, or none.
    families.push(...withinFamilies(name, family, series, look, timestampMs));
  }
  return [...families, ...problemFamilies(registry, options, timestampMs, NO_LABELS)];
}

/** The name of a family; `undefined`, with a warning, when Prometheus cannot show it. */
export function histogramName(
  { name, unit }: FamilyFacts,
  options: NamingOptions,
  warn: Warn,
): string | undefined {
  const exposed = familyName(name, unit, 'histogram', options);
  if (exposed === undefined) {
    warn(`the name ${JSON.stringify(name)} has no letter or digit: the family is left out`);
  }
  return exposed;
}

/** Values closer to 0 than to the first tick count as 0. */
function zeroThresholdOf({ resolution: { unitsPerTick, ticksPerUnit } }: FamilyFacts): number {
  return Math.max(unitsPerTick / ticksPerUnit / 2, LEAST_ZERO_THRESHOLD);
}

/**
 * The problems of a registry as families: rejected values, values of wide buckets, values with estimated sums and failed sources, if there
 * are any.
 *
 * @param extra Labels of all series.
 */
export function problemFamilies(
  { families, errors }: ShownRegistry,
  options: NamingOptions,
  timestampMs: number | undefined,
  extra: Labels,
): LazyFamily[] {
  const rejected = new Problem(
    'rejected_values',
    'Values that a histogram received and could not count',
    'counter',
  );
  const inexact = new Problem('inexact_values', INEXACT_VALUES.description);
  const estimated = new Problem('estimated_sum_values', ESTIMATED_SUMS);
  const failures = new Problem('source_errors', 'Sources that failed during this scrape');
  for (const { family, series, endedRejected } of families) {
    const { name, unit } = family;
    const exposed = familyName(name, unit, 'histogram', options);
    if (exposed === undefined) continue;
    const labels: Labels = [['family', exposed]];
    const reject = (counts: RejectedCounts): void => {
      for (const [reason, field] of REASONS) {
        // Nearly all series have rejected nothing.
        if (counts[field] > 0) rejected.add(counts[field], [...labels, ['reason', reason]]);
      }
    };
    for (const shown of series) {
      if (isLive(shown) && !shown.hasProblems) continue;
      const state = readState(shown);
      reject(state.rejected);
      inexact.add(countInexact(state), labels);
      estimated.add(countEstimatedSums(state), labels);
    }
    reject(endedRejected);
  }
  for (const { source } of errors) failures.add(1, [['source', source]]);
  return [rejected, inexact, estimated, failures].flatMap((problem) => problem.families(timestampMs, extra));
}

const REASONS = [
  ['not_a_number', 'notANumber'],
  ['negative', 'negative'],
  ['too_large', 'tooLarge'],
  ['overflowing', 'overflowing'],
] as const satisfies (readonly [label: string, field: keyof RejectedCounts])[];

const ESTIMATED_SUMS =
  'Values that came without a sum, in series whose other sums are measured: their part is an estimate';

/** Values with an estimated sum in a series that has measured ones. The descriptions of families without any say so. */
function countEstimatedSums({ estimated, counts }: CurrentState): number {
  const count = estimated?.sum ?? 0;
  return count < counts.total ? count : 0;
}

/** A family that is there when something is wrong. */
class Problem {
  readonly #name: string;
  readonly #help: string;
  readonly #type: 'counter' | 'gauge';
  /** By the values of their labels. */
  readonly #counts = new Map<string, { readonly labels: Labels; count: number }>();

  constructor(name: string, help: string, type: 'counter' | 'gauge' = 'gauge') {
    this.#name = `hdrscope_${name}`;
    this.#help = help;
    this.#type = type;
  }

  add(count: number, labels: Labels): void {
    if (count === 0) return;
    const key = labels.join(' ');
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { labels, count });
    else known.count += count;
  }

  /** None where nothing is wrong. */
  families(timestampMs: number | undefined, extra: Labels): LazyFamily[] {
    const metrics = [...this.#counts.values()].map(
      ({ labels, count }): Metric => ({
        labels: withExtra(labels, extra),
        timestampMs,
        value: { kind: 'number', value: count },
      }),
    );
    if (metrics.length === 0) return [];
    return [lazyFamily({ name: this.#name, help: this.#help, unit: '', type: this.#type, metrics })];
  }
}
