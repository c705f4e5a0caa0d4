/** The questions that several fixtures ask of the oracle. */
import { createHash } from 'node:crypto';
import { operationsOf } from './recorded.js';

/** Includes 50 plus one ulp, because HdrHistogram subtracts an ulp before it rounds up. */
export const PERCENTILES = [
  -5, 0, 1e-10, 20, 25, 30, 49.9, 50, 50.00000000000001, 50.0000000000001, 75, 90, 99, 99.9, 99.99, 99.999,
  100, 150,
];

const WHOLE_UP_TO = 64;
const ENDS = 8;

/** Makes the histogram of a case, filled, under `name`. */
export async function make(oracle, name, { options, ...recording }) {
  if ('highestToLowestValueRatio' in options) {
    const { highestToLowestValueRatio, significantDigits, autoResize } = options;
    await oracle.ask('newDouble', name, highestToLowestValueRatio, significantDigits, autoResize);
  } else {
    const { lowestDiscernibleValue, highestTrackableValue, significantDigits, autoResize } = options;
    await oracle.ask(
      'new',
      name,
      lowestDiscernibleValue,
      highestTrackableValue,
      significantDigits,
      autoResize,
    );
  }
  await record(oracle, name, recording);
}

export async function record(oracle, name, recording) {
  const operations = [...operationsOf(recording)].map(
    ([value, count, expectedInterval]) => `${value}*${count}@${expectedInterval}`,
  );
  if (operations.length > 0) await oracle.ask('record', name, ...operations);
}

/** Totals and moments, `[percentile, value]` pairs and the encoding. */
export async function describe(oracle, name) {
  return {
    ...(await oracle.ask('summary', name)),
    percentiles: await oracle.ask('percentiles', name, ...PERCENTILES),
    v2: await oracle.ask('encode', name),
  };
}

/** All rows of a short iteration; both ends and a digest of a long one. */
export async function iterate(oracle, name, kind, ...args) {
  const rows = await oracle.ask('iterate', name, kind, ...args);
  if (rows.length <= WHOLE_UP_TO) return { steps: rows.length, rows };
  const sha256 = createHash('sha256')
    .update(rows.map((row) => JSON.stringify(row)).join('\n'))
    .digest('hex');
  return { steps: rows.length, first: rows.slice(0, ENDS), last: rows.slice(-ENDS), sha256 };
}

/** Each of several iterations, given as `[kind, ...arguments]`. */
export async function iterateAll(oracle, name, walks) {
  const iterations = [];
  for (const [kind, ...args] of walks) {
    iterations.push({ kind, arguments: args, ...(await iterate(oracle, name, kind, ...args)) });
  }
  return iterations;
}
