import { type Counted, mustBe } from '@hdrscope/core';
import type { Attributes, Family, Registry, Source } from '@hdrscope/registry';
import { type Axis, axisTitle } from '../histogram/axis.ts';
import { axisFamily, layoutInUnit, sumInUnit } from './axis-family.ts';
import { type AxisClasses, classesOf } from './classes.ts';
import { histogramKey, type ImportedIncrease, increaseOf } from './increase.ts';
import { type ParseDumpOptions, parseHistogramDump } from './parse-dump.ts';
import type { ImportedHistogram } from './read-histogram.ts';

/** The options of a source that reads a daemon of Ceph. */
export interface CephSourceOptions extends ParseDumpOptions {
  /** Returns the answer to `perf histogram dump`, as text. */
  readonly fetch: () => string | Promise<string>;
  /** The name of the source in errors. @default 'ceph' */
  readonly name?: string;
  /** Additional attributes of every series. @default none */
  readonly attributes?: Attributes;
  /** Divides the series of the other axes by the value on this axis: latencies by the size of requests. @default none */
  readonly classes?: AxisClasses;
  /** Gives the name of the family of an axis. @default names like `ceph.osd.op_w_latency_in_bytes.request_size` */
  readonly familyName?: (histogram: ImportedHistogram, axis: Axis) => string;
  /** `'now'` leaves out the counts of the first dump. @default 'beginning' */
  readonly since?: 'beginning' | 'now';
}

/** Totals over all readings of a source. */
export interface CephSourceHealth {
  /** How often a histogram began anew. */
  readonly resets: number;
  /** How often a dump could not be fetched or parsed. */
  readonly readErrors: number;
  /** The number of values in underflows and overflows. They count at the bound, and may lie far beyond it. */
  readonly open: number;
}

/** A source of the histograms of a daemon, for a registry. */
export interface CephSource extends Source {
  readonly health: CephSourceHealth;
  /**
   * The histograms of the last dump that could be parsed: cumulative since the daemon began, with all their axes. Empty
   * before the first dump. The next reading is compared with these histograms, so callers must not change them.
   */
  readonly latest: readonly ImportedHistogram[];
}

/**
 * A source that reads the histograms of a daemon whenever its registry is gathered. Each axis is a family; times are in
 * seconds, sizes in bytes. The increase since the dump before is added, so series only grow, even when the daemon is reset.
 *
 * A slot counts at its middle, and a family has enough digits to keep the slots apart. Explicit buckets at the bounds of the
 * slots, which Prometheus and OTLP get by default, are exact. Negative values count as rejected. A sum is the sum of the
 * middles, unless the dump has sums.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `since` is neither `'beginning'` nor `'now'`.
 * @example
 * ```ts
 * import { cephSource } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const fetch = () => `{"osd":{"op_r_latency":{"axes":[{"name":"Latency (usec)","min":0,"quant_size":100000,
 *   "buckets":4,"scale_type":"log2"}],"values":[0,7,2,1]}}}`;
 * const registry = createRegistry();
 * registry.add(cephSource({ fetch }));
 *
 * const [family] = (await registry.gather()).families;
 * [family!.name, family!.unit]; //=> ['ceph.osd.op_r_latency.latency', 's']
 * family!.boundaries; //=> [0.000099999, 0.000199999]
 * family!.series[0]!.histogram.totalCount; //=> 10
 * ```
 *
 * A family holds one axis of a histogram. The source holds the histograms with all their axes, as it read them last:
 *
 * ```ts
 * import { cephSource } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const fetch = () => `{"osd":{"op_r":{"values":[[0,0],[7,2]],"axes":[
 *   {"name":"x","min":0,"quant_size":8,"buckets":2,"scale_type":"linear"},
 *   {"name":"y","min":0,"quant_size":8,"buckets":2,"scale_type":"linear"}]}}}`;
 * const source = cephSource({ fetch });
 * const registry = createRegistry();
 * registry.add(source);
 * source.latest; //=> []
 *
 * await registry.gather();
 * source.latest.map(({ counter, histogram }) => [counter, histogram.countAt([1, 1])]); //=> [['op_r', 2n]]
 * ```
 */
