import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import {
  type Attributes,
  type IngestHealth,
  type Ingestion,
  IngestMemory,
  type IntakeOptions,
  ingest,
  type Reading,
  type Registry,
} from '@hdrscope/registry';
import { type Axis, axisTitle } from '../histogram/axis.ts';
import { layoutInUnit, sumInUnit, unitOf } from './axis-unit.ts';
import { type AxisClasses, classesOf } from './classes.ts';
import { histogramKey, increaseOf } from './increase.ts';
import { type ParseDumpOptions, parseHistogramDump } from './parse-dump.ts';
import type { ImportedHistogram } from './read-histogram.ts';

/** The options of `cephHistograms`. */
export interface CephHistogramsOptions extends IntakeOptions, ParseDumpOptions {
  /** Divides the series of the other axes by the value on this axis: latencies by the size of requests. @default no division */
  readonly classes?: AxisClasses;
  /** Gives the name of the family of an axis. @default names like `ceph.osd.op_w_latency_in_bytes.request_size` */
  readonly familyName?: (histogram: ImportedHistogram, axis: Axis) => string;
}

/** The histograms of a daemon in a registry. */
export interface CephHistograms extends Ingestion {
  /** `resets` counts histograms, however many axes they have. */
  readonly health: IngestHealth;
  /**
   * The histograms of the last dump that could be parsed: cumulative since the daemon began, with all their axes. Empty
   * before the first dump. The next dump is compared with these histograms, so callers must not change them.
   */
  readonly latest: readonly ImportedHistogram[];
}

/**
 * Has a registry read the histograms of a daemon whenever it is gathered. Each axis is a family; times are in
 * seconds, sizes in bytes. The increase since the dump before is added, so series only grow, even when the daemon is reset.
 *
 * A slot counts at its middle, and a family has enough digits to keep the slots apart. Explicit buckets at the bounds of the
 * slots, which Prometheus and OTLP get by default, are exact. Negative values count as rejected. A sum is the sum of the
 * middles, unless the dump has sums.
 *
 * @param fetch Returns the answer to `perf histogram dump`, as text.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, or `since` is neither `'beginning'` nor `'now'`.
 * @example
 * ```ts
 * import { cephHistograms } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const fetch = () => `{"osd":{"op_r_latency":{"axes":[{"name":"Latency (usec)","min":0,"quant_size":100000,
 *   "buckets":4,"scale_type":"log2"}],"values":[0,7,2,1]}}}`;
 * const registry = createRegistry();
 * cephHistograms(registry, fetch);
 *
 * const [family] = (await registry.gather()).families;
 * [family!.name, family!.unit]; //=> ['ceph.osd.op_r_latency.latency', 's']
 * family!.boundaries; //=> [0.000099999, 0.000199999]
 * family!.series[0]!.histogram.totalCount; //=> 10
 * ```
 *
 * A family holds one axis of a histogram. `latest` has the histograms with all their axes, as they were read last:
 *
 * ```ts
 * import { cephHistograms } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const fetch = () => `{"osd":{"op_r":{"values":[[0,0],[7,2]],"axes":[
 *   {"name":"x","min":0,"quant_size":8,"buckets":2,"scale_type":"linear"},
 *   {"name":"y","min":0,"quant_size":8,"buckets":2,"scale_type":"linear"}]}}}`;
 * const registry = createRegistry();
 * const ceph = cephHistograms(registry, fetch);
 * ceph.latest; //=> []
 *
 * await registry.gather();
 * ceph.latest.map(({ counter, histogram }) => [counter, histogram.countAt([1, 1])]); //=> [['op_r', 2n]]
 * ```
 */
