/** A thread with the clients: Prometheus, which scrapes every second, and a browser, which reads the stream of the page. */
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { seriesOfProtobuf } from '../bench/exposition.js';
import { seriesCount, seriesOf } from './load.js';

/** @import { ClientReport } from './clients.js' */
/** @import { Output } from './soak.js' */

/** @type {{ scrapeUrl: string, eventsUrl: string }} */
const { scrapeUrl, eventsUrl } = workerData;
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

// A connection for each scrape: a busy server could close one that is kept while the next request is on its way.
const agent = new Agent({ keepAlive: false, maxSockets: 1 });
const accept = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';
/** @type {number[]} */
const scrapeMs = [];
/** @type {Output} */
const scrapes = { counts: new Float64Array(seriesCount), times: [] };

async function scrape() {
  const startMs = performance.now();
  const [response] = await once(get(scrapeUrl, { agent, headers: { accept } }), 'response');
  if (response.statusCode !== 200) throw new Error(`the scrape failed: ${response.statusCode}`);
  const body = Buffer.concat(await response.toArray());
  scrapeMs.push(performance.now() - startMs);
  scrapes.times.push(Date.now());
  return body;
}

/** @type {Promise<unknown> | undefined} */
let scraping;

/** Skips a scrape while another one runs, as Prometheus does. */
function scrapeOnTime() {
  scraping ??= scrape().finally(() => {
    scraping = undefined;
  });
}

/** @type {Output} */
const page = { counts: new Float64Array(seriesCount), times: [] };
/** @type {Map<number, number>} The numbers of series by the ids of the page. */
const seriesById = new Map();
/** @type {(() => void) | undefined} */
let onTable;

/** @param {string} event */
function takeEvent(event) {
  if (!event.startsWith('event: table\n')) return;
  const data = event.slice(event.indexOf('\ndata: ') + '\ndata: '.length);
  /** @type {import('../../packages/dashboard/src/messages.ts').TableMessage} */
  const { timeMs, series, rows } = JSON.parse(data);
  for (const { id, attributes } of series) {
    seriesById.set(id, seriesOf(Object.fromEntries(attributes.map((pair) => pair.split('=')))));
  }
  for (const [id, count] of rows) page.counts[/** @type {number} */ (seriesById.get(id))] = count;
  page.times.push(timeMs);
  onTable?.();
}

const [events] = await once(get(eventsUrl), 'response');
events.setEncoding('utf8');
let rest = '';
events.on('data', (/** @type {string} */ text) => {
  const parts = (rest + text).split('\n\n');
  rest = /** @type {string} */ (parts.pop());
  for (const part of parts) takeEvent(part);
});

const timer = setInterval(scrapeOnTime, 1000);

port.on('message', async (/** @type {{ afterMs: number }} */ { afterMs }) => {
  clearInterval(timer);
  await scraping;
  for (const { labels, values } of seriesOfProtobuf(await scrape()))
    scrapes.counts[seriesOf(labels)] = values;
  while (!page.times.some((timeMs) => timeMs > afterMs)) {
    await /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        onTable = resolve;
      })
    );
  }
  /** @type {ClientReport} */
  const report = { scrapes, page, scrapeMs };
  port.postMessage(report);
  port.close();
  agent.destroy();
  events.destroy();
});
