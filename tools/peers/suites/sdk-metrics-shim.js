import { createHdr } from '@hdrscope/otel';

/**
 * @typedef {{ readers?: import('@opentelemetry/sdk-metrics').MetricReader[] }} ProviderOptions
 * @typedef {new (options?: ProviderOptions) => import('@opentelemetry/sdk-metrics').MeterProvider} Constructor
 */

/**
 * @typedef {object} Options
 * @property {readonly import('@hdrscope/otel').HdrView[]} [views] By default one view, `*`.
 * @property {import('@hdrscope/otel').ReaderOptions} [reader]
 */

/**
 * @param {{ MeterProvider: Constructor }} stock
 * @param {Options} options
 */
export default function shim(stock, { views = [{ instrumentName: '*' }], reader: readerOptions }) {
  class MeterProvider extends stock.MeterProvider {
    /** @param {ProviderOptions} [options] */
    constructor(options) {
      const hdr = createHdr({ views, environment: {} });
      const readers = options?.readers?.map((reader) => hdr.wrapReader(reader, readerOptions));
      super(readers === undefined ? options : { ...options, readers });
      // biome-ignore lint/correctness/noConstructorReturn: tests make providers with `new`
      return hdr.wrapProvider(this);
    }
  }
  return { ...stock, MeterProvider };
}
