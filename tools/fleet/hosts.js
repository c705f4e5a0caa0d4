/**
 * Hosts of a fleet that count requests of routes, and what they all have counted: the truth. Values are whole microseconds of a list, so a
 * count for each entry of the list is every value.
 */
import { Random } from '../lib/random.js';
import { encodeRequest } from './requests.js';

/** @typedef {import('./requests.js').Point} Point */

/**
 * A request of a host, and how many points and values it has.
 *
 * @typedef {{ body: Buffer, points: number, values: number, counted: Counted, isCumulative: boolean }} HostRequest
 */

/** The values that a request adds to those before it, as routes and entries. @typedef {readonly (readonly [route: number, entry: number])[]} Counted */

const ENTRIES = 5000;
const LEAST_MICROS = 500;
const STEP = 1.002;
/** The values that hosts count, in microseconds, ascending: from 0.5 ms to 11 s. */
export const MICROS = Float64Array.from({ length: ENTRIES }, (_, i) => Math.round(LEAST_MICROS * STEP ** i));

const MEAN_VALUES = 50;
const DEVIATION = 250;
const TAIL = 1200;
const CHOICES = 8192;
/** One in ten hosts sends cumulative counts. */
const CUMULATIVE = 10;
/** One in so many minutes, a host is restarted. */
const RESTART = 200;
const SCALES = [3, 4, 5];
const NS_PER_MS = 1_000_000n;

/** By scale, the bucket of each value: (2^(i / 2^scale), 2^((i + 1) / 2^scale)]. */
const BUCKETS = new Map(
  SCALES.map((scale) => [
    scale,
    Int32Array.from(MICROS, (micros) => Math.ceil(Math.log2(micros / 1e6) * 2 ** scale) - 1),
  ]),
);

/** What all hosts have counted: a list of counts for each route, by the entries of `MICROS`. */
export class Truth {
  /** @type {Float64Array[]} */
  counts;
  /** @type {number[]} Microseconds. */
  sums;

  /** @param {number} routes */
  constructor(routes) {
    this.counts = Array.from({ length: routes }, () => new Float64Array(ENTRIES));
    this.sums = Array.from({ length: routes }, () => 0);
  }

  /** @param {number} route @param {number} entry */
  add(route, entry) {
    const counts = /** @type {Float64Array} */ (this.counts[route]);
    counts[entry] = /** @type {number} */ (counts[entry]) + 1;
    this.sums[route] = /** @type {number} */ (this.sums[route]) + /** @type {number} */ (MICROS[entry]);
  }
}

/** The name of a route: `/r7`. @param {number} route */
export const routeName = (route) => `/r${route}`;

/** A host with a process that counts. */
export class Host {
  #name;
  #random;
  #routes;
  #scale;
  #isCumulative;
  #speed;
  #startMs;
  #lastMs;
  /** The counts of the process since its start, by route, where they are cumulative. @type {Map<number, Tally>} */
  #tallies = new Map();

  /** @param {number} id @param {{ seed: number, routes: number, nowMs: number }} options */
  constructor(id, { seed, routes, nowMs }) {
    this.#name = `host-${id}`;
    this.#random = new Random(seed, id);
    this.#routes = routes;
    this.#scale = /** @type {number} */ (SCALES[id % SCALES.length]);
    this.#isCumulative = id % CUMULATIVE === 0;
    // Some hosts are twice as slow as others, so that no percentile of a host is that of the fleet.
    this.#speed = (id * 7919) % 350;
    this.#startMs = nowMs;
    this.#lastMs = nowMs;
  }

  /**
   * The request with what the host has counted since the one before.
   *
   * @param {number} nowMs
   * @param {Truth} truth Gets all values of the request.
   * @returns {HostRequest}
   */
  next(nowMs, truth) {
    if (this.#random.oneIn(RESTART)) {
      this.#startMs = this.#lastMs;
      this.#tallies.clear();
    }
    /** @type {Point[]} */
    const points = [];
    /** @type {[number, number][]} */
    const counted = [];
    for (let route = 0; route < this.#routes; route++) {
      const known = this.#isCumulative ? this.#tallies.get(route) : undefined;
      const tally = known ?? new Tally(this.#scale);
      const count = this.#countOf(route);
      for (let i = 0; i < count; i++) {
        const entry = this.#drawn(route);
        tally.add(entry);
        truth.add(route, entry);
        counted.push([route, entry]);
      }
      if (this.#isCumulative) this.#tallies.set(route, tally);
      if (tally.count === 0) continue;
      const startMs = this.#isCumulative ? this.#startMs : this.#lastMs;
      const times = { startNs: BigInt(startMs) * NS_PER_MS, timeNs: BigInt(nowMs) * NS_PER_MS };
      points.push({ route: routeName(route), ...times, ...tally.point() });
    }
    this.#lastMs = nowMs;
    const body = encodeRequest({ host: this.#name, isCumulative: this.#isCumulative, points });
    return { body, points: points.length, values: counted.length, counted, isCumulative: this.#isCumulative };
  }

  /** Keys are skewed: the first route has most requests, and the last ones hardly any. @param {number} route */
  #countOf(route) {
    const mean = (MEAN_VALUES * this.#routes) / (route + 1) / Math.log(this.#routes + 1);
    return Math.floor(2 * mean * (this.#random.next() / 2 ** 32));
  }

  /** @param {number} route */
  #drawn(route) {
    const choice = this.#random.below(CHOICES);
    const center = 800 + 97 * (route % 13) + this.#speed;
    const entry = center + /** @type {number} */ (OFFSETS[choice]) + (this.#random.oneIn(1000) ? TAIL : 0);
    return Math.min(ENTRIES - 1, Math.max(0, entry));
  }
}

/** The buckets of one series. */
class Tally {
  count = 0;
  sumMicros = 0;
  #scale;
  #buckets;
  /** @type {Map<number, number>} */
  #counts = new Map();
  #low = Number.POSITIVE_INFINITY;
  #high = Number.NEGATIVE_INFINITY;

  /** @param {number} scale */
  constructor(scale) {
    this.#scale = scale;
    this.#buckets = /** @type {Int32Array} */ (BUCKETS.get(scale));
  }

  /** @param {number} entry */
  add(entry) {
    const bucket = /** @type {number} */ (this.#buckets[entry]);
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
    this.count++;
    this.sumMicros += /** @type {number} */ (MICROS[entry]);
    if (entry < this.#low) this.#low = entry;
    if (entry > this.#high) this.#high = entry;
  }

  point() {
    const [first, last] = [this.#low, this.#high].map(
      (entry) => /** @type {number} */ (this.#buckets[entry]),
    );
    const offset = /** @type {number} */ (first);
    const length = /** @type {number} */ (last) - offset + 1;
    const counts = Array.from({ length }, (_, i) => this.#counts.get(offset + i) ?? 0);
    return {
      count: this.count,
      sum: this.sumMicros / 1e6,
      min: /** @type {number} */ (MICROS[this.#low]) / 1e6,
      max: /** @type {number} */ (MICROS[this.#high]) / 1e6,
      scale: this.#scale,
      offset,
      counts,
    };
  }
}

/** Offsets in the list of values, as a normal distribution has them. */
const OFFSETS = (() => {
  const random = new Random(11);
  const uniform = () => (random.next() + 0.5) / 2 ** 32;
  return Int32Array.from({ length: CHOICES }, () =>
    Math.round(DEVIATION * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())),
  );
})();
