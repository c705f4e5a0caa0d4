/**
 * `npm run fuzz -- [TARGET…] [--minutes N | --cases N] [--seed S] [--from I]`: gives decoders and parsers inputs that are nearly
 * right. Each case must give a value or an error that users expect, soon and in bounded memory. A finding is shrunk, written into
 * `tools/fuzz/regressions/TARGET`, which all later runs repeat first, and printed with the line that repeats it.
 *
 * `npm run fuzz -- --list` lists the targets. `java` compares random programs with HdrHistogram in Java.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { outcomeOf } from './engine.js';
import { FORMS } from './forms.js';
import { keep, regressionsOf, runTarget } from './run-target.js';
import { loadTarget, TARGETS } from './targets.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean' },
    minutes: { type: 'string' },
    cases: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
  },
});
/** The cases of all targets together, without `--cases` and `--minutes`. */
const CASES = 200_000;

if (values.list) {
  for (const [name, { about }] of Object.entries(TARGETS)) console.log(`${name.padEnd(20)} ${about}`);
  console.log(`${'java'.padEnd(20)} random programs over the whole API of Histogram, compared with Java`);
} else {
  process.exitCode = (await main()) ? 0 : 1;
}

async function main() {
  const names = positionals.length > 0 ? positionals : Object.keys(TARGETS);
  // A new seed for each day: a run that fails prints it.
  const seed = numberOf('seed', Math.floor(Date.now() / 86_400_000));
  const minutes = values.minutes === undefined ? undefined : numberOf('minutes', 0);
  const total = numberOf('cases', CASES);
  const shares = names.reduce((sum, name) => sum + (TARGETS[name]?.share ?? 1), 0);
  let ok = true;
  for (const name of names) {
    const part = (TARGETS[name]?.share ?? 1) / shares;
    const limits =
      minutes === undefined ? { cases: Math.ceil(total * part) } : { seconds: (minutes * 60) / names.length };
    const isOk = name === 'java' ? await runJava(seed, limits) : await runOne(name, seed, limits);
    ok &&= isOk;
  }
  return ok;
}

/**
 * The number of an option. A run of no cases would pass.
 *
 * @param {'seed' | 'minutes' | 'cases' | 'from'} name
 * @param {number} otherwise
 */
function numberOf(name, otherwise) {
  const text = values[name];
  if (text === undefined) return otherwise;
  const number = Number(text);
  const mayBeZero = name === 'seed' || name === 'from';
  if (/^\d+(\.\d+)?$/.test(text) && (mayBeZero || number > 0)) return number;
  console.error(`--${name} must be a number${mayBeZero ? '' : ' above 0'}, got '${text}'`);
  process.exit(2);
}

/**
 * @param {string} name
 * @param {number} seed
 * @param {{ cases?: number, seconds?: number }} limits
 */
async function runOne(name, seed, limits) {
  const { form } = await loadTarget(name);
  const again = await replay(name);
  const start = performance.now();
  const { cases, accepted, findings } = await runTarget(name, { seed, from: numberOf('from', 0), ...limits });
  const seconds = (performance.now() - start) / 1000;
  for (const finding of findings) {
    const path = keep(finding, FORMS[form].extension);
    console.log(`\n${name}: ${finding.message}`);
    if (finding.stack !== undefined) console.log(finding.stack.split('\n').slice(1, 5).join('\n'));
    if (path !== undefined) console.log(`  input: ${path}`);
    console.log(`  again: npm run fuzz -- ${name} --seed ${seed} --from ${finding.index} --cases 1\n`);
  }
  const share = Math.round((100 * accepted) / Math.max(1, cases));
  console.log(
    `${name.padEnd(20)} ${cases} cases, ${share} % accepted, in ${seconds.toFixed(1)} s, seed ${seed}, ${findings.length} findings`,
  );
  return again && findings.length === 0;
}

/**
 * Repeats the findings of earlier runs.
 *
 * @param {string} name
 */
async function replay(name) {
  const target = await loadTarget(name);
  const folder = regressionsOf(name);
  let ok = true;
  for (const file of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const failure = await outcomeOf(target, FORMS[target.form].fromFile(readFileSync(join(folder, file))));
    if (typeof failure === 'string') continue;
    ok = false;
    console.log(`${name}: regressions/${name}/${file} fails: ${failure.message}`);
  }
  return ok;
}

/**
 * @param {number} seed
 * @param {{ cases?: number, seconds?: number }} limits
 */
async function runJava(seed, limits) {
  const { comparePrograms } = await import('./java.js');
  return comparePrograms(seed, numberOf('from', 0), limits);
}
