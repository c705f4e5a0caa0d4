/**
 * `npm run fuzz -- [TARGET…] [--minutes N | --cases N] [--seed S] [--from I]`: gives decoders and parsers inputs that are nearly
 * right. Each case must give a value or an error that users expect, soon and in bounded memory. A finding is shrunk, written into
 * `tools/fuzz/regressions/TARGET`, which all later runs repeat first, and printed with the line that repeats it.
 *
 * `npm run fuzz -- --list` lists the targets. `java` compares random programs with HdrHistogram in Java.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../lib/options.js';
import { outcomeOf } from './engine.js';
import { FORMS } from './forms.js';
import { keep, regressionsOf, runTarget } from './run-target.js';
import { loadTarget, TARGETS } from './targets.js';

/** The cases of all targets together, without `--cases` and `--minutes`. */
const CASES = 200_000;

// A run of no cases would pass.
const { operands, ...options } = readOptions(
  'npm run fuzz --',
  {
    list: { flag: 'lists the targets' },
    minutes: { help: 'how long all targets run together', least: 1e-3 },
    cases: { help: 'of all targets together', least: 1, isWhole: true, default: CASES },
    // A run that fails prints its seed.
    seed: {
      help: 'of the random inputs, a new one each day',
      least: 0,
      default: Math.floor(Date.now() / 86_400_000),
    },
    from: { help: 'the first case', least: 0, default: 0 },
  },
  '[TARGET...]',
);

if (options.list) {
  for (const [name, { about }] of Object.entries(TARGETS)) console.log(`${name.padEnd(20)} ${about}`);
  console.log(`${'java'.padEnd(20)} random programs over the whole API of Histogram, compared with Java`);
} else {
  process.exitCode = (await main()) ? 0 : 1;
}

async function main() {
  const names = operands.length > 0 ? operands : Object.keys(TARGETS);
  const { seed, minutes, cases: total } = options;
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
 * @param {string} name
 * @param {number} seed
 * @param {{ cases?: number, seconds?: number }} limits
 */
async function runOne(name, seed, limits) {
  const { form } = await loadTarget(name);
  const again = await replay(name);
  const start = performance.now();
  const { cases, accepted, findings } = await runTarget(name, { seed, from: options.from, ...limits });
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
  return comparePrograms(seed, options.from, limits);
}
