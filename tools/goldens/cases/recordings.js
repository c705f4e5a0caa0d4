/** Options and recordings that several fixtures share. */

export const hdr = (lowestDiscernibleValue, highestTrackableValue, significantDigits) => ({
  lowestDiscernibleValue,
  highestTrackableValue,
  significantDigits,
  autoResize: false,
});

/** The smallest range. It grows with the recorded values. */
export const growing = (significantDigits) => ({
  lowestDiscernibleValue: 1,
  highestTrackableValue: 2,
  significantDigits,
  autoResize: true,
});

export const HOUR_US = 3_600_000_000;
export const HOUR_NS = 3_600_000_000_000;
export const LARGEST_SAFE = Number.MAX_SAFE_INTEGER;
export const LARGEST = 2n ** 63n - 1n;

/** A request a millisecond for 10 s, each of 1 ms, then a stall of 100 s (microseconds; `times` scales them). */
export const stall = (times = 1, expectedInterval = 0) => [
  [1000 * times, 10_000, expectedInterval * times],
  [100_000_000 * times, 1, expectedInterval * times],
];

/** `2^k - 1`, `2^k` and `2^k + 1` for k in `[from, to]`, each once, ascending. */
export function aroundPowersOfTwo(from, to) {
  const values = new Set();
  for (let k = BigInt(from); k <= to; k++) for (const d of [-1n, 0n, 1n]) values.add(2n ** k + d);
  return [...values].map((value) => [value]);
}

/** Microseconds around 24 ms, from 0.1 ms to 8 s. */
export const latenciesUs = (n, seed) => ({ kind: 'lognormal', seed, n, min: 0, shift: 4, scale: 1 });

/** Nanoseconds around 24 ms. */
export const latenciesNs = (n, seed) => ({ kind: 'lognormal', seed, n, min: 50, shift: 4, scale: 1000 });

export const each = (...values) => values.map((value) => [value]);
