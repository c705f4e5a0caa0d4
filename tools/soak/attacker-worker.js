/**
 * A thread that attacks the servers of the soak: idle connections, half requests, requests sent ahead, foreign hosts, and bodies that
 * are small and would become large.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';

/** @import { AttackReport } from './attacker.js' */

/** @type {{ ports: { scrape: number, page: number, otlp: number } }} */
const { ports } = workerData;
const parent = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const host = '127.0.0.1';

/** @type {AttackReport} */
const report = { attacks: 0, refused: 0, answered: 0, reset: 0 };
let isOver = false;

/** Sixteen megabytes, as an exporter could send them in 16 KB. */
const floods = [
  ['application/x-protobuf', Buffer.alloc(2 ** 24, Buffer.from([0x0a, 0x00]))],
  ['application/json', Buffer.alloc(2 ** 24, '[')],
  ['application/json', Buffer.from(`{"resourceMetrics":[${'{},'.repeat(5e6)}{}]}`)],
].map(([type, body]) => ({ type: String(type), body: gzipSync(/** @type {Buffer} */ (body)) }));

/**
 * Opens connections that send a text and never read.
 *
 * @param {number} port
 * @param {number} count
 * @param {string} text
 * @param {number} forMs
 */
async function hold(port, count, text, forMs) {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, host);
    socket.on('error', () => report.reset++);
    socket.on('connect', () => socket.write(text));
    socket.pause();
    return socket;
  });
  await sleep(forMs);
  for (const socket of sockets) socket.destroy();
}

/**
 * @param {number} port
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string> }} options
 * @param {Buffer} [body]
 */
async function ask(port, path, { method = 'GET', headers = {} }, body) {
  const asked = request({ host, port, path, method, headers, agent: false });
  const timer = setTimeout(() => asked.destroy(new Error('no answer')), 10_000);
  asked.end(body);
  try {
    const [response] = await once(asked, 'response');
    response.resume();
    if (response.statusCode >= 400) report.refused++;
    else report.answered++;
    await once(response, 'close');
  } catch {
    report.reset++;
  } finally {
    clearTimeout(timer);
  }
}

const get = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** @type {readonly (() => Promise<unknown>)[]} */
const attacks = [
  () => hold(ports.scrape, 300, '', 500),
  () => hold(ports.page, 300, 'GET / HTTP/1.1\r\nHost: loc', 500),
  () => hold(ports.scrape, 5, get.repeat(100), 200),
  () => hold(ports.page, 20, 'GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n', 500),
  () => ask(ports.scrape, '/metrics', { headers: { host: 'evil.example' } }),
  () => ask(ports.page, '/events', { headers: { origin: 'http://evil.example' } }),
  ...floods.map(
    ({ type, body }) =>
      () =>
        ask(
          ports.otlp,
          '/v1/metrics',
          { method: 'POST', headers: { 'content-type': type, 'content-encoding': 'gzip' } },
          body,
        ),
  ),
];

parent.once('message', () => {
  isOver = true;
});
for (let turn = 0; !isOver; turn++) {
  await /** @type {() => Promise<unknown>} */ (attacks[turn % attacks.length])();
  report.attacks++;
  await sleep(500);
}
parent.postMessage(report);
parent.close();
