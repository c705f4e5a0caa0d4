/** What buckets cost: the sizes of a service's latencies on the wire, in the memory of a Prometheus and on its disk. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createHdr } from '@hdrscope/otel';
import { sendOtlp } from '@hdrscope/otel/sender';
import { drawRoute } from '@hdrscope/testing/distributions';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { findErrors, findExact } from './errors.js';
import { Prometheus, waitFor } from './prometheus.js';
import { Subjects } from './settings.js';

/** @import { InstalledVersion } from './prometheus.js' */
/** @import { Setting, Size } from './settings.js' */

const ROUTES = 1000;
const INTERVAL_SECONDS = 3;
const SCRAPES = 20;
const SCRAPED_MS = 120_000;

/**
 * @typedef {object} Cost Of one series, on average.
 * @property {Setting} setting
 * @property {Size} size
 * @property {readonly number[]} errors Of each route: the largest error of all quantiles.
 * @property {number} otlpBytes Of a point in a request by OTLP, without compression.
 * @property {number} otlpGzipBytes
 * @property {number} liveBytes What Prometheus has in memory for it.
 * @property {number} storedBytes Of each sample on disk.
 */

/**
 * A service with a thousand routes, half of whose requests come before the first scrape, and the others between the scrapes.
 *
 * @param {InstalledVersion} installed
 * @param {readonly Setting[]} settings Each has a Prometheus of its own.
 * @param {number} seed
 * @returns {Promise<Cost[]>}
 */
export async function measureCosts(installed, settings, seed) {
  const routes = Array.from({ length: ROUTES }, (_, index) => drawRoute(seed, index));
  const subjects = new Subjects(settings);
  const record = (/** @type {number} */ from, /** @type {number} */ to) => {
    for (const [index, values] of routes.entries())
      subjects.record(String(index), values.subarray(from * values.length, to * values.length));
  };
  record(0, 0.5);
  const target = await subjects.listen();
  /** @type {{ setting: Setting, prometheus: Prometheus, emptyBytes: number }[]} */
  const servers = [];
  try {
    for (const setting of settings) {
      const jobs = [{ name: setting.name, target, path: `/${setting.name}` }];
      const prometheus = await Prometheus.start(installed, jobs, INTERVAL_SECONDS);
      servers.push({ setting, prometheus, emptyBytes: await prometheus.liveBytes() });
    }
    for (let scrape = 0; scrape < SCRAPES; scrape++) {
      record(0.5 + scrape / SCRAPES / 2, 0.5 + (scrape + 1) / SCRAPES / 2);
      await sleep(INTERVAL_SECONDS * 1000);
    }
    const total = routes.reduce((sum, { length }) => sum + length, 0);
    const exact = new Map(routes.map((values, index) => [String(index), findExact(values.sort())]));
    /** @type {Cost[]} */
    const costs = [];
    for (const { setting, prometheus, emptyBytes } of servers) {
      await waitFor('a scrape of all values', SCRAPED_MS, async () => {
        const [count] = await prometheus.query('sum(histogram_count(latency))');
        return count?.value === total;
      });
      const [samples] = await prometheus.query('sum(count_over_time(latency[1h]))');
      const otlp = await measureOtlp(setting, routes);
      costs.push({
        setting,
        size: await subjects.measureSize(setting, () => true),
        errors: [...(await findErrors(prometheus, setting, exact)).values()],
        otlpBytes: otlp.bytes / ROUTES,
        otlpGzipBytes: otlp.gzipBytes / ROUTES,
        liveBytes: ((await prometheus.liveBytes()) - emptyBytes) / ROUTES,
        storedBytes: (await prometheus.storedBytes()) / (samples?.value ?? Number.NaN),
      });
    }
    return costs;
  } finally {
    await Promise.all(servers.map(({ prometheus }) => prometheus.stop()));
    await subjects.close();
  }
}

/**
 * The bytes of a request by OTLP that has all routes.
 *
 * @param {Setting} setting
 * @param {readonly Float64Array[]} routes
 */
async function measureOtlp({ digits: significantDigits, buckets: maxSize }, routes) {
  if (significantDigits === undefined) return { bytes: Number.NaN, gzipBytes: Number.NaN };
  const hdr = createHdr({ views: [{ instrumentName: '*', significantDigits, maxSize }] });
  const histogram = hdr
    .wrapProvider(new MeterProvider())
    .getMeter('latency')
    .createHistogram('latency', { unit: 's' });
  for (const [index, values] of routes.entries())
    for (const value of values) histogram.record(value, { id: String(index) });
  const sizes = { bytes: 0, gzipBytes: 0 };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    sizes.bytes += body.length;
    sizes.gzipBytes += gzipSync(body).length;
    response.setHeader('content-type', 'application/x-protobuf').end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}/v1/metrics`;
  await sendOtlp(hdr.registry, { url, compression: 'none' }).close();
  server.closeAllConnections();
  server.close();
  return sizes;
}
