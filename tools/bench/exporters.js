/** The exporters for Prometheus that are compared, each as a reader of an instrument. */
import { tallyOfProtobuf, tallyOfText } from './exposition.js';
import { hdrInstrument, sdkInstrument } from './instruments.js';
import { loadRelease } from './open-telemetry.js';

/** @import { Histogram } from '@opentelemetry/api' */
/** @import { Tally } from './instruments.js' */
/** @import { Major } from './open-telemetry.js' */
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

/**
 * Explicit buckets as text, the only format that it has.
 *
 * @param {Major} [major] of the SDK that the exporter belongs to
 * @returns {Promise<Exporter>}
 */
export async function stockExporter(major) {
  const { PrometheusExporter } = (await loadRelease(major)).prometheus;
  const exporter = new PrometheusExporter({ preventServerStart: true });
  return {
    histogram: await sdkInstrument([exporter], 'explicit', major),
    handler: (request, response) => exporter.getMetricsRequestHandler(request, response),
    tallyOf: tallyOfText,
  };
}
