import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import { nanosecondsPer } from '@hdrscope/kit';
import type { Attributes, FamilySnapshot, SeriesSnapshot, Snapshot } from '@hdrscope/registry';
import { valuesAtPercentiles } from '@hdrscope/registry';
import { attributesText } from '../dump/snapshot.ts';
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
 * is the upper bound of its slot, and at most the maximum. Times are in seconds. Attributes are appended to the name of the logger.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 */
export function snapshotNumbers(snapshot: Snapshot, options: SnapshotNumbersOptions = {}): PerfNumbers {
  assertOptions(options, SNAPSHOT_NUMBERS);
  const { logger = 'hdrscope' } = options;
  return Object.fromEntries(
    groupsOf(snapshot, options).map(({ attributes, numbers }) => [
      logger + attributesText(attributes),
      numbers,
    ]),
  );
}

const SNAPSHOT_NUMBERS: OptionsOwner<SnapshotNumbersOptions> = {
  name: 'snapshotNumbers',
  names: { percentiles: true, logger: true },
  call: 'snapshotNumbers(snapshot, { percentiles: [50, 99] })',
};

/**
 * Families of a registry as the numbers of `counter dump`: those of `snapshotNumbers`, with attributes as labels.
 * ceph-exporter copies labels unchanged into the text for Prometheus, so characters that would break it become underscores.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 */
export function snapshotLabelledNumbers(
  snapshot: Snapshot,
  options: SnapshotNumbersOptions = {},
): LabelledNumbers[] {
  assertOptions(options, SNAPSHOT_LABELLED_NUMBERS);
  const { logger = 'hdrscope' } = options;
  return groupsOf(snapshot, options).map(({ attributes, numbers }) => ({
    logger,
    labels: labelsOf(attributes),
    numbers,
  }));
}

const SNAPSHOT_LABELLED_NUMBERS: OptionsOwner<SnapshotNumbersOptions> = {
  name: 'snapshotLabelledNumbers',
  names: { percentiles: true, logger: true },
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
  readonly attributes: Attributes;
  readonly numbers: Readonly<Record<string, PerfNumber>>;
}

/** The numbers of all series with equal attributes. */
function groupsOf({ families }: Snapshot, { percentiles = [50, 99] }: SnapshotNumbersOptions): SeriesGroup[] {
  const groups = new Map<string, { attributes: Attributes; members: [string, PerfNumber][] }>();
  for (const family of families) {
    for (const series of family.series) {
      const key = attributesText(series.attributes);
      const group = groups.get(key) ?? { attributes: series.attributes, members: [] };
      groups.set(key, group);
      for (const member of numbersOf(family, series, percentiles)) group.members.push(member);
    }
  }
  return [...groups.values()].map(({ attributes, members }) => ({
    attributes,
    numbers: Object.fromEntries(members),
  }));
}

function numbersOf(
  family: FamilySnapshot,
  series: SeriesSnapshot,
  percentiles: readonly number[],
): [name: string, number: PerfNumber][] {
  const { name, unit, description, resolution } = family;
  const ns = nanosecondsPer(unit);
  const seconds = ns === undefined ? 1 : ns / 1e9;
  const real = ns !== undefined || resolution.ticksPerUnit > 1;
  // A sum of the middles of slots, for series without a sum of their own, is not always an integer.
  const shown = (value: number): number => (real ? value * seconds : Math.round(value));
  const text: PerfNumberText = { description, real, units: unit === 'By' ? 'bytes' : 'none' };

  const gauges = [
    // A percentile is the upper bound of its slot, and the largest value lies below the bound of the last slot.
    ...valuesAtPercentiles(family, series, percentiles).map(
      (value, i) => [`p${String(percentiles[i]).replace('.', '_')}`, Math.min(value, series.max)] as const,
    ),
    ['max', series.max] as const,
  ];
  return [
    [name, { ...text, kind: 'average', count: series.histogram.totalCount, sum: shown(series.sum) }],
    ...gauges.map(([suffix, value]): [string, PerfNumber] => [
      `${name}_${suffix}`,
      { ...text, kind: 'gauge', value: shown(value) },
    ]),
  ];
}
