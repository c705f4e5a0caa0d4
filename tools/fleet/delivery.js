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
const IS_TRANSIENT = /^(?:503|8|14) |fetch failed|ECONNRESET|ECONNREFUSED/;

export class Delivery {
  /** How many requests were taken, those that came again included. */
  requests = 0;
  points = 0;
  values = 0;
  bytes = 0;
  repeated = 0;
  late = 0;
  retries = 0;
  /** The values that a gateway had not written when it was killed, or had not heard of before its end: each may be missing. */
  risk;
  #senders;
  #random;
  /** @type {{ minute: number, send: Send, request: HostRequest }[]} */
  #held = [];
  #killed;
  #minute = 0;

  /**
   * @param {readonly Send[]} senders One for each gateway.
   * @param {{ seed: number, risk: Truth, killed: number | undefined }} options `killed` is the minute after which the first gateway is killed.
   */
  constructor(senders, { seed, risk, killed }) {
    this.#senders = senders;
    this.#random = new Random(seed, -1);
    this.risk = risk;
    this.#killed = killed;
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
    this.#minute = minute;
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

  /**
   * A gateway writes a row when its interval has ended, so it may lose what came in this minute and in the one before. The one in its place
   * does not know what a process had counted before, so it takes the first cumulative counts as a start.
   *
   * @param {boolean} isCumulative
   */
  #isAtRisk(isCumulative) {
    if (this.#killed === undefined) return false;
    const since = this.#minute - this.#killed;
    return since === -1 || since === 0 || (isCumulative && since > 0);
  }

  async end() {
    await this.#sendHeld();
  }

  /** @param {Send} send @param {HostRequest} request */
  async #send(send, { body, points, values, counted, isCumulative }) {
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
    if (send === this.#senders[0] && this.#isAtRisk(isCumulative))
      for (const [route, entry] of counted) this.risk.add(route, entry);
    this.requests++;
    this.points += points;
    this.values += values;
    this.bytes += body.length;
  }
}
