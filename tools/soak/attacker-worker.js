/**
 * A thread that attacks the servers of the soak: idle connections, half requests, requests sent ahead, foreign hosts, and bodies that
 * are small and would become large.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { ask, emptyReport, hold } from './attacks.js';

/** @import { AttackReport } from './attacker.js' */
/** @import { Attack } from './attacks.js' */

/** @type {{ ports: { scrape: number, page: number, otlp: number } }} */
const { ports } = workerData;
const parent = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
let isOver = false;

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
