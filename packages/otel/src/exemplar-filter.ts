import { mustBe } from '@hdrscope/core';
import type { Attributes } from '@hdrscope/registry';
import { type Context, TraceFlags, trace } from '@opentelemetry/api';
import { type Environment, variable } from './environment.ts';

/** Which measurements may become exemplars: all, those in a sampled span, or none. */
export type ExemplarFilter = 'always_on' | 'trace_based' | 'always_off';

const FILTERS: readonly string[] = ['always_on', 'trace_based', 'always_off'] satisfies ExemplarFilter[];

/**
 * What is configured, or else what `OTEL_METRICS_EXEMPLAR_FILTER` says, or else none: only a Prometheus exporter of ours
 * carries exemplars, and looking for a span costs each record.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when it is another.
 */
export function exemplarFilterOf(configured: string | undefined, environment: Environment): ExemplarFilter {
  const filter =
    configured ?? variable(environment, 'OTEL_METRICS_EXEMPLAR_FILTER')?.toLowerCase() ?? 'always_off';
  if (!FILTERS.includes(filter))
    throw mustBe('ERR_INVALID_OPTION', 'exemplarFilter', FILTERS.join(', '), filter);
  return filter as ExemplarFilter;
}

/** What an exemplar tells of its context; `undefined` where the filter does not let it be one. */
export function exemplarContext(filter: ExemplarFilter, active: Context): Attributes | undefined {
  const span = trace.getSpanContext(active);
  const isSampled = span !== undefined && (span.traceFlags & TraceFlags.SAMPLED) !== 0;
  if (filter === 'trace_based' && !isSampled) return undefined;
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
