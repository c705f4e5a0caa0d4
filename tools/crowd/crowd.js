/** Clients that keep connections. When the service closes one, it comes again; those that do not read cannot see that. */
import { connect } from 'node:net';

const GET = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';
const EVENTS = 'GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** Node.js takes one new connection in each turn of its event loop: more of them would be a flood, which no limit of a server ends. */
const COME_AGAIN_MS = 5000;
/** All come within this time. */
const COME_MS = 6000;
const RENEW_MS = 3000;
const DRIP_MS = 10_000;
const DRIP_BYTES = 131_072;

/**
 * @typedef {object} Kind
 * @property {string} name
 * @property {number} count How many there are at once.
 * @property {'scrape' | 'page'} way
 * @property {string} text What a client sends.
 * @property {number} dripBytes How much it reads each ten seconds.
 */

/** @type {readonly Kind[]} */
export const kinds = [
  { name: 'dripping scrapers', count: 70, way: 'scrape', text: GET, dripBytes: DRIP_BYTES },
  { name: 'scrapers that never read', count: 400, way: 'scrape', text: GET, dripBytes: 0 },
  { name: 'pages that never read', count: 100, way: 'page', text: EVENTS, dripBytes: 0 },
  { name: 'idle at the metrics', count: 500, way: 'scrape', text: '', dripBytes: 0 },
  { name: 'idle at the page', count: 500, way: 'page', text: '', dripBytes: 0 },
  { name: 'half requests of metrics', count: 500, way: 'scrape', text: GET.slice(0, -10), dripBytes: 0 },
  { name: 'half requests of the page', count: 500, way: 'page', text: EVENTS.slice(0, -10), dripBytes: 0 },
];

export class Crowd {
  #ports;
  #isOver = false;
  /** @type {Set<import('node:net').Socket>} */
  #sockets = new Set();
  /** @type {Set<NodeJS.Timeout>} */
  #timers = new Set();
  /** @type {Record<string, { opened: number, closed: number }>} */
  #counts = Object.fromEntries(kinds.map(({ name }) => [name, { opened: 0, closed: 0 }]));

  /** @param {{ scrape: number, page: number }} ports */
  constructor(ports) {
    this.#ports = ports;
  }

  begin() {
    for (const kind of kinds) {
      for (let i = 0; i < kind.count; i++) this.#later(() => this.#open(kind, i), (i / kind.count) * COME_MS);
    }
  }

  end() {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
    return this.#counts;
  }

  /**
   * @param {Kind} kind
   * @param {number} i
   */
  #open(kind, i) {
    const counts = /** @type {{ opened: number, closed: number }} */ (this.#counts[kind.name]);
    counts.opened++;
    // Half of them have the address of the scraper.
    const localAddress = i % 2 === 0 ? '127.0.0.1' : `127.0.0.${2 + (i % 50)}`;
    const socket = connect({ host: '127.0.0.1', port: this.#ports[kind.way], localAddress });
    this.#sockets.add(socket);
    const reads = !kind.text.endsWith('\r\n\r\n');
    if (reads) socket.resume();
    else socket.pause();
    socket.on('connect', () => socket.write(kind.text));
    socket.on('error', () => {});
    const drip = () => {
      socket.read(kind.dripBytes);
      if (!socket.destroyed) this.#later(drip, DRIP_MS);
    };
    if (kind.dripBytes > 0) drip();
    else if (!reads) this.#later(() => socket.destroy(), RENEW_MS);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#isOver) return;
      if (reads || kind.dripBytes > 0) counts.closed++;
      this.#later(() => this.#open(kind, i), COME_AGAIN_MS);
    });
  }

  /**
   * @param {() => void} act
   * @param {number} afterMs
   */
  #later(act, afterMs) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isOver) act();
    }, afterMs);
    this.#timers.add(timer);
  }
}
