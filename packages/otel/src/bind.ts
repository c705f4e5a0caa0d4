import type { Attributes, Histogram } from '@opentelemetry/api';

/** An instrument with its attributes. */
export interface BoundHistogram {
  /** Counts a value, given in the instrument's unit. Never throws. */
  record(value: number): void;
}

/**
 * An instrument with its attributes looked up beforehand: what a hot path keeps. Of an HDR instrument that is the
 * series itself; any other instrument is asked with the attributes each time.
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
