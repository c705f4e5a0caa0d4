/**
 * Writes the fixtures: the answers of HdrHistogram, the Java reference, to the cases in `cases/`.
 *
 *   node tools/goldens/generate.js           writes them
 *   node tools/goldens/generate.js --check   exits with 1 when a committed fixture differs from the answers of Java
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as decoding from './cases/decoding.js';
import * as doubleHistograms from './cases/double-histograms.js';
import * as equivalence from './cases/equivalence.js';
import * as histograms from './cases/histograms.js';
import * as iterators from './cases/iterators.js';
import * as operations from './cases/operations.js';
import * as percentileText from './cases/percentile-text.js';
import { differences } from './differences.js';
import { formatFixture } from './json.js';
import { MADE_BY, OracleUnavailable, openOracle } from './oracle.js';

const FIXTURES = new URL('../../packages/core/test/fixtures/java/', import.meta.url);
const ALL = [histograms, iterators, percentileText, operations, equivalence, decoding, doubleHistograms];

const checking = process.argv.includes('--check');

try {
  const oracle = await openOracle();
  try {
    process.exitCode = checking ? await check(oracle) : await write(oracle);
  } finally {
    await oracle.close();
  }
} catch (error) {
  if (!(error instanceof OracleUnavailable)) throw error;
  console.log(checking ? `goldens: skipped, ${error.message}` : `goldens: ${error.message}`);
  process.exitCode = checking ? 0 : 1;
}

async function write(oracle) {
  mkdirSync(FIXTURES, { recursive: true });
  for (const fixture of ALL) {
    const text = await answered(oracle, fixture);
    writeFileSync(fileOf(fixture), text);
    console.log(`goldens: ${fixture.name}.json, ${fixture.cases.length} cases, ${text.length} bytes`);
  }
  return 0;
}

async function check(oracle) {
  let status = 0;
  for (const fixture of ALL) {
    const made = JSON.parse(await answered(oracle, fixture));
    const file = fileOf(fixture);
    const found = existsSync(file)
      ? differences(JSON.parse(readFileSync(file, 'utf8')), made)
      : ['there is no such file'];
    if (found.length === 0) console.log(`goldens: ${fixture.name}.json matches ${MADE_BY}`);
    else console.error([`goldens: ${fixture.name}.json differs:`, ...found].join('\n  '));
    if (found.length > 0) status = 1;
  }
  return status;
}

/** The text of a fixture. */
async function answered(oracle, { name, header, cases, answer }) {
  const answers = [];
  const names = new Set();
  for (const each of cases) {
    if (names.has(each.name)) throw new Error(`two cases of ${name} are called "${each.name}"`);
    names.add(each.name);
    try {
      answers.push({ ...each, ...(await answer(oracle, each)) });
    } catch (error) {
      throw new Error(`${name}, case "${each.name}": ${error.message}: ${error.cause}`, { cause: error });
    }
  }
  return formatFixture({
    madeBy: MADE_BY,
    regenerate: 'node tools/goldens/generate.js',
    ...header,
    cases: answers,
  });
}

function fileOf({ name }) {
  return fileURLToPath(new URL(`${name}.json`, FIXTURES));
}
