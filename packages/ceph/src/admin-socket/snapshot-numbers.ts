import { listOf, number, type RulesFor, readOptions, text, withDefault } from '@hdrscope/core/internal';
import { nanosecondsPer } from '@hdrscope/kit';
import type { Attributes, FamilySnapshot, SeriesSnapshot, Snapshot } from '@hdrscope/registry';
import { valuesAtPercentiles } from '@hdrscope/registry';
import { assertSnapshot } from '@hdrscope/registry/internal';
import { attributesText, counterNames, firstFree } from '../dump/snapshot.ts';
import type { LabelledNumbers, PerfNumber, PerfNumbers, PerfNumberText } from './perf-numbers.ts';

/** The options for showing distributions as numbers. */
export interface SnapshotNumbersOptions {
  /** The percentiles that become gauges, each from 0 to 100. @default [50, 99] */
  readonly percentiles?: readonly number[];
  /** The logger of series without attributes. `snapshotNumbers` appends attributes to it. @default 'hdrscope' */
  readonly logger?: string;
}

/**
 * Families of a registry as the numbers of `perf dump`, for tools that do not read histograms. Each series has its count and
 * its sum under the name of the family, and gauges such as `NAME_p50`, `NAME_p99`, `NAME_p99_9` and `NAME_max`. A percentile
 * is the upper bound of its slot, and at most the maximum. Times are in seconds. Attributes are appended to the name of the logger. Where
 * families of different scopes share a name, the later ones are `NAME-2` and so on.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, or a percentile is not a number from 0 to 100.
 */
export function snapshotNumbers(snapshot: Snapshot, options: SnapshotNumbersOptions = {}): PerfNumbers {
  assertSnapshot(snapshot);
  const { logger, percentiles } = readOptions(options, SNAPSHOT_NUMBERS);
  return Object.fromEntries(
    groupsOf(snapshot, percentiles, attributesText).map(({ key, numbers }) => [logger + key, numbers]),
  );
}

/** The rules of `SnapshotNumbersOptions`. */
export const SNAPSHOT_NUMBERS_RULES: RulesFor<SnapshotNumbersOptions> = {
  percentiles: withDefault(listOf(number({ from: 0, to: 100 }), 'numbers from 0 to 100'), [50, 99]),
  logger: withDefault(text, 'hdrscope'),
};

const SNAPSHOT_NUMBERS = {
  name: 'snapshotNumbers',
  rules: SNAPSHOT_NUMBERS_RULES,
  call: 'snapshotNumbers(snapshot, { percentiles: [50, 99] })',
};

/**
 * Families of a registry as the numbers of `counter dump`: those of `snapshotNumbers`, with attributes as labels.
 * ceph-exporter copies labels unchanged into the text for Prometheus, so characters that would break it become underscores.
 *
 * @throws HdrscopeError as `snapshotNumbers` does.
 */
export function snapshotLabelledNumbers(
  snapshot: Snapshot,
  options: SnapshotNumbersOptions = {},
): LabelledNumbers[] {
  assertSnapshot(snapshot);
  const { logger, percentiles } = readOptions(options, SNAPSHOT_LABELLED_NUMBERS);
  const keyOf = (attributes: Attributes): string => JSON.stringify(labelsOf(attributes));
  return groupsOf(snapshot, percentiles, keyOf).map(({ attributes, numbers }) => ({
    logger,
    labels: labelsOf(attributes),
    numbers,
  }));
}

const SNAPSHOT_LABELLED_NUMBERS = {
  name: 'snapshotLabelledNumbers',
  rules: SNAPSHOT_NUMBERS_RULES,
  call: 'snapshotLabelledNumbers(snapshot, { percentiles: [50, 99] })',
};

function labelsOf(attributes: Attributes): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(attributes)
      .map(([key, value]) => [
        key.replace(/^(?=\d)|[^A-Za-z0-9_]/g, '_'),
        String(value).replace(/["\\\p{Cc}]/gu, '_'),
      ])
      .sort(([a], [b]) => (a! < b! ? -1 : 1)),
  );
}

interface SeriesGroup {
  readonly key: string;
  /** Those of its first series. */
  readonly attributes: Attributes;
  readonly numbers: Readonly<Record<string, PerfNumber>>;
}

/** The numbers of all series whose attributes have one key. */
function groupsOf(
  { families }: Snapshot,
  percentiles: readonly number[],
  keyOf: (attributes: Attributes) => string,
): SeriesGroup[] {
  const suffixes = [...percentiles.map((one) => `p${String(one).replace('.', '_')}`), 'max'];
  const gaugeNames = (name: string): string[] => suffixes.map((suffix) => `${name}_${suffix}`);
  const countersOf = (name: string): string[] => [name, ...gaugeNames(name)];
  const names = counterNames(families, countersOf);
  const groups = new Map<string, { attributes: Attributes; numbers: Map<string, PerfNumber> }>();
  for (const [i, family] of families.entries()) {
    for (const series of family.series) {
      const key = keyOf(series.attributes);
      const group = groups.get(key) ?? { attributes: series.attributes, numbers: new Map() };
      groups.set(key, group);
      // Different attributes may have one key.
      const name = firstFree(names[i]!, countersOf, group.numbers);
      const { average, gauges } = numbersOf(family, series, percentiles);
      group.numbers.set(name, average);
      for (const [at, gauge] of gaugeNames(name).entries()) group.numbers.set(gauge, gauges[at]!);
    }
  }
  return [...groups].map(([key, { attributes, numbers }]) => ({
    key,
    attributes,
    numbers: Object.fromEntries(numbers),
  }));
}

/** The count and the sum of a series, and its gauges: one for each percentile, and the maximum. */
function numbersOf(
  family: FamilySnapshot,
  series: SeriesSnapshot,
  percentiles: readonly number[],
): { readonly average: PerfNumber; readonly gauges: readonly PerfNumber[] } {
  const { unit, description, resolution } = family;
  const ns = nanosecondsPer(unit);
  const seconds = ns === undefined ? 1 : ns / 1e9;
  const real = ns !== undefined || resolution.ticksPerUnit > 1;
  // A sum of the middles of slots, for series without a sum of their own, is not always an integer.
  const shown = (value: number): number => (real ? value * seconds : Math.round(value));
  const text: PerfNumberText = { description, real, units: unit === 'By' ? 'bytes' : 'none' };
  // A percentile is the upper bound of its slot, in whole ticks. The largest value lies below the bound of the last slot, or by a part
  // of a tick above it.
  const atPercentiles = valuesAtPercentiles(family, series, percentiles).map((value, at) =>
    percentiles[at] === 100 ? series.max : Math.min(value, series.max),
  );
  return {
    average: { ...text, kind: 'average', count: series.histogram.totalCount, sum: shown(series.sum) },
    gauges: [...atPercentiles, series.max].map((value) => ({ ...text, kind: 'gauge', value: shown(value) })),
  };
}
