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
let isOver = false;

/**
 * The work of an attack, which adds to its report.
 *
 * @typedef {(report: AttackReport) => Promise<void>} Attack
 */

/** The time that an answer has. */
const ANSWER_MS = 10_000;
/** The time for reading what the server has sent meanwhile. */
const READ_MS = 100;

/**
 * Opens connections that send a text, and reads nothing until the time is over.
 *
 * @param {number} port
 * @param {number} count
 * @param {string} text
 * @param {number} forMs
 * @returns {Attack}
 */
function hold(port, count, text, forMs) {
  return async (report) => {
    const held = Array.from({ length: count }, () => {
      const socket = connect(port, host);
      const state = { socket, received: '', isClosed: false };
      socket.setEncoding('latin1').on('data', (received) => {
        state.received += received;
      });
      const onEnd = () => {
        state.isClosed = true;
      };
      socket.on('connect', () => socket.write(text));
      socket.on('error', onEnd).on('end', onEnd).pause();
      return state;
    });
    await sleep(forMs);
    // The answer shows that a busy server has seen the connections before it.
    await ask(port, '/healthz', {})(emptyReport(''));
    for (const { socket } of held) socket.resume();
    await sleep(READ_MS);
    for (const { socket, received, isClosed } of held) {
      report.connections++;
      if (isClosed) report.closed++;
      for (const [, status] of received.matchAll(/^HTTP\/1\.1 (\d+)/gm)) countAnswer(report, Number(status));
      socket.destroy();
    }
  };
}

/**
 * @param {number} port
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string> }} options
 * @param {Buffer} [body]
 * @returns {Attack}
 */
function ask(port, path, { method = 'GET', headers = {} }, body) {
  return async (report) => {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const asked = request({ host, port, path, method, headers, signal, agent: false });
    report.connections++;
    asked.on('error', () => {}).end(body);
    try {
      const [response] = await once(asked, 'response');
      countAnswer(report, response.statusCode);
      response.on('error', () => {}).resume();
      await once(response, 'close');
    } catch {
      if (!signal.aborted) report.closed++;
    }
  };
}

/**
 * @param {string} name
 * @param {boolean} [isRefused]
 * @returns {AttackReport}
 */
function emptyReport(name, isRefused = false) {
  return { name, isRefused, times: 0, connections: 0, answered: 0, refused: 0, closed: 0 };
}

/**
 * @param {AttackReport} report
 * @param {number} status
 */
function countAnswer(report, status) {
  if (status >= 400) report.refused++;
  else report.answered++;
}

/**
 * Sends sixteen megabytes, as an exporter could send them in 16 KB.
 *
 * @param {string} type
 * @param {Buffer} body
 */
function flood(type, body) {
  const headers = { 'content-type': type, 'content-encoding': 'gzip' };
  return ask(ports.otlp, '/v1/metrics', { method: 'POST', headers }, gzipSync(body));
}

const GET = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';
const EVENTS = 'GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** @type {readonly { name: string, attack: Attack, isRefused?: boolean }[]} */
const ATTACKS = [
  { name: '300 idle connections', attack: hold(ports.scrape, 300, '', 500) },
  { name: '300 half requests', attack: hold(ports.page, 300, 'GET / HTTP/1.1\r\nHost: loc', 500) },
  { name: '5 times 100 requests sent ahead', attack: hold(ports.scrape, 5, GET.repeat(100), 200) },
  { name: '20 readers that do not read', attack: hold(ports.page, 20, EVENTS, 500) },
  {
    name: 'a foreign host',
    attack: ask(ports.scrape, '/metrics', { headers: { host: 'evil.example' } }),
    isRefused: true,
  },
  {
    name: 'a foreign origin',
    attack: ask(ports.page, '/events', { headers: { origin: 'http://evil.example' } }),
    isRefused: true,
  },
  {
    name: '16 MB of empty messages',
    attack: flood('application/x-protobuf', Buffer.alloc(2 ** 24, Buffer.from([0x0a, 0x00]))),
    isRefused: true,
  },
  {
    name: '16 MB of brackets',
    attack: flood('application/json', Buffer.alloc(2 ** 24, '[')),
    isRefused: true,
  },
  {
    name: '15 MB of empty objects',
    attack: flood('application/json', Buffer.from(`{"resourceMetrics":[${'{},'.repeat(5e6)}{}]}`)),
    isRefused: true,
  },
];

/** @type {AttackReport[]} */
const reports = ATTACKS.map(({ name, isRefused }) => emptyReport(name, isRefused));

parent.once('message', () => {
  isOver = true;
});
for (let turn = 0; !isOver; turn++) {
  const at = turn % ATTACKS.length;
  const report = /** @type {AttackReport} */ (reports[at]);
  await ATTACKS[at]?.attack(report);
  report.times++;
  await sleep(500);
}
parent.postMessage(reports);
parent.close();
