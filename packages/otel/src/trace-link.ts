import type { Attributes } from '@hdrscope/registry';

/** The attributes of an exemplar as OTLP has them: the trace and the span apart, as lower-case hexadecimal digits. */
export interface TraceLink {
  /** 32 digits. */
  readonly traceId: string | undefined;
  /** 16 digits. */
  readonly spanId: string | undefined;
  /** All other attributes. */
  readonly rest: Attributes;
}

/** Takes the link to a span out of the attributes of an exemplar. An id that is not one stays an attribute. */
export function traceLinkOf({ trace_id, span_id, ...rest }: Attributes): TraceLink {
  const traceId = idOf(trace_id, 32);
  const spanId = idOf(span_id, 16);
  return {
    traceId,
    spanId,
    rest: {
      ...rest,
      ...(traceId === undefined && trace_id !== undefined && { trace_id }),
      ...(spanId === undefined && span_id !== undefined && { span_id }),
    },
  };
}

/** The attributes of an exemplar, with the link to its span if it has one. */
export function withTraceLink(rest: Attributes, traceId: unknown, spanId: unknown): Attributes {
  const trace_id = idOf(traceId, 32);
  const span_id = idOf(spanId, 16);
  return {
    ...rest,
    ...(trace_id !== undefined && { trace_id }),
    ...(span_id !== undefined && { span_id }),
  };
}

/** https://www.w3.org/TR/trace-context/#trace-id: an id of zeros is not valid. */
function idOf(id: unknown, digits: number): string | undefined {
  if (typeof id !== 'string' || id.length !== digits) return undefined;
  return /^[\da-f]+$/i.test(id) && /[^0]/.test(id) ? id.toLowerCase() : undefined;
}
