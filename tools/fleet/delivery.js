/** Sends the requests of hosts to gateways, as a network does: some come twice, some late, and some have to be sent again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../lib/random.js';

/** @import { Host, HostRequest, Truth } from './hosts.js' */

/** @typedef {(body: Buffer) => Promise<void>} Send */

const AT_ONCE = 24;
/** One request in so many is sent twice, and one in so many comes a minute to three late. */
const REPEATED = 50;
const LATE = 50;
const RETRY_MS = 100;
const MOST_TRIES = 100;
/** A gateway that has enough to do: 503, `RESOURCE_EXHAUSTED` and `UNAVAILABLE` of gRPC; or the connection was closed while it rested. */
const IS_TRANSIENT = /^(?:503|8|14) |fetch failed|ECONNRESET/;

export class Delivery {
  /** How many requests were taken, those that came again included. */
  requests = 0;
  points = 0;
  values = 0;
  bytes = 0;
  repeated = 0;
  late = 0;
  retries = 0;
  #senders;
  #random;
  /** @type {{ minute: number, send: Send, request: HostRequest }[]} */
  #held = [];

  /** @param {readonly Send[]} senders One for each gateway. @param {number} seed */
  constructor(senders, seed) {
    this.#senders = senders;
    this.#random = new Random(seed, -1);
  }

  /**
   * Sends what all hosts have counted in a minute.
   *
   * @param {readonly Host[]} hosts
   * @param {number} minute
   * @param {number} nowMs
   * @param {Truth} truth
   */
  async minute(hosts, minute, nowMs, truth) {
    await this.#sendHeld(minute);
    let next = 0;
    const work = async () => {
      while (next < hosts.length) {
        const id = next++;
        const request = /** @type {Host} */ (hosts[id]).next(nowMs, truth);
        if (request.points === 0) continue;
        const send = /** @type {Send} */ (this.#senders[id % this.#senders.length]);
        if (this.#random.oneIn(LATE)) {
          this.late++;
          this.#held.push({ minute: minute + 1 + this.#random.below(3), send, request });
          continue;
        }
        await this.#send(send, request);
        if (!this.#random.oneIn(REPEATED)) continue;
        this.repeated++;
        await this.#send(send, request);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  /** Sends what is late until now; without a minute, all. */
  async #sendHeld(minute = Number.POSITIVE_INFINITY) {
    const due = this.#held.filter((held) => held.minute <= minute);
    this.#held = this.#held.filter((held) => held.minute > minute);
    for (const { send, request } of due) await this.#send(send, request);
  }

  async end() {
    await this.#sendHeld();
  }

  /** @param {Send} send @param {HostRequest} request */
  async #send(send, { body, points, values }) {
    for (let tries = 1; ; tries++) {
      try {
        await send(body);
        break;
      } catch (error) {
        const { message } = /** @type {Error} */ (error);
        if (tries === MOST_TRIES || !IS_TRANSIENT.test(message)) throw error;
        this.retries++;
        await sleep(RETRY_MS);
      }
    }
    this.requests++;
    this.points += points;
    this.values += values;
    this.bytes += body.length;
  }
}
