/**
 * A thread that takes what services send over OTLP, and scrapes a page each five seconds, as Prometheus does. The first scrape comes in the
 * middle of the first five seconds, so that a run of ten seconds has two.
 */
import { createServer, get } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { PROTOBUF } from '../bench/scraper.js';

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const HEADERS = {
  accept: `${PROTOBUF};q=0.6,text/plain;version=0.0.4;q=0.3`,
  'accept-encoding': 'gzip',
  'x-prometheus-scrape-timeout-seconds': '5',
};
const PERIOD_MS = 5000;
/** @type {NodeJS.Timeout | undefined} */
let timer;
let collected = 0;

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    collected++;
    response.setHeader('content-type', 'application/x-protobuf').end();
  });
}).listen(0, '127.0.0.1', () => {
  const { port: number } = /** @type {import('node:net').AddressInfo} */ (server.address());
  port.postMessage(`http://127.0.0.1:${number}/v1/metrics`);
});

// A page to scrape from now on, or `undefined`. The answer is how often metrics have been collected since the last message.
port.on('message', (/** @type {string | undefined} */ url) => {
  clearTimeout(timer);
  port.postMessage(collected);
  collected = 0;
  if (url === undefined) return;
  const scrape = () => {
    timer = setTimeout(scrape, PERIOD_MS);
    get(url, { headers: HEADERS }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) collected++;
      });
    }).on('error', () => {});
  };
  timer = setTimeout(scrape, PERIOD_MS / 2);
});
