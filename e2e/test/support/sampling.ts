import { createRandom } from '@hdrscope/testing/random';
/** Durations in seconds like those of services: around a median, with a long tail. */
export function durations(count: number, seed: number, { median = 0.02, spread = 0.8 } = {}): number[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return median * Math.exp(spread * normal);
  });
}
