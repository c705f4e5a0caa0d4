import { mustBe } from '@hdrscope/core/internal';
import type { Attributes } from '@hdrscope/registry';
import { type Context, TraceFlags, trace } from '@opentelemetry/api';
import { type EnvironmentVariables, variable } from './environment.ts';

/** Which measurements may become exemplars: all of them, those in a sampled span, or none of them. */
export type ExemplarFilter = 'always_on' | 'trace_based' | 'always_off';

export const EXEMPLAR_FILTERS: readonly ExemplarFilter[] = ['always_on', 'trace_based', 'always_off'];

/**
 * The configured filter, else the one in `OTEL_METRICS_EXEMPLAR_FILTER`, else `'always_off'`: each record
 * would pay for the look at its span, and the SDK's exporters leave exemplars out.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the filter is unknown.
 */
export function exemplarFilterOf(
  configured: string | undefined,
  environment: EnvironmentVariables,
): ExemplarFilter {
  const filter =
    configured ?? variable(environment, 'OTEL_METRICS_EXEMPLAR_FILTER')?.toLowerCase() ?? 'always_off';
  if (EXEMPLAR_FILTERS.includes(filter as ExemplarFilter)) return filter as ExemplarFilter;
  throw mustBe('ERR_INVALID_OPTION', 'exemplarFilter', EXEMPLAR_FILTERS.join(', '), filter);
}

/** The attributes that lead an exemplar to its span, or `undefined` when the filter rejects the measurement. */
export function exemplarContext(filter: ExemplarFilter, active: Context): Attributes | undefined {
  const span = trace.getSpanContext(active);
  const isSampled = span !== undefined && (span.traceFlags & TraceFlags.SAMPLED) !== 0;
  if (filter === 'trace_based' && !isSampled) return undefined;
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
