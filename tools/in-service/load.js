/**
 * An open loop of requests: each has a moment at which it is to be sent, whatever became of those before, and its time counts from there.
 * So a service that stands still is seen by all requests that came meanwhile.
 */
import { connect } from 'node:net';
import { Histogram } from '@hdrscope/core';
import { Random } from '../lib/random.js';

const MOST_CONNECTIONS = 256;
/** Microseconds. */
export const RANGE = { lowestDiscernibleValue: 1, highestTrackableValue: 120_000_000, significantDigits: 3 };

/**
 * @param {{ port: number, rate: number, seconds: number, seed: number }} load `rate` requests a second, at random moments.
 * @returns {Promise<Histogram[]>} The times of the answers in microseconds, by the second in which the request was to be sent.
 */
export async function openLoop({ port, rate, seconds, seed }) {
  const random = new Random(seed);
  const stretches = Array.from({ length: seconds }, () => new Histogram(RANGE));
  const clients = /** @type {Client[]} */ ([]);
  /** @type {Client[]} */
  const free = [];
  /** @type {number[]} */
  const waiting = [];
  const startMs = performance.now() + 5;
  const endMs = startMs + 1000 * seconds;
  let nextMs = startMs;
  let open = 0;
  const send = (/** @type {number} */ dueMs) => {
    const client = free.pop() ?? (clients.length < MOST_CONNECTIONS ? add() : undefined);
    if (client === undefined) return void waiting.push(dueMs);
    client.ask(dueMs, random.below(1e6));
  };
  const add = () => {
    const client = new Client(port, (dueMs, answeredMs) => {
      stretches[Math.floor((dueMs - startMs) / 1000)]?.record(Math.round(1000 * (answeredMs - dueMs)));
      open--;
      free.push(client);
      const next = waiting.shift();
      if (next !== undefined) send(next);
    });
    clients.push(client);
    return client;
  };
  while (nextMs < endMs || open > 0) {
    const nowMs = performance.now();
    if (nowMs > endMs + 30_000) throw new Error(`${open} requests had no answer 30 s after the last one`);
    for (
      ;
      nextMs < endMs && nextMs <= nowMs;
      nextMs -= (1000 / rate) * Math.log(1 - random.next() / 2 ** 32)
    ) {
      open++;
      send(nextMs);
    }
    // A timer would be late by a millisecond.
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const client of clients) client.close();
  return stretches;
}

/**
 * How many requests a second the service answers when some clients ask without a pause.
 *
 * @param {{ port: number, seconds: number }} load
 */
export async function capacity({ port, seconds }) {
  let answers = 0;
  const clients = Array.from({ length: 16 }, () => {
    const client = new Client(port, () => {
      answers++;
      client.ask(0, answers);
    });
    client.ask(0, 0);
    return client;
  });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const before = answers;
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const rate = (answers - before) / seconds;
  for (const client of clients) client.close();
  return rate;
}

/** A connection with at most one request under way. */
class Client {
  #socket;
  #dueMs = 0;
  #received = '';

  /**
   * @param {number} port
   * @param {(dueMs: number, answeredMs: number) => void} onAnswer
   */
  constructor(port, onAnswer) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1');
    this.#socket.on('data', (/** @type {string} */ text) => {
      this.#received += text;
      if (!this.#received.endsWith('\r\n\r\ndone')) return;
      if (!this.#received.startsWith('HTTP/1.1 200 ')) throw new Error(this.#received);
      this.#received = '';
      onAnswer(this.#dueMs, performance.now());
    });
  }

  /**
   * @param {number} dueMs
   * @param {number} item
   */
  ask(dueMs, item) {
    this.#dueMs = dueMs;
    this.#socket.write(`GET /items/${item} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  }

  close() {
    this.#socket.destroy();
  }
}
