import type { Attributes, Histogram } from '@opentelemetry/api';

/** An instrument bound to one set of attributes. */
export interface BoundHistogram {
  /** Counts a value, given in the instrument's unit. Never throws. */
  record(value: number): void;
}

/**
 * Binds an instrument to a set of attributes, for hot paths. An HDR instrument looks its series up once, here; any other
 * instrument receives the attributes with each record.
 *
 * @example
 * ```ts
 * import { bind, createHdr } from '@hdrscope/otel';
 * import { MeterProvider } from '@opentelemetry/sdk-metrics';
 *
 * const hdr = createHdr({ views: [{ instrumentName: '*' }] });
 * const meter = hdr.wrapProvider(new MeterProvider()).getMeter('shop');
 * const reads = bind(meter.createHistogram('db.client.operation.duration', { unit: 's' }), { 'db.operation.name': 'read' });
 * reads.record(0.002);
 *
 * const [family] = (await hdr.registry.gather()).families;
 * family!.series[0]!.histogram.totalCount; //=> 1
 * ```
 */
export function bind(histogram: Histogram, attributes: Attributes): BoundHistogram {
  if (isBindable(histogram)) return histogram.bind(attributes);
  return { record: (value) => histogram.record(value, attributes) };
}

function isBindable(
  histogram: Histogram,
): histogram is Histogram & { bind(attributes: Attributes): BoundHistogram } {
  return typeof (histogram as { readonly bind?: unknown }).bind === 'function';
}
