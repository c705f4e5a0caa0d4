import type { Registry } from '@hdrscope/registry';
import { type CountingHealth, KernelCounting, type KernelCountingOptions } from './counting/counting.ts';
import { KernelFamilies, type KernelFamilyOptions } from './kernel-families.ts';
import type { KernelSource } from './source/source.ts';

/** How the histograms of a kernel come into a registry: those of all names alike, unless `families` tells otherwise. */
export interface KernelHistogramsOptions extends KernelFamilyOptions, KernelCountingOptions {
  /** What is different for histograms of some names. */
  readonly families?: Readonly<Record<string, KernelFamilyOptions>>;
  /** How long a gather waits for the source, in milliseconds: see the registry's `SourceOptions`. @default no limit */
  readonly timeoutMs?: number;
}

/** What reading has met with, so far. */
export interface KernelHealth extends CountingHealth {
  /** How often the source could not be read, or its frame not be understood. */
  readonly readErrors: number;
  /** How many values were in slots that are open on a side. They are counted at the bound, and may lie far beyond it. */
  readonly open: number;
  /**
   * How many values were in slots that the digits of their family do not keep apart: single integers above 262,143,
   * digits that were set too low, or slots that turned out finer when the family was made already.
   */
  readonly inexact: number;
}

/** The histograms of a kernel in a registry. */
export interface KernelHistograms {
  readonly health: KernelHealth;
  /** Ends it: the registry asks no more, and the source is closed. What was counted stays. */
  close(): Promise<void>;
}

/**
 * Has a registry read the kernel's histograms whenever it is gathered. Increases of slots are added as counts, never as
 * single events; series only ever grow, whatever becomes of the maps. A source that cannot be read is named in the
 * snapshot's errors, and what it brought before stays.
 *
 * A slot counts at its middle, and the resolution and digits of a family are such that it has HDR slots of its own:
 * explicit buckets at the bounds of the kernel's slots, which Prometheus and OTLP get by default, are exact. That holds
 * for log2 and log-linear slots up to 2^53 − 1, for queue depths, and for slots of single integers up to 262,143.
 * Exponential buckets take a slot, whole, by its middle. A sum that the program keeps is taken as it is; without one it
 * is that of the middles. Minimum and maximum are middles too.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
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
  // One at a time: frames that overtake each other would look like counters that began anew.
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
