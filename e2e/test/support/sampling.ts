/** Random numbers in [0, 1), determined by the seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Durations in seconds like those of services: around a median, with a long tail. */
export function durations(count: number, seed: number, { median = 0.02, spread = 0.8 } = {}): number[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return median * Math.exp(spread * normal);
  });
}
