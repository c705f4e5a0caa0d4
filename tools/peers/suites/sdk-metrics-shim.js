import { createHdr } from '@hdrscope/otel';

/**
 * @typedef {{ readers?: import('@opentelemetry/sdk-metrics').MetricReader[] }} ProviderOptions
 * @typedef {new (options?: ProviderOptions) => import('@opentelemetry/sdk-metrics').MeterProvider} Constructor
 */

/**
 * @param {{ MeterProvider: Constructor }} stock
 * @param {import('@hdrscope/otel').ReaderOptions} readerOptions
 */
export default function shim(stock, readerOptions) {
  class MeterProvider extends stock.MeterProvider {
    /** @param {ProviderOptions} [options] */
    constructor(options) {
      const hdr = createHdr({ views: [{ instrumentName: '*' }], environment: {} });
      const readers = options?.readers?.map((reader) => hdr.wrapReader(reader, readerOptions));
      super(readers === undefined ? options : { ...options, readers });
      // biome-ignore lint/correctness/noConstructorReturn: tests make providers with `new`
      return hdr.wrapProvider(this);
    }
  }
  return { ...stock, MeterProvider };
}
