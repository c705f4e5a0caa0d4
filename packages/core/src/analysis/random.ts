/** Numbers from 0 to 1, without 1. Source: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003). */
export function createRandom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
