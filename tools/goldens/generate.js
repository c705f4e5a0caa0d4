/**
 * Asks HdrHistogram, the Java reference, for the answers to the cases of the fixtures.
 *
 *   node tools/goldens/generate.js           writes them beside the questions of each case
 *   node tools/goldens/generate.js --check   exits with 1 when a committed fixture differs from the answers of Java
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { differences } from './differences.js';
import { formatFixture } from './json.js';
import { MADE_BY, withOracle } from './oracle.js';
import { FIXTURES, questionOf } from './questions.js';

const FOLDER = new URL('../../packages/core/test/fixtures/java/', import.meta.url);
const isCheck = process.argv.includes('--check');

await withOracle('goldens', !isCheck, async (oracle) => {
  let status = 0;
  for (const [name, fixture] of Object.entries(FIXTURES)) {
    const file = fileURLToPath(new URL(`${name}.json`, FOLDER));
    const committed = JSON.parse(readFileSync(file, 'utf8'));
    const text = await answered(oracle, name, fixture, committed);
    if (!isCheck) {
      writeFileSync(file, text);
      console.log(`goldens: ${name}.json, ${committed.cases.length} cases, ${text.length} bytes`);
      continue;
    }
    const found = differences(committed, JSON.parse(text));
    if (found.length === 0) console.log(`goldens: ${name}.json matches ${MADE_BY}`);
    else console.error([`goldens: ${name}.json differs:`, ...found].join('\n  '));
    if (found.length > 0) status = 1;
  }
  return status;
});

/** The text of a fixture with new answers. */
async function answered(oracle, name, fixture, { cases, ...header }) {
  if (cases.length === 0) throw new Error(`${name} has no cases`);
  const answers = [];
  const names = new Set();
  for (const each of cases.map((one) => questionOf(fixture, one))) {
    if (names.has(each.name)) throw new Error(`two cases of ${name} are called "${each.name}"`);
    names.add(each.name);
    try {
      const answer = await fixture.answer(oracle, each);
      const asked = Object.entries(each).filter(([field]) => !(field in answer));
      answers.push({ ...Object.fromEntries(asked), ...answer });
    } catch (error) {
      throw new Error(`${name}, case "${each.name}": ${error.message}: ${error.cause}`, { cause: error });
    }
  }
  return formatFixture({ ...header, madeBy: MADE_BY, cases: answers });
}
