import { mustBe } from '@hdrscope/core/internal';
import { inSlices, reasonOf, Slices } from '@hdrscope/kit';
import type { MetricFamily, Warn } from '../families.ts';
import type { FamilySource } from '../family-source.ts';
import { familyOf } from './families.ts';
import { jsonOf, type PromClientRegistry, type PromMetric, readMetric } from './metrics.ts';

/**
 * Shows the metrics of `prom-client` or `@prometheus-io/client` beside those of a registry or an SDK: counters, gauges, summaries,
 * and histograms with their classic buckets. They keep their names, types, help texts, labels and exemplars, in every format.
 * The options of the endpoint for names do not apply to them.
 *
 * OpenMetrics 1.0 has no counters whose names do not end with `_total`: there, such a counter keeps its name and is of type unknown.
 * When two sources have metrics of one name, the first is shown, and the endpoint warns. For several processes, see
 * `collectPromClient`.
 *
 * @param registries One registry, such as `register`, or several.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a registry lacks `getMetricsAsJSON`.
 * @example
 * ```ts
 * import { fromPromClient, prometheusHandler } from '@hdrscope/prometheus';
 * import { createRegistry } from '@hdrscope/registry';
 * import { Counter, Registry } from 'prom-client';
 *
 * const register = new Registry();
 * new Counter({ name: 'orders_total', help: 'Orders', labelNames: ['vip'], registers: [register] }).inc({ vip: 'yes' }, 3);
 *
 * const source = fromPromClient(register);
 * const handler = prometheusHandler(createRegistry(), { sources: [source] });
 * (await source({}))[0]!.metrics[0]!.labels; //=> [['vip', 'yes']]
 * ```
 */
export function fromPromClient(registries: PromClientRegistry | readonly PromClientRegistry[]): FamilySource {
  const all = listOf(registries);
  return async ({ warn = () => {} }) => {
    const lists = await Promise.all(all.map(jsonOf));
    const slices = new Slices();
    const families: MetricFamily[] = [];
    for await (const metric of readMetrics(lists.flat(), warn, slices)) {
      families.push(await inSlices(familyOf(metric, warn), slices));
    }
    return families;
  };
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when a registry lacks `getMetricsAsJSON`. */
export function listOf(registries: PromClientRegistry | readonly PromClientRegistry[]): PromClientRegistry[] {
  const all: readonly (PromClientRegistry | undefined)[] = [registries].flat();
  return all.map((registry) => {
    if (typeof registry?.getMetricsAsJSON === 'function' && typeof registry.contentType === 'string') {
      return registry;
    }
    throw mustBe('ERR_INVALID_OPTION', 'a registry', 'a Registry of prom-client', registry);
  });
}

/** Reads the metrics of registries one by one. One that is malformed is left out with a warning. */
export async function* readMetrics(
  list: readonly object[],
  warn: Warn,
  slices: Slices,
): AsyncGenerator<PromMetric> {
  for (const [i, json] of list.entries()) {
    let metric: PromMetric;
    try {
      metric = await inSlices(readMetric(json, `metrics[${i}]`), slices);
    } catch (error) {
      warn(`a metric of prom-client is left out: ${reasonOf(error)}`);
      continue;
    }
    yield metric;
  }
}
