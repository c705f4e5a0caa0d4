import { createHdr } from '@hdrscope/otel';

/**
 * @typedef {{ readers?: import('@opentelemetry/sdk-metrics').MetricReader[] }} Options
 * @typedef {new (options?: Options) => import('@opentelemetry/sdk-metrics').MeterProvider} Constructor
 */

/** @param {{ MeterProvider: Constructor }} stock */
export default function shim(stock) {
  class MeterProvider extends stock.MeterProvider {
    /** @param {Options} [options] */
    constructor(options) {
      const hdr = createHdr({ views: [{ instrumentName: '*' }], environment: {} });
      super(
        options?.readers
          ? { ...options, readers: options.readers.map((one) => hdr.wrapReader(one)) }
          : options,
      );
      // biome-ignore lint/correctness/noConstructorReturn: tests make providers with `new`
      return hdr.wrapProvider(this);
    }
  }
  return { ...stock, MeterProvider };
}
