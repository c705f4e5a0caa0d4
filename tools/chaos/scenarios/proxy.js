/**
 * A service sends OTLP through a proxy that fails: before or after the receiver has taken a request, with and without an answer. The wall
 * clock of the service is a day ahead for a while, and the proxy refuses times of the future, as Prometheus does.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { decodeOtlp } from '@hdrscope/otel/receiver';
import { Arrivals } from '../arrived.js';
import { compare, nothing } from '../ledger.js';
import { serveReceiver } from '../receiver.js';

/** @import { Scenario } from '../scenario.js' */
/** @import { IncomingMessage, ServerResponse } from 'node:http' */

const dayMs = 86_400_000;
const steps = 5;

/** @type {Scenario} */
export const proxyFails = {
  name: 'proxy',
  promise:
    'a receiver behind a proxy that fails has every value once, also with a clock that was a day ahead',
  window: 'nothing',
  mostWindowMs: 0,
  async run(round) {
    const { random } = round;
    const clock = round.path('clock');
    await writeFile(clock, '0');
    const receiver = await serveReceiver(round);
    const proxy = new FailingProxy(random, receiver.port);
    round.atEnd(() => proxy.close());
    const service = await round.service(
      {
        otlp: receiver.options({
          url: `http://127.0.0.1:${await proxy.listen()}/v1/metrics`,
          temporality: random.of(/** @type {const} */ (['delta', 'cumulative'])),
          intervalMs: 20,
          timeoutMs: 300,
          maxRequestBytes: random.of([300, 4_000_000]),
        }),
      },
      { environment: { CHAOS_CLOCK: clock } },
    );
    for (let i = 0; i < steps; i++) {
      await round.pause(600, 200);
      await writeFile(clock, String(random.of([0, dayMs])));
    }
    await writeFile(clock, '0');
    await round.pause(400, 200);
    proxy.isWhole = true;
    // A wait of the sender after its last failure.
    await round.pause(3000, 2000);
    await service.stop();

    const arrivals = new Arrivals();
    await arrivals.takeAll(receiver.registry);
    const problems = receiver.problems();
    if (proxy.failed === 0) problems.push('the proxy has failed no request');
    return {
      tries: proxy.failed,
      outcomes: [compare(round.ledger(service.run), arrivals.of(service.run), nothing)],
      problems,
    };
  },
};

class FailingProxy {
  /** Whether it fails no more. */
  isWhole = false;
  failed = 0;
  #random;
  #port;
  #server;

  /**
   * @param {import('../../lib/random.js').Random} random
   * @param {number} port Of the receiver.
   */
  constructor(random, port) {
    this.#random = random;
    this.#port = port;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  async listen() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return /** @type {import('node:net').AddressInfo} */ (this.#server.address()).port;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  async #answer(request, response) {
    const random = this.#random;
    const fails = !this.isWhole && random.oneIn(2);
    if (fails) this.failed++;
    const isTaken = !fails || random.oneIn(2);
    const body = await buffer(request);
    const message = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const { points } = await decodeOtlp(message, 'protobuf');
    if (points.some(({ timeMs = 0 }) => timeMs > Date.now() + dayMs / 2)) {
      response.writeHead(400).end('out of bounds: the timestamp is too far in the future');
      return;
    }
    const taken = isTaken ? await this.#pass(request, body) : undefined;
    if (!fails && taken !== undefined) {
      response.writeHead(taken.status, { 'content-type': 'application/x-protobuf' }).end(taken.bytes);
      return;
    }
    const reply = random.of(/** @type {const} */ ([503, 502, 429, 504, 307, 'page', 'cut', 'silence']));
    if (reply === 'cut') response.destroy();
    else if (reply === 'page') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>');
    else if (reply !== 'silence') response.writeHead(reply).end();
  }

  /**
   * @param {IncomingMessage} request
   * @param {Buffer} body
   */
  async #pass({ headers }, body) {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/v1/metrics`, {
      method: 'POST',
      body,
      headers: {
        'content-type': headers['content-type'] ?? '',
        'content-encoding': headers['content-encoding'] ?? 'identity',
      },
    });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  }
}
