/**
 * The recordings of a case: `recorded`, a list of operations, or `generator`, which stands for a long list.
 *
 * An operation is `[value]`, `[value, count]` or `[value, count, expectedInterval]`; the last one records the value
 * with correction for coordinated omission, `count` times.
 *
 * A generator is `{ kind, seed, n, min, shift, scale }` and makes n values, once each. It uses integer arithmetic below 2^53,
 * and `scale` is an integer or a power of two, so that every implementation makes the same values:
 *
 *   next():     state = (state * 1664525 + 1013904223) mod 2^32, which starts at `seed`; returns the new state
 *   uniform:    x = next()
 *   lognormal:  e = number of one bits in the upper 16 bits of next(), then m = 1024 + the upper 10 bits of next()
 *               x = m * 2^e
 *   value = (min + floor(x / 2^shift)) * scale
 *
 * The exponent is binomial and the mantissa uniform, which is close to the log-normal shape of latencies.
 */

/** Yields `[value, count, expectedInterval]`. An interval of 0 means no correction. */
export function* operationsOf({ recorded, generator }) {
  if (generator) for (const value of generate(generator)) yield [value, 1, 0];
  else
    for (const [value, count = 1, expectedInterval = 0] of recorded) yield [value, count, expectedInterval];
}

/** Yields `[value, count]` of an operation, including the correction for coordinated omission. */
export function* countsOf(recording) {
  for (const [value, count, expectedInterval] of operationsOf(recording)) {
    yield [value, count];
    if (expectedInterval === 0) continue;
    for (let missing = value - expectedInterval; missing >= expectedInterval; missing -= expectedInterval) {
      yield [missing, count];
    }
  }
}

function* generate({ kind, seed, n, min, shift, scale }) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
  const kinds = {
    uniform: next,
    lognormal: () => {
      const exponent = ones(next() >>> 16);
      return (1024 + (next() >>> 22)) * 2 ** exponent;
    },
  };
  for (let i = 0; i < n; i++) yield (min + Math.floor(kinds[kind]() / 2 ** shift)) * scale;
}

function ones(bits) {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
