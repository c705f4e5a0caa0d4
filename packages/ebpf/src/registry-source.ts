import type { Registry } from '@hdrscope/registry';
import { type CountingHealth, KernelCounting, type KernelCountingOptions } from './counting/counting.ts';
import { KernelFamilies, type KernelFamilyOptions } from './kernel-families.ts';
import type { KernelSource } from './source/source.ts';

/** How kernel histograms become families of a registry. `families` replaces options for histograms of some names. */
export interface KernelHistogramsOptions extends KernelFamilyOptions, KernelCountingOptions {
  /** Options for histograms of one name, by name. @default the same options for all names */
  readonly families?: Readonly<Record<string, KernelFamilyOptions>>;
  /** Longest time that a gather waits for the source, in milliseconds: see `SourceOptions` of the registry. @default no limit */
  readonly timeoutMs?: number;
}

/** Counts of unusual events while reading, so far. */
export interface KernelHealth extends CountingHealth {
  /** How often the source could not be read, or its frame could not be added. */
  readonly readErrors: number;
  /** Number of values in slots that are open on a side. They count at the bound of the slot, and may lie far beyond it. */
  readonly open: number;
  /**
   * Number of values in slots that the digits of their family do not keep apart: single integers above 262,143, too few
   * `significantDigits`, or slots that turned out finer after the family was made.
   */
  readonly inexact: number;
}

/** Kernel histograms in a registry. */
export interface KernelHistograms {
  /** Counts of unusual events while reading, so far. */
  readonly health: KernelHealth;
  /** Removes the source from the registry, and closes it. Its counts stay in the registry. */
  close(): Promise<void>;
}

/**
 * Adds a source of kernel histograms to a registry, which reads it at each gather. The increases of slots are added as
 * counts, not as single events. Series never fall, whatever happens to the maps. A source that cannot be read appears in
 * the errors of the snapshot, and its earlier counts stay.
 *
 * A slot counts at its middle. By default a family has the resolution and digits at which every kernel slot has HDR slots
 * of its own. So explicit buckets at the bounds of kernel slots are exact, and these are the default for Prometheus and
 * OTLP. This holds for log2 and log-linear slots up to 2^53 − 1, for queue depths, and for slots of single integers up to
 * 262,143. Exponential buckets take a whole slot by its middle. The sum is the sum of the program, or else the sum of the
 * middles. Minimum and maximum are middles too.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `since` or `timeoutMs` is outside its range. Other options are checked
 *   when the first histogram arrives, and their errors appear in the snapshot.
 * @example
 * ```ts
 * import { kernelHistograms, queueDepthLayout } from '@hdrscope/ebpf';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const counts = Float64Array.of(1200, 980, 1400, 800, 400, 30, 10, 1);
 * const source = {
 *   name: 'the run queues',
 *   read: () => ({
 *     generation: 'map 7',
 *     cpuCount: 1,
 *     counterBits: 64 as const,
 *     histograms: [{ name: 'queue_hist', attributes: {}, layout: queueDepthLayout(), counts, sums: undefined }],
 *   }),
 *   close() {},
 * };
 * const registry = createRegistry();
 * const kernel = kernelHistograms(registry, source, { name: 'runqueue.depth', unit: '{thread}' });
 *
 * const [family] = (await registry.gather()).families;
 * family!.boundaries; //=> [0, 1, 4, 8, 16, 32, 64]
 * family!.series[0]!.histogram.totalCount; //=> 4821
 * kernel.health; //=> { resets: 0, generations: 1, evicted: 0, readErrors: 0, open: 1, inexact: 0 }
 * await kernel.close();
 * ```
 */
export function kernelHistograms(
  registry: Registry,
  source: KernelSource,
  { families: byName = {}, timeoutMs, since = 'beginning', ...common }: KernelHistogramsOptions = {},
): KernelHistograms {
  const counting = new KernelCounting({ since });
  const families = new KernelFamilies(registry, (name) =>
    Object.hasOwn(byName, name) ? { ...common, ...byName[name] } : common,
  );
  let readErrors = 0;
  let running: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    try {
      const frame = await source.read();
      counting.advance(frame, (increase) => families.add(increase));
    } catch (error) {
      readErrors++;
      throw error;
    }
  };
  // One read at a time: a frame that overtakes another one would look like a reset.
  const collect = (): Promise<void> => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
  const remove = registry.add({ name: source.name, collect }, timeoutMs === undefined ? {} : { timeoutMs });
  return {
    get health() {
      return { ...counting.health, readErrors, open: families.open, inexact: families.inexact };
    },
    async close() {
      remove();
      await running?.catch(() => {});
      await source.close();
    },
  };
}
