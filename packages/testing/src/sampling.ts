/** How a client leaves values out: how many values one that it sends stands for. Values are from 0 to 1, and uniform. */
export type Sampling = (value: number, random: () => number) => number;

/** Ways to leave values out. In the last two, what a value stands for depends on the value, as where a fast path has another sample rate. */
export const SAMPLINGS: Readonly<Record<string, Sampling>> = {
  'each value stands for 10': () => 10,
  'values stand for 1, 10 or 100': (_, random) => 10 ** Math.floor(3 * random()),
  'slow values stand for 100, others for 1': (value) => (value >= 0.8 ? 100 : 1),
  'fast values stand for 100, others for 1': (value) => (value < 0.8 ? 100 : 1),
};

/** The values that a client sends, of so many, each with the number of those that it stands for. */
export function* drawSample(
  sampling: Sampling,
  size: number,
  random: () => number,
): Generator<readonly [value: number, weight: number]> {
  for (let i = 0; i < size; i++) {
    const value = random();
    const weight = sampling(value, random);
    if (random() * weight < 1) yield [value, weight];
  }
}

/** How many of some runs may have what each of them has with at most a probability. More than that happens once in a million. */
export function findMostByChance(runs: number, probability: number): number {
  let [most, term] = [0, (1 - probability) ** runs];
  for (let sum = term; 1 - sum > 1e-6; sum += term) {
    term *= ((runs - most) / (most + 1)) * (probability / (1 - probability));
    most++;
  }
  return most;
}
