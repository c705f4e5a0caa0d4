import { performance } from 'node:perf_hooks';
import { mustBe } from '@hdrscope/core';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { watchEventLoopDelay } from './event-loop-delay.ts';
import type { FamilySource } from './family-source.ts';
import { familiesOfSnapshot } from './from-registry.ts';
import { watchGcPauses } from './gc-pauses.ts';
import { eventLoopFamilies, processFamilies } from './process-families.ts';

/** What is to be known about the process itself. */
export interface DefaultMetricsOptions {
  /**
   * How often the event loop's delay is measured, in milliseconds: an integer of at least 1. Less shows shorter
   * hang-ups, and wakes an idle process more often. @default 10
   */
  readonly eventLoopIntervalMs?: number | undefined;
}

/** The watch over a process. */
export interface DefaultMetrics {
  /** The numbers, read when they are asked for: for the `sources` of a handler or an exporter. */
  readonly families: FamilySource;
  /** Ends all measurements. What was counted stays. */
  stop(): void;
}

const DEFAULT_INTERVAL_MS = 10;
const UTILIZATION_WINDOW_MS = 10_000;

/**
 * Measures what every Node.js process should be asked about, until `stop` is called; keeps no process alive. To be
 * called once for a registry: two watches would count everything twice.
 *
 * The delay of the event loop (`nodejs.eventloop.delay`, in seconds) and the pauses of the garbage collector
 * (`v8js.gc.duration`, in seconds, by `v8js.gc.type`) are histograms of the registry. CPU, memory, file descriptors, start and
 * utilization are numbers under the names that Prometheus's clients have for them.
 *
 * It costs a timer every `eventLoopIntervalMs`, about a microsecond of JavaScript each besides waking the process, and about
 * a millisecond for each scrape.
 *
 * @param registry For the histograms. Without one, `families` gives these, too.
 * @throws HdrscopeError `ERR_INVALID_OPTION`; `ERR_ALREADY_REGISTERED` when the registry has such a family already, of
 *   other options.
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
 * defaults.stop();
 * ```
 */
export function collectDefaultMetrics(
  registry?: Registry,
  { eventLoopIntervalMs = DEFAULT_INTERVAL_MS }: DefaultMetricsOptions = {},
): DefaultMetrics {
  if (!Number.isSafeInteger(eventLoopIntervalMs) || eventLoopIntervalMs < 1) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      'eventLoopIntervalMs',
      'an integer of at least 1',
      eventLoopIntervalMs,
    );
  }
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
      return [...numbers, ...familiesOfSnapshot(await store.gather(), options)];
    },
    stop() {
      stopDelay();
      stopPauses();
      clearInterval(window);
    },
  };
}
