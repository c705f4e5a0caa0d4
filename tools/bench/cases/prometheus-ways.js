/** The ways from a registry to Prometheus, whole: the snapshot, the bytes, the compression and the request. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { tallyOfProtobuf } from '../exposition.js';
import { PROTOBUF, scraperOf } from '../scraper.js';
import { seconds } from '../values.js';

/** @import { Registry } from '@hdrscope/registry' */
/** @import { Group, Setup } from '../types.js' */

const series = 10_000;
const valuesPerSeries = 50;

/** A registry of many series, and a function that gives each one another value. */
async function loaded() {
  const { createRegistry } = await import('@hdrscope/registry');
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', unit: 's', cardinalityLimit: series });
  const values = seconds();
  const all = Array.from({ length: series }, (_, i) =>
    family.with({ method: 'GET', route: `/route/${i}`, status: 200 }),
  );
  let recorded = 0;
  const change = () => {
    for (const one of all) one.record(/** @type {number} */ (values[recorded++ & (values.length - 1)]));
  };
  for (let i = 0; i < valuesPerSeries; i++) change();
  return { registry, change };
}

/** @type {(accept: string, seriesIn: (body: Uint8Array) => number) => Setup} */
const scrape = (accept, seriesIn) => async () => {
  const { registry, change } = await loaded();
  const { prometheusHandler } = await import('@hdrscope/prometheus');
  const ask = await scraperOf(prometheusHandler(registry), { accept, 'accept-encoding': 'gzip' });
  /** @type {Uint8Array} */
  let body = new Uint8Array();
  return {
    before: change,
    async run() {
      body = await ask();
    },
    answer: () => seriesIn(gunzipSync(body)),
  };
};

/** @type {Setup} */
const remoteWrite = async () => {
  const { registry, change } = await loaded();
  const { sendRemoteWrite } = await import('@hdrscope/prometheus/remote-write');
  const histograms = 1000;
  const server = new Worker(new URL('../write-server.js', import.meta.url), { workerData: { histograms } });
  const [port] = await once(server, 'message');
  server.unref();
  const writer = sendRemoteWrite(registry, {
    url: `http://127.0.0.1:${port}/`,
    intervalMs: 3_600_000,
    maxSeriesPerRequest: histograms,
  });
  let written = 0;
  return {
    before: change,
    async run() {
      const before = writer.health.writtenHistograms;
      await writer.flush();
      written = writer.health.writtenHistograms - before;
    },
    answer: () => written,
  };
};

const OPENMETRICS_2 = 'application/openmetrics-text;version=2.0.0';

/** @type {readonly Group[]} */
export default [
  {
    id: 'prometheus-ways',
    title: '10,000 series to Prometheus, all changed, compressed, with the request',
    agree: 0,
    rounds: 15,
    cases: {
      'hdrscope protobuf': scrape(PROTOBUF, (body) => tallyOfProtobuf(body).series),
      'hdrscope OpenMetrics 2.0': scrape(
        OPENMETRICS_2,
        (body) => Buffer.from(body).toString().match(/^x\{/gm)?.length ?? 0,
      ),
      'hdrscope remote write 2.0': remoteWrite,
    },
  },
];
