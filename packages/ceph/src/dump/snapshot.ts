import { type Layout, type Rebucketing, rebucket } from '@hdrscope/core';
import {
  assertFollows,
  callback,
  mustBe,
  object,
  type RulesFor,
  readOptions,
  resolutionOf,
  scaledLayout,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { nanosecondsPer } from '@hdrscope/kit';
import type { Attributes, FamilySnapshot, SeriesSnapshot, Snapshot } from '@hdrscope/registry';
import { assertSnapshot } from '@hdrscope/registry/internal';
import { type Axis, axisLayout } from '../histogram/axis.ts';
import { PerfHistogram } from '../histogram/perf-histogram.ts';
import {
  type AxisFit,
  type CephRelease,
  type HistogramCounter,
  type HistogramLogger,
  RELEASE_RULES,
} from './loggers.ts';

/** The options for showing families of a registry as Ceph's histograms. */
export interface SnapshotLoggersOptions {
  /** Decides on the number of axes: one for `'next'`; for all others a second axis of a single slot. @default 'tentacle' */
  readonly release?: CephRelease;
  /** The logger of series without attributes. Attributes are appended to this name. @default 'hdrscope' */
  readonly logger?: string;
  /** Gives the axis of a family: in nanoseconds for units of time, in bytes for `By`. @default `defaultAxis` */
  readonly axisOf?: (family: FamilySnapshot) => Axis;
}

/** A second axis with one slot for all values, for tools that read two axes. */
const ALL: Axis = { name: 'All', scale: 'linear', min: 0, quantSize: 1, buckets: 1, unit: 'none' };

/**
 * Families of a registry as Ceph's loggers and counters. Ceph's histograms have no labels, so each combination of attributes
 * is a logger, with a counter for each family. Where families of different scopes share a name, the later ones are `NAME-2` and so on. The
 * counts of an HDR slot move, all together, to the slot of its midpoint;
 * `fit` states how many of them may be misplaced.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, the release is unknown, Ceph could not have such
 *   an axis, or the unit of an axis does not suit its family.
 * @example
 * ```ts
 * import { type HistogramLogger, snapshotLoggers } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'request.duration', unit: 's' }).with({ method: 'GET' }).record(0.02);
 *
 * const [{ name, counters }] = snapshotLoggers(await registry.gather()) as [HistogramLogger];
 * const { histogram, fit } = counters[0]!;
 * [name, counters[0]!.name]; //=> ['hdrscope-method=GET', 'request.duration']
 * histogram.quantile(0, 0.5); //=> { value: 25165824, lower: 16777216, upper: 33554432, open: false }
 * fit; //=> { exact: true, maxMisplaced: 0 }
 * ```
 */
export function snapshotLoggers(snapshot: Snapshot, options: SnapshotLoggersOptions = {}): HistogramLogger[] {
  assertSnapshot(snapshot);
  const { release, logger, axisOf } = readOptions(options, SNAPSHOT_LOGGERS);
  const names = counterNames(snapshot.families, alone);
  const loggers = new Map<string, Map<string, HistogramCounter>>();
  for (const [i, family] of snapshot.families.entries()) {
    const axis = axisOf(family);
    assertFollows('what axisOf returns', object<Axis>(), axis);
    for (const series of family.series) {
      const loggerName = logger + attributesText(series.attributes);
      const counters = loggers.get(loggerName) ?? new Map<string, HistogramCounter>();
      loggers.set(loggerName, counters);
      // Different attributes may have one text.
      const name = firstFree(names[i]!, alone, counters);
      counters.set(name, { ...counterOf(family, series, axis, release), name });
    }
  }
  return [...loggers].map(([name, counters]) => ({ name, counters: [...counters.values()] }));
}

/** A family is one counter. */
const alone = (name: string): readonly string[] => [name];

/** The rules of `SnapshotLoggersOptions`. */
export const SNAPSHOT_LOGGERS_RULES: RulesFor<SnapshotLoggersOptions> = {
  ...RELEASE_RULES,
  logger: withDefault(text, 'hdrscope'),
  axisOf: withDefault(callback(), defaultAxis),
};

const SNAPSHOT_LOGGERS = {
  name: 'snapshotLoggers',
  rules: SNAPSHOT_LOGGERS_RULES,
  call: "snapshotLoggers(snapshot, { release: 'next' })",
};

/**
 * The default axis of a family: log2, with a power of two as the quantum, since HDR slots have edges there. Times are in
 * nanoseconds, from 1 µs to 2.4 hours; sizes in bytes, from 512 B to 256 GiB. Other values are in the unit of the family, or
 * in ticks when its resolution is finer than 1.
 */
export function defaultAxis({ unit, resolution }: Pick<FamilySnapshot, 'unit' | 'resolution'>): Axis {
  if (nanosecondsPer(unit) !== undefined) {
    return { name: 'Latency (nsec)', scale: 'log2', min: 0, quantSize: 1024, buckets: 36, unit: 'ns' };
  }
  if (unit === 'By') {
    return { name: 'Size (bytes)', scale: 'log2', min: 0, quantSize: 512, buckets: 32, unit: 'bytes' };
  }
  const { ticksPerUnit } = resolution;
  const words = [...(ticksPerUnit === 1 ? [] : [`1/${ticksPerUnit}`]), ...(unit === '' ? [] : [unit])];
  const name = words.length === 0 ? 'Value' : `Value (${words.join(' ')})`;
  return { name, scale: 'log2', min: 0, quantSize: 1, buckets: 48, unit: 'none' };
}

function counterOf(
  family: FamilySnapshot,
  { histogram, sum }: SeriesSnapshot,
  axis: Axis,
  release: CephRelease,
): HistogramCounter {
  const plan = rebucket(inAxisUnit(family, axis), axisLayout(axis));
  const { counts, maxMisplaced } = plan.apply(histogram.counts);
  const axes = release === 'next' ? [axis] : [axis, ALL];
  const shown = new PerfHistogram(axes);
  for (const [slot, count] of counts.entries()) {
    if (count > 0) shown.addAt(axes.length === 1 ? [slot] : [slot, 0], count);
  }
  const fit: AxisFit = { exact: isExact(plan), maxMisplaced };
  return {
    name: family.name,
    description: family.description,
    units: axis.unit === 'bytes' ? 'bytes' : 'none',
    histogram: shown,
    ...(release === 'next' && { sums: [BigInt(Math.round(sum * perUnit(family, axis)))] }),
    fit,
  };
}

const exactness = new WeakMap<Rebucketing, boolean>();

/** Cached, as the first answer looks at all slots, of which there can be millions. */
function isExact(plan: Rebucketing): boolean {
  const known = exactness.get(plan) ?? plan.exact;
  exactness.set(plan, known);
  return known;
}

const scaled = new WeakMap<Layout, Map<number, Layout>>();

/** The layout of a family in the unit of its axis. It is cached, and with it everything that is cached for a layout. */
function inAxisUnit(family: FamilySnapshot, axis: Axis): Layout {
  const { layout, resolution } = family;
  const step = (perUnit(family, axis) * resolution.unitsPerTick) / resolution.ticksPerUnit;
  if (step === 1) return layout;
  const bySteps = scaled.get(layout) ?? new Map<number, Layout>();
  scaled.set(layout, bySteps);
  const known = bySteps.get(step) ?? scaledLayout(layout, resolutionOf(step));
  bySteps.set(step, known);
  return known;
}

/**
 * One unit of the family, in the unit of the axis. An axis without a unit counts as that of `defaultAxis`: ticks finer than 1, or units.
 */
function perUnit({ name, unit, resolution }: FamilySnapshot, axis: Axis): number {
  const { unit: shown = 'none' } = axis;
  if (shown === 'none') return resolution.ticksPerUnit;
  const axisNs = nanosecondsPer(shown);
  const unitNs = nanosecondsPer(unit);
  if (axisNs !== undefined && unitNs !== undefined) return unitNs / axisNs;
  if (shown === 'bytes' && unit === 'By') return 1;
  throw mustBe(
    'ERR_INVALID_OPTION',
    `the unit of the axis of "${name}"`,
    `one that suits values in "${unit}"`,
    shown,
  );
}

/** The suffix that attributes add to the name of a logger. */
export function attributesText(attributes: Attributes): string {
  const pairs = Object.entries(attributes).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '' : `-${pairs.sort().join(',')}`;
}

/**
 * The names that families have as counters, in their order. Families of different scopes can share a name: the second and later ones get a
 * number, which they keep in loggers where the first one has no series.
 *
 * @param countersOf The names of the counters that a family of a name has.
 */
export function counterNames(
  families: readonly FamilySnapshot[],
  countersOf: (name: string) => readonly string[],
): string[] {
  const taken = new Set<string>();
  return families.map(({ name }) => {
    const own = firstFree(name, countersOf, taken);
    for (const counter of countersOf(own)) taken.add(counter);
    return own;
  });
}

/** The name, or the first of `NAME-2`, `NAME-3` and so on, of whose counters none is taken. */
export function firstFree(
  name: string,
  countersOf: (name: string) => readonly string[],
  taken: { has(counter: string): boolean },
): string {
  let free = name;
  for (let number = 2; countersOf(free).some((counter) => taken.has(counter)); number++) {
    free = `${name}-${number}`;
  }
  return free;
}
