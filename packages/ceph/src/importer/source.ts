import { type LayoutHistogram, mustBe } from '@hdrscope/core';
import type { Attributes, Family, Registry, Source } from '@hdrscope/registry';
import { type Axis, axisTitle } from '../histogram/axis.ts';
import { axisFamily, layoutInUnit, sumInUnit } from './axis-family.ts';
import { type AxisClasses, classesOf } from './classes.ts';
import { histogramKey, type ImportedIncrease, increaseOf } from './increase.ts';
import { type ParseDumpOptions, parseHistogramDump } from './parse-dump.ts';
import type { ImportedHistogram } from './read-histogram.ts';

/** How the histograms of a daemon come into a registry. */
export interface CephSourceOptions extends ParseDumpOptions {
  /** Gives what `perf histogram dump` answers, as text. */
  readonly fetch: () => string | Promise<string>;
  /** Names the source where it fails. @default 'ceph' */
  readonly name?: string;
  /** Added to the attributes of every series. @default none */
  readonly attributes?: Attributes;
  /** Tells series of other axes apart by the value on this one: latencies by the size of requests. @default none */
  readonly classes?: AxisClasses;
  /** The family of an axis. @default such as `ceph.osd.op_w_latency_in_bytes.request_size` */
  readonly familyName?: (histogram: ImportedHistogram, axis: Axis) => string;
  /** Whether the first dump counts, or only what comes after it. @default 'beginning' */
  readonly since?: 'beginning' | 'now';
}

/** What reading has met with, so far. */
export interface CephSourceHealth {
  /** How often a histogram had begun anew. */
  readonly resets: number;
  /** How often no dump could be had, or not be understood. */
  readonly readErrors: number;
  /** How many values were in underflows and overflows. Those are counted at the bound, and may lie far beyond it. */
  readonly open: number;
}

/** The histograms of a daemon, as a registry asks for them. */
export interface CephSource extends Source {
  readonly health: CephSourceHealth;
  /**
   * What the last dump held that was understood, as it was read: cumulative since the daemon began, all axes together.
   * Empty before the first. Reading goes on from these histograms: they are to be looked at, not to be changed.
   */
  readonly latest: readonly ImportedHistogram[];
}

/**
 * Has a registry read the histograms of a daemon whenever it is gathered: each axis as a family, times in seconds and sizes
 * in bytes. What a dump has more than the one before is added, so series only ever grow, whatever is reset in the daemon.
 *
 * A slot counts at its middle, and a family has as many digits as keep the slots apart: explicit buckets at the bounds of
 * the slots, which Prometheus and OTLP get by default, are exact. Negative values are tallied as rejected. Sums are those
 * of the middles, until daemons tell their own.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `since` is neither of both.
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
 * What a family has of a histogram is one of its axes. All of them together are what the source has read last:
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
    // One at a time: dumps that overtake each other would look like daemons that began anew.
    collect(registry) {
      running ??= read(registry).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** Counts on their way to a series. */
interface Addition {
  readonly family: Family;
  readonly attributes: Attributes;
  readonly axis: Axis;
  readonly marginal: LayoutHistogram;
  readonly sum: number | undefined;
}

/** Knows what was read last. */
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

  /** All of a dump is understood before any of it is added. */
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

function defaultFamilyName({ logger, counter }: ImportedHistogram, of: Axis): string {
  const axis = axisTitle(of)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  return `ceph.${logger}.${counter.replace(/_histogram$/, '')}.${axis}`;
}
