/**
 * The other direction: HdrHistogram reads what `@hdrscope/core` writes. Replays the recordings of the fixtures in
 * both, as far as their values are safe integers, and exits 1 unless, for each,
 *
 *   - HdrHistogram decodes our raw and our compressed encoding, and finds both equal to its own histogram
 *   - our raw bytes are its raw bytes
 *
 *   node tools/goldens/verify.js      needs a built core: npm run build
 */
import { readFileSync } from 'node:fs';
import { Histogram } from '@hdrscope/core';
import { make } from './ask.js';
import { OracleUnavailable, openOracle, Rejected } from './oracle.js';
import { countsOf, operationsOf } from './recorded.js';

const FIXTURES = new URL('../../packages/core/test/fixtures/java/', import.meta.url);
const EIGHT_BYTES = 8;

try {
  const oracle = await openOracle();
  try {
    process.exitCode = await verify(oracle);
  } finally {
    await oracle.close();
  }
} catch (error) {
  if (!(error instanceof OracleUnavailable)) throw error;
  console.log(`goldens: skipped, ${error.message}`);
}

async function verify(oracle) {
  let equal = 0;
  let beyond = 0;
  const complaints = [];
  for (const [name, recording] of recordings()) {
    if (!isSafe(recording)) {
      beyond++;
      continue;
    }
    const complaint = await compare(oracle, recording);
    if (complaint) complaints.push(`${name}: ${complaint}`);
    else equal++;
  }
  for (const complaint of complaints) console.error(`goldens: ${complaint}`);
  console.log(
    `goldens: HdrHistogram reads ${equal} of our histograms as its own, ${complaints.length} not; ${beyond} have values beyond 2^53`,
  );
  return complaints.length === 0 ? 0 : 1;
}

/** All that is recorded in a case or in a step of one, by name. */
function* recordings() {
  for (const fixture of ['histograms', 'iterators', 'percentile-text', 'operations']) {
    const { cases } = JSON.parse(readFileSync(new URL(`${fixture}.json`, FIXTURES), 'utf8'));
    for (const { name, steps = [], ...recording } of cases) {
      yield [`${fixture}, ${name}`, recording];
      for (const { do: what, other } of steps) {
        if (other) yield [`${fixture}, ${name}, what it does ${what} with`, other];
      }
    }
  }
}

function isSafe(recording) {
  for (const operation of operationsOf(recording)) if (!operation.every(Number.isSafeInteger)) return false;
  return true;
}

/** @returns what is wrong, nothing when all is well */
async function compare(oracle, { options, ...recording }) {
  let ours;
  try {
    ours = new Histogram({ ...options, highestTrackableValue: exact(options.highestTrackableValue) });
    for (const [value, count] of countsOf(recording)) ours.record(value, count);
  } catch (error) {
    return `we do not record it: ${error.message}`;
  }
  await make(oracle, 'theirs', { options, ...recording });

  const raw = Buffer.from(ours.encode()).toString('hex');
  const theirs = await oracle.ask('encode', 'theirs');
  if (raw !== theirs) return `bytes differ: ours ${raw.slice(0, 120)}, Java's ${theirs.slice(0, 120)}`;

  // Java does not always recognise itself: an empty histogram with a unit comes back with a maximum.
  await oracle.ask('decode', 'theirs, read', theirs, EIGHT_BYTES);
  const recognised = await oracle.ask('same', 'theirs, read', 'theirs');
  const model = recognised ? 'theirs' : 'theirs, read';

  for (const [command, encoding] of [
    ['decode', raw],
    ['decompress', ours.toBase64()],
  ]) {
    try {
      await oracle.ask(command, 'ours', encoding, EIGHT_BYTES);
    } catch (error) {
      if (error instanceof Rejected) return `Java does not ${command} it: ${error.message}: ${error.cause}`;
      throw error;
    }
    if (!(await oracle.ask('same', 'ours', model))) {
      const [seen, expected] = [await oracle.ask('summary', 'ours'), await oracle.ask('summary', model)];
      return `Java finds another histogram in it (${command}): ${unlike(seen, expected)}`;
    }
  }
  return undefined;
}

function exact(value) {
  return typeof value === 'string' ? BigInt(value) : value;
}

function unlike(seen, expected) {
  const keys = Object.keys(expected).filter((key) => seen[key] !== expected[key]);
  return keys.map((key) => `${key} ${seen[key]} for ${expected[key]}`).join(', ') || 'counts differ';
}
