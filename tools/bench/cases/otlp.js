/** Exports over OTLP, whole: from changed series to the answer of the receiver. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Load, manualReader, sdkInstrument } from '../instruments.js';
import { loadRelease } from '../open-telemetry.js';

/** @import { Histogram } from '@opentelemetry/api' */
/** @import { Aggregation } from '../instruments.js' */
/** @import { Group, Setup } from '../types.js' */

const series = 10_000;

/**
 * @typedef {object} Exporter
 * @property {Histogram} histogram
 * @property {() => Promise<unknown>} send Sends all series.
 */

/** A receiver that takes everything, in a thread of its own. */
async function receiver() {
  const points = new Int32Array(new SharedArrayBuffer(4));
  const server = new Worker(new URL('../write-server.js', import.meta.url), { workerData: { points } });
  const [port] = await once(server, 'message');
  server.unref();
  return { url: `http://127.0.0.1:${port}/v1/metrics`, points };
}

/** @type {(make: (url: string) => Promise<Exporter>) => Setup} */
const exporting = (make) => async () => {
  const { url, points } = await receiver();
  const { histogram, send } = await make(url);
  const load = new Load(histogram, series);
  load.fill();
  return {
    before: () => load.change(series),
    run: send,
    answer() {
      // The receiver counts after it has answered.
      Atomics.wait(points, 0, 0, 5000);
      return Atomics.load(points, 0);
    },
  };
};

/** @type {(compression: 'gzip' | 'none') => (url: string) => Promise<Exporter>} */
const hdr = (compression) => async (url) => {
  const [{ createHdr }, { sendOtlp }, { metrics }] = await Promise.all([
    import('@hdrscope/otel'),
    import('@hdrscope/otel/sender'),
    loadRelease(),
  ]);
  const hdr = createHdr({
    views: [{ instrumentName: 'http.*.duration', significantDigits: 2, aggregationCardinalityLimit: 1e6 }],
  });
  const meter = hdr.wrapProvider(new metrics.MeterProvider()).getMeter('bench');
  const sender = sendOtlp(hdr.registry, { url, compression, intervalMs: 3_600_000 });
  return {
    histogram: meter.createHistogram('http.server.request.duration', { unit: 's' }),
    send: () => sender.flush(),
  };
};

/** Release 2 of the SDK, to which the exporter belongs. @type {(aggregation: Aggregation) => (url: string) => Promise<Exporter>} */
const stock = (aggregation) => async (url) => {
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-proto');
  const reader = await manualReader('cumulative', 2);
  const exporter = new OTLPMetricExporter({ url });
  return {
    histogram: await sdkInstrument([reader], aggregation, 2),
    async send() {
      const { resourceMetrics } = await reader.collect();
      await new Promise((resolve, reject) => {
        exporter.export(resourceMetrics, ({ error }) => (error === undefined ? resolve(0) : reject(error)));
      });
    },
  };
};

/** @type {readonly Group[]} */
export default [
  {
    id: 'otlp-export',
    title: '10,000 series over OTLP to a receiver on the loopback interface, all changed',
    agree: 0,
    rounds: 15,
    cases: {
      'hdrscope sender': exporting(hdr('none')),
      'hdrscope sender, gzip': exporting(hdr('gzip')),
      'SDK exponential, OTLP exporter': exporting(stock('exponential')),
      'SDK explicit buckets, OTLP exporter': exporting(stock('explicit')),
    },
  },
];
