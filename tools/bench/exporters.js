/** The exporters for Prometheus that are compared, each as a reader of an instrument. */
import { tallyOfProtobuf, tallyOfText } from './exposition.js';
import { hdrInstrument, sdkInstrument } from './instruments.js';

/** @import { Histogram } from '@opentelemetry/api' */
/** @import { Tally } from './instruments.js' */
/** @import { Handler } from './scraper.js' */

/**
 * @typedef {object} Exporter
 * @property {Histogram} histogram
 * @property {Handler} handler
 * @property {(body: Uint8Array) => Tally} tallyOf
 */

/** Native histograms as protobuf. @returns {Promise<Exporter>} */
export async function hdrExporter() {
  const { HdrPrometheusExporter } = await import('@hdrscope/prometheus');
  const exporter = new HdrPrometheusExporter({ preventServerStart: true });
  return {
    histogram: await hdrInstrument([exporter]),
    handler: (request, response) => exporter.getMetricsRequestHandler(request, response),
    tallyOf: tallyOfProtobuf,
  };
}

/** Explicit buckets as text, the only format that it has. @returns {Promise<Exporter>} */
export async function stockExporter() {
  const { PrometheusExporter } = await import('@opentelemetry/exporter-prometheus');
  const exporter = new PrometheusExporter({ preventServerStart: true });
  return {
    histogram: await sdkInstrument([exporter], 'explicit'),
    handler: (request, response) => exporter.getMetricsRequestHandler(request, response),
    tallyOf: tallyOfText,
  };
}
