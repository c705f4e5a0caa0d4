/** A seeded generator of random numbers. Equal seeds give equal sequences. */
export class Random {
  #state;

  /**
   * @param {number} seed
   * @param {number} [index] Each index of a seed has a sequence of its own, so that one case can be repeated alone.
   */
  constructor(seed, index = 0) {
    this.#state = mixed(mixed(seed | 0) ^ mixed(index + 0x9e3779b9)) || 1;
  }

  /** @returns {number} An integer in [0, 2^32). */
  next() {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x >>> 0;
  }

  /**
   * @param {number} limit Above 0.
   * @returns {number} An integer in [0, limit).
   */
  below(limit) {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }

  /** @param {number} times */
  oneIn(times) {
    return this.below(times) === 0;
  }

  /**
   * @template T
   * @param {readonly T[]} all
   * @returns {T}
   */
  of(all) {
    return /** @type {T} */ (all[this.below(all.length)]);
  }
}

/** @param {number} value */
function mixed(value) {
  let x = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}