export function cephSource({ fetch, name = 'ceph', ...options }: CephSourceOptions): CephSource {
  const counting = new CephCounting(options);
  let readErrors = 0;
  let running: Promise<void> | undefined;
  const read = async (registry: Registry): Promise<void> => {
    try {
      counting.advance(parseHistogramDump(await fetch(), options), registry);
    } catch (error) {
      readErrors++;
      throw error;
    }
  };
  return {
    name,
    get health() {
      return { resets: counting.resets, open: counting.open, readErrors };
    },
    get latest() {
      return counting.latest;
    },
    // One reading at a time: an older dump that arrives after a newer one would look like a reset.
    collect(registry) {
      running ??= read(registry).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** Counts that are to be added to a series. */
interface Addition {
  readonly family: Family;
  readonly attributes: Attributes;
  readonly axis: Axis;
  readonly marginal: Counted;
  readonly sum: number | undefined;
}

/** The state between two readings. */
class CephCounting {
  resets = 0;
  open = 0;
  latest: readonly ImportedHistogram[] = [];
  readonly #options: Omit<CephSourceOptions, 'fetch' | 'name'>;
  #before: ReadonlyMap<string, ImportedHistogram> | undefined;

  constructor(options: Omit<CephSourceOptions, 'fetch' | 'name'>) {
    const { since = 'beginning' } = options;
    if (since !== 'beginning' && since !== 'now') {
      throw mustBe('ERR_INVALID_OPTION', 'since', "'beginning' or 'now'", since);
    }
    this.#options = options;
  }

  /** Adds the increase since the last dump: all of it, or nothing when a part of the dump cannot be used. */
  advance(dump: readonly ImportedHistogram[], registry: Registry): void {
    const before = this.#before ?? new Map<string, ImportedHistogram>();
    const isBaseline = this.#before === undefined && this.#options.since === 'now';
    const increases = dump.map((now) => increaseOf(isBaseline ? now : before.get(histogramKey(now)), now));
    const additions = increases.flatMap((increase) => this.#additions(increase, registry));
    this.#before = new Map([...before, ...dump.map((now) => [histogramKey(now), now] as const)]);
    this.latest = dump;
    this.resets += increases.filter(({ isReset }) => isReset).length;
    for (const addition of additions) this.#add(addition);
  }

  #additions(increase: ImportedIncrease, registry: Registry): Addition[] {
    const { histogram, daemon, sums } = increase;
    const { attributes, classes, familyName = defaultFamilyName } = this.#options;
    return histogram.axes.flatMap((axis, at) => {
      const name = familyName(increase, axis);
      const description = `${axisTitle(axis)} of ${increase.logger}.${increase.counter}`;
      const family = axisFamily(registry, axis, { name, description });
      return classesOf(histogram, at, classes).map(({ label, where }) => ({
        family,
        attributes: { ...(daemon !== undefined && { ceph_daemon: daemon }), ...attributes, ...label },
        axis,
        marginal: histogram.marginal(at, where),
        sum: where.length === 0 && sums !== undefined ? sumInUnit(axis, sums[at]!) : undefined,
      }));
    });
  }

  #add({ family, attributes, axis, marginal, sum }: Addition): void {
    const { counts } = marginal;
    if (counts.total === 0) return;
    family
      .with(attributes)
      .add({ layout: layoutInUnit(axis), counts }, sum !== undefined && sum >= 0 ? { sum } : {});
    this.open += counts.at(0) + (counts.length > 1 ? counts.at(counts.length - 1) : 0);
  }
}

function defaultFamilyName({ logger, counter }: ImportedHistogram, axis: Axis): string {
  const title = axisTitle(axis)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  return `ceph.${logger}.${counter.replace(/_histogram$/, '')}.${title}`;
}
