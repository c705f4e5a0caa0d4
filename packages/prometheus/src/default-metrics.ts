import { performance } from 'node:perf_hooks';
import { integer, type OptionRules, readOptions, withDefault } from '@hdrscope/core/internal';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { assertRegistry } from '@hdrscope/registry/internal';
import { watchEventLoopDelay } from './event-loop-delay.ts';
import type { FamilySource } from './family-source.ts';
import { convertSnapshot } from './from-registry.ts';
import { watchGcPauses } from './gc-pauses.ts';
import { eventLoopFamilies, processFamilies } from './process-families.ts';

/** Options of `collectDefaultMetrics`. */
export interface DefaultMetricsOptions {
  /**
   * The interval at which the event loop's delay is measured, in milliseconds: an integer of at least 1. A smaller one
   * shows shorter hang-ups and wakes an idle process more often. @default 10
   */
  readonly eventLoopIntervalMs?: number | undefined;
}

/** Running measurements of the process. */
export interface DefaultMetrics {
  /** Reads the numbers at each scrape. Pass it to `sources` of a handler or an exporter. */
  readonly families: FamilySource;
  /** Ends all measurements. The counts stay. */
  close(): void;
}

const UTILIZATION_WINDOW_MS = 10_000;

/**
 * Measures the Node.js process until `close` is called. It does not keep the process alive. Call it once for a registry: a
 * second call would count everything twice.
 *
 * The delay of the event loop (`nodejs.eventloop.delay`, in seconds) and the pauses of the garbage collector
 * (`v8js.gc.duration`, in seconds, by `v8js.gc.type`) become histograms of the registry. CPU, memory, file descriptors, start
 * time and utilization are numbers, under the names that Prometheus's client libraries use.
 *
 * The cost is a timer every `eventLoopIntervalMs`, which wakes the process and runs about a microsecond of JavaScript, and
 * about a millisecond for each scrape.
 *
 * @param registry Takes the histograms. Left out, `families` contains them too.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, or the interval is out of range;
 *   `ERR_ALREADY_REGISTERED` when the registry has a family of one of these names with other options.
 * @example
 * ```ts
 * import { collectDefaultMetrics, prometheusHandler } from '@hdrscope/prometheus';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const defaults = collectDefaultMetrics(registry);
 * const handler = prometheusHandler(registry, { sources: [defaults.families] });
 *
 * const families = await defaults.families({});
 * families.slice(0, 3).map(({ name }) => name);
 * //=> ['process_cpu_user_seconds', 'process_cpu_system_seconds', 'process_cpu_seconds']
 * defaults.close();
 * ```
 */
export function collectDefaultMetrics(
  registry?: Registry,
  options: DefaultMetricsOptions = {},
): DefaultMetrics {
  const { eventLoopIntervalMs } = readOptions(options, COLLECT_DEFAULT_METRICS);
  if (registry !== undefined) assertRegistry(registry);
  const store = registry ?? createRegistry();
  const delay = store.histogram({
    name: 'nodejs.eventloop.delay',
    unit: 's',
    description: 'How long callbacks waited for the event loop.',
  });
  const pauses = store.histogram({
    name: 'v8js.gc.duration',
    unit: 's',
    description: 'Garbage collection duration.',
  });

  const stopDelay = watchEventLoopDelay(delay.with({}), eventLoopIntervalMs);
  const stopPauses = watchGcPauses(pauses);
  let windowStart = performance.eventLoopUtilization();
  let recent = windowStart;
  const window = setInterval(() => {
    const now = performance.eventLoopUtilization();
    recent = performance.eventLoopUtilization(now, windowStart);
    windowStart = now;
  }, UTILIZATION_WINDOW_MS).unref();

  return {
    async families(options) {
      const numbers = [...(await processFamilies()), ...eventLoopFamilies(recent)];
      if (registry !== undefined) return numbers;
      return [...numbers, ...convertSnapshot(await store.gather(), options)];
    },
    close() {
      stopDelay();
      stopPauses();
      clearInterval(window);
    },
  };
}

const COLLECT_DEFAULT_METRICS = {
  name: 'collectDefaultMetrics',
  rules: {
    eventLoopIntervalMs: withDefault(integer({ from: 1 }), 10),
  } satisfies OptionRules<DefaultMetricsOptions>,
  call: 'collectDefaultMetrics(registry, { eventLoopIntervalMs: 20 })',
};
