import { noteClientRequest } from '@hdrscope/kit';
import { type Attributes, type Context, context, createContextKey } from '@opentelemetry/api';
import { HdrInstrument } from './instrument.ts';
import type { MetricScope } from './sdk.ts';

/** The key of `suppressTracing` in `@opentelemetry/core`: equal in all of its copies. */
const SUPPRESSED = /* @__PURE__ */ createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** Whether a context is that of an export. SDKs export in a context that says so, and their own requests make no spans. */
export function isOfExporter(active: Context): boolean {
  return active.getValue(SUPPRESSED) === true;
}

/**
 * Whether an instrument counts requests in the context in which they were made. The instrumentation of `node:http` does; that of `fetch` counts in the
 * context of the first request of a connection.
 */
export function countsInContext(name: string, { name: scope }: MetricScope): boolean {
  return name === 'http.client.request.duration' && scope === '@opentelemetry/instrumentation-http';
}

/** An instrument of HTTP clients. It notes which addresses get telemetry only, so that the live page need not rank them. */
export class ClientRequests extends HdrInstrument {
  override record(value: number, attributes?: Attributes, recordContext?: Context): void {
    super.record(value, attributes, recordContext);
    const [address, port] = [attributes?.['server.address'], attributes?.['server.port']];
    if (typeof address !== 'string' || port === undefined) return;
    noteClientRequest(`${address}:${port}`, isOfExporter(recordContext ?? context.active()));
  }
}