export function cephHistograms(
  registry: Registry,
  fetch: () => string | Promise<string>,
  options: CephHistogramsOptions = {},
): CephHistograms {
  assertOptions(options, CEPH_HISTOGRAMS);
  const {
    memory = new IngestMemory(),
    attributes,
    sourceName,
    since,
    timeoutMs,
    observer,
    ...shown
  } = options;
  const { classes, familyName = defaultFamilyName, ...parsed } = shown;
  if (classes !== undefined) assertOptions(classes, CLASSES);
  let latest: readonly ImportedHistogram[] = [];
  let resets = 0;
  const before = new Map<string, ImportedHistogram>();
  const epochs = new Map<string, number>();
  /** The life of a histogram. Cells of several axes show a restart that their sums along one axis may hide. */
  const epochOf = (now: ImportedHistogram): number => {
    const key = histogramKey(now);
    const then = before.get(key);
    const epoch = epochs.get(key) ?? rememberedEpoch(memory, now);
    const isReset = then !== undefined && increaseOf(then, now).isReset;
    if (isReset) resets++;
    before.set(key, now);
    epochs.set(key, epoch + Number(isReset));
    return epoch + Number(isReset);
  };
  const read = async (): Promise<Reading[]> => {
    latest = parseHistogramDump(await fetch(), parsed);
    return latest.flatMap((histogram) =>
      readingsOf(histogram, String(epochOf(histogram)), { classes, familyName }),
    );
  };
  const ingestion = ingest(
    registry,
    { name: 'ceph', read },
    { memory, attributes, sourceName, since, timeoutMs, observer },
  );
  return {
    ...ingestion,
    get health() {
      return { ...ingestion.health, resets };
    },
    get latest() {
      return latest;
    },
  };
}

/** The epoch in which an earlier ingestion left a histogram. At least one axis is not divided into classes. */
function rememberedEpoch(memory: IngestMemory, histogram: ImportedHistogram): number {
  const epochs = histogram.histogram.axes.map((_, at) => memory.latestEpoch(readingKey(histogram, at)));
  return Number(epochs.find((epoch) => epoch !== undefined) ?? 0);
}

interface FamiliesOfAxes {
  readonly classes: AxisClasses | undefined;
  readonly familyName: (histogram: ImportedHistogram, axis: Axis) => string;
}

/** A reading for each axis of a histogram, and for each class of its values. */
function readingsOf(
  imported: ImportedHistogram,
  epoch: string,
  { classes, familyName }: FamiliesOfAxes,
): Reading[] {
  const { histogram, daemon, sums, logger, counter } = imported;
  return histogram.axes.flatMap((axis, at) => {
    const description = `${axisTitle(axis)} of ${logger}.${counter}`;
    const family = { name: familyName(imported, axis), description, unit: unitOf(axis).unit };
    return classesOf(histogram, at, classes).map(({ label, where }) => ({
      key: readingKey(imported, at, where.length === 0 ? undefined : label),
      family,
      attributes: { ...(daemon !== undefined && { ceph_daemon: daemon }), ...label },
      counted: { layout: layoutInUnit(axis), counts: histogram.marginal(at, where).counts },
      sum: where.length === 0 && sums !== undefined ? sumInUnit(axis, sums[at]!) : undefined,
      counter: { epoch },
    }));
  });
}

function readingKey(histogram: ImportedHistogram, axis: number, label?: Attributes): string {
  return JSON.stringify([histogramKey(histogram), axis, label]);
}

function defaultFamilyName({ logger, counter }: ImportedHistogram, axis: Axis): string {
  const title = axisTitle(axis)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  return `ceph.${logger}.${counter.replace(/_histogram$/, '')}.${title}`;
}

const CLASSES: OptionsOwner<AxisClasses> = {
  name: 'classes',
  names: { axis: true, bounds: true, attribute: true },
  call: "cephHistograms(registry, fetch, { classes: { axis: 'Request size (bytes)', bounds: [4096] } })",
};

const CEPH_HISTOGRAMS: OptionsOwner<CephHistogramsOptions> = {
  name: 'cephHistograms',
  names: {
    classes: true,
    familyName: true,
    units: true,
    logger: true,
    counter: true,
    lenient: true,
    maxLength: true,
    maxElements: true,
    attributes: true,
    sourceName: true,
    since: true,
    timeoutMs: true,
    observer: true,
    memory: true,
  },
  call: "cephHistograms(registry, fetch, { since: 'now' })",
};
