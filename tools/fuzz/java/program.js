/** Random programs over the API of `Histogram`, and shorter ones for a program that failed. */

/** @import { Random } from '../../lib/random.js' */

/**
 * @typedef {[what: string, ...fields: any[]]} Step
 * @typedef {{ options: any[], steps: Step[] }} Program `options` of the histograms a and b.
 */

export const NAMES = ['a', 'b'];
const LONGEST_PROGRAM = 14;

/** The largest value of a histogram that grows. */
const LARGEST = 2 ** 46;

/**
 * @param {Random} random
 * @returns {Program}
 */
export function makeProgram(random) {
  const options = NAMES.map(() => {
    const lowest = random.oneIn(2) ? 1 : 2 ** random.below(12) + random.below(3);
    const highest = Math.max(2 * lowest, 2 ** (2 + random.below(38)) - random.below(2));
    return [lowest, highest, random.below(6) % 5, random.oneIn(2)];
  });
  const steps = Array.from({ length: 2 + random.below(LONGEST_PROGRAM) }, () => makeStep(random, options));
  return { options, steps };
}

/**
 * @param {Random} random
 * @param {any[]} options
 * @returns {Step}
 */
function makeStep(random, options) {
  const at = random.below(NAMES.length);
  const name = NAMES[at];
  const other = random.of(NAMES);
  const [lowest, highest, , autoResize] = options[at];
  const value = () => {
    const bits = random.below(Math.ceil(Math.log2(highest)) + (autoResize ? 6 : 1));
    const any = Math.floor(2 ** bits * (1 + random.next() / 2 ** 32)) - random.below(2);
    return Math.min(random.oneIn(40) ? LARGEST / 2 : any, autoResize ? LARGEST : highest * 2);
  };
  // Java takes a step for every interval up to the largest value.
  const largest = Math.max(...options.map(([, most, , grows]) => (grows ? LARGEST : most * 2)));
  const interval = (below = largest) =>
    Math.max(1, Math.floor(below / (1 + random.below(200)))) + random.below(lowest + 1);
  switch (random.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return ['record', name, Array.from({ length: 1 + random.below(12) }, () => [value(), 1, 0])];
    case 4:
      return ['record', name, [[value(), 1 + random.below(random.oneIn(3) ? 2 ** 31 : 100), 0]]];
    case 5: {
      const one = value();
      return ['record', name, [[one, 1 + random.below(3), interval(one)]]];
    }
    case 6:
      return ['add', name, other];
    case 7:
      return ['subtract', name, other];
    case 8:
      return ['addWhileCorrecting', name, other, interval()];
    case 9:
      return ['copyCorrected', name, interval()];
    case 10:
      return [random.oneIn(2) ? 'shiftLeft' : 'shiftRight', name, random.below(5)];
    case 11:
      return random.oneIn(4) ? ['reset', name] : ['copy', name];
    case 12:
      return ['code', name];
    case 13:
      return [
        'iterate',
        name,
        ...random.of([
          ['recorded'],
          ['percentiles', 1 + random.below(10)],
          ['linear', interval()],
          ['logarithmic', Math.max(lowest, random.below(1000)), random.of([1.5, 2, 10])],
        ]),
      ];
    case 14:
      return ['text', name, 1 + random.below(10), random.of([1, 1000, 2.5]), random.oneIn(2)];
    default: {
      const [low, high] = [value(), value()].sort((a, b) => a - b);
      return ['values', name, low, high];
    }
  }
}

/**
 * @param {Step[]} steps
 * @returns {Generator<Step[]>}
 */
export function* smallerSteps(steps) {
  for (let i = 0; i < steps.length; i++) yield steps.toSpliced(i, 1);
  for (const [i, [what, name, records]] of steps.entries()) {
    if (what !== 'record') continue;
    for (let j = 0; records.length > 1 && j < records.length; j++)
      yield steps.with(i, [what, name, records.toSpliced(j, 1)]);
  }
}
