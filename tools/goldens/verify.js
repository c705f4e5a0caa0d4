/**
 * The other direction: HdrHistogram reads the encodings of `@hdrscope/core`. Replays the recordings of the fixtures and of
 * `written.js` in both, if their values are safe integers or doubles, and exits with 1 unless, for each,
 *
 *   - HdrHistogram decodes our raw and our compressed encoding, finds both equal to its own histogram, and reports the same
 *     totals, moments and percentiles
 *   - our raw bytes equal its raw bytes, with every storage
 *
 *   node tools/goldens/verify.js      needs a built core: npm run build
 */
import { readFileSync } from 'node:fs';
import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { make, PERCENTILES } from './ask.js';
import { Rejected, withOracle } from './oracle.js';
import { countsOf, operationsOf } from './recorded.js';
import { cases as writtenCases } from './written.js';

const FIXTURES = new URL('../../packages/core/test/fixtures/java/', import.meta.url);
const REPLAYED = ['histograms', 'iterators', 'percentile-text', 'operations', 'double-histograms'];
const STORAGES = ['dense', 'sparse'];

/** How each kind of histogram is made in JavaScript and read in Java. */
const INTEGERS = {
  make: (options, storage) =>
    new Histogram({ ...options, storage, highestTrackableValue: exact(options.highestTrackableValue) }),
  isValue: Number.isSafeInteger,
  decode: 'decode',
  decompress: 'decompress',
  arguments: [8], // bytes of a count
};
const DOUBLES = {
  make: (options, storage) => new DoubleHistogram({ ...options, storage }),
  isValue: Number.isFinite,
  decode: 'decodeDouble',
  decompress: 'decompressDouble',
  arguments: [],
};

await withOracle('goldens', false, verify);

async function verify(oracle) {
  let equal = 0;
  let beyond = 0;
  const complaints = [];
  for (const [name, recording] of recordings()) {
    if (!isSafe(recording)) {
      beyond++;
      continue;
    }
    const complaint = await compare(oracle, recording).catch(refusalOf);
    if (complaint) complaints.push(`${name}: ${complaint}`);
    else equal++;
  }
  for (const complaint of complaints) console.error(`goldens: ${complaint}`);
  console.log(
    `goldens: HdrHistogram reads ${equal} of our histograms as its own, ${complaints.length} not; ${beyond} have values beyond 2^53`,
  );
  return complaints.length === 0 ? 0 : 1;
}

/** Cases that Java cannot run. */
function refusalOf(error) {
  if (error instanceof Rejected) return `Java does not do it: ${error.message}: ${error.cause}`;
  throw error;
}

/** All recordings of a case and of its steps, by name, with the shifts of cases that do nothing else. */
function* recordings() {
  for (const fixture of REPLAYED) {
    const { cases } = JSON.parse(readFileSync(new URL(`${fixture}.json`, FIXTURES), 'utf8'));
    for (const { name, steps = [], ...recording } of cases) {
      yield [`${fixture}, ${name}`, recording];
      if (steps.length > 0 && steps.every(isShift)) {
        yield [
          `${fixture}, ${name}, shifted`,
          { ...recording, shifts: steps.map((step) => [step.do, step.by]) },
        ];
      }
      for (const { do: what, other } of steps) {
        if (other) yield [`${fixture}, ${name}, what it does ${what} with`, other];
      }
    }
  }
  for (const { name, ...recording } of writtenCases) yield [`written, ${name}`, recording];
}

function isShift({ do: what, rejected }) {
  return (what === 'shiftLeft' || what === 'shiftRight') && rejected === undefined;
}

function kindOf({ options }) {
  return 'highestToLowestValueRatio' in options ? DOUBLES : INTEGERS;
}

function isSafe(recording) {
  const { isValue } = kindOf(recording);
  for (const [value, count, expectedInterval] of operationsOf(recording)) {
    if (!isValue(value) || !isValue(expectedInterval) || !Number.isSafeInteger(count)) return false;
  }
  return true;
}

/** @returns a description of the problem; `undefined` when the encodings agree */
async function compare(oracle, recording) {
  const kind = kindOf(recording);
  const { shifts = [], ...recorded } = recording;
  await make(oracle, 'theirs', recorded);
  for (const [direction, orders] of shifts) await oracle.ask(direction, 'theirs', orders);
  const theirs = await oracle.ask('encode', 'theirs');

  let text;
  for (const storage of STORAGES) {
    let ours;
    try {
      ours = replayed(kind, recording, storage);
    } catch (error) {
      return `we do not record it: ${error.message}`;
    }
    const raw = Buffer.from(ours.encode()).toString('hex');
    if (raw !== theirs)
      return `bytes differ, ${storage}: ours ${raw.slice(0, 160)}, Java's ${theirs.slice(0, 160)}`;
    text = ours.toBase64();
  }

  // In Java, an empty histogram with a unit differs from its decoded copy, which has a maximum.
  await oracle.ask(kind.decode, 'theirs, read', theirs, ...kind.arguments);
  const recognised = await oracle.ask('same', 'theirs, read', 'theirs');
  const model = recognised ? 'theirs' : 'theirs, read';

  for (const [command, encoding] of [
    [kind.decode, theirs], // which is ours
    [kind.decompress, text],
  ]) {
    await oracle.ask(command, 'ours', encoding, ...kind.arguments);
    const difference = unlike(await said(oracle, 'ours'), await said(oracle, model));
    if (difference !== '') return `Java finds something else in it (${command}): ${difference}`;
    if (!(await oracle.ask('same', 'ours', model))) {
      return `Java finds another histogram in it (${command})`;
    }
  }
  return undefined;
}

function replayed(kind, { options, shifts = [], ...recording }, storage) {
  const ours = kind.make(options, storage);
  for (const [value, count] of countsOf(recording)) ours.record(value, count);
  for (const [direction, orders] of shifts) ours[direction](orders);
  return ours;
}

function exact(value) {
  return typeof value === 'string' ? BigInt(value) : value;
}

async function said(oracle, name) {
  const percentiles = await oracle.ask('percentiles', name, ...PERCENTILES);
  const byPercentile = percentiles.map(([percentile, value]) => [`at ${percentile} %`, value]);
  return { ...(await oracle.ask('summary', name)), ...Object.fromEntries(byPercentile) };
}

function unlike(seen, expected) {
  const keys = Object.keys(expected).filter((key) => seen[key] !== expected[key]);
  return keys.map((key) => `${key} ${seen[key]} for ${expected[key]}`).join(', ');
}
