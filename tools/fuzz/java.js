/**
 * Random programs over the whole API of `Histogram`, run here and by HdrHistogram in Java, and compared after each step: totals,
 * moments, percentiles, iterations, texts and encoded bytes.
 */

import { importSource } from '../lib/import-source.js';
import { Random } from '../lib/random.js';
import { compareProgram } from './java/compare.js';
import { EXPLAINED } from './java/explanations.js';
import { makeProgram, smallerSteps } from './java/program.js';
import { OracleUnavailable, openOracle } from './java/theirs.js';

/** @import { Program } from './java/program.js' */

/**
 * The shortest program found that differs too.
 *
 * @param {any} core
 * @param {any} oracle
 * @param {Program} program
 */
async function shrinkProgram(core, oracle, program) {
  let smallest = program;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const steps of smallerSteps(smallest.steps)) {
      const candidate = { ...smallest, steps };
      if (typeof (await compareProgram(core, oracle, candidate)) !== 'object') continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/**
 * @param {number} seed
 * @param {number} from
 * @param {{ cases?: number, seconds?: number }} limits
 * @returns {Promise<boolean>} Whether all programs gave equal results.
 */
export async function comparePrograms(seed, from, { cases = Number.MAX_SAFE_INTEGER, seconds = 1e9 }) {
  const core = await importSource('core/src/index.ts');
  let oracle;
  try {
    oracle = await openOracle();
  } catch (/** @type {any} */ error) {
    if (!(error instanceof OracleUnavailable)) throw error;
    console.log(`java: skipped: ${error.message}`);
    return true;
  }
  /** @type {Map<string, number>} */
  const explained = new Map();
  let findings = 0;
  let count = 0;
  const start = performance.now();
  try {
    for (; count < cases && performance.now() - start < seconds * 1000 && findings < 5; count++) {
      const program = makeProgram(new Random(seed, from + count));
      const difference = await compareProgram(core, oracle, program);
      if (typeof difference === 'string') explained.set(difference, (explained.get(difference) ?? 0) + 1);
      if (typeof difference !== 'object') continue;
      findings++;
      const smallest = await shrinkProgram(core, oracle, program);
      console.log(`\njava: ${JSON.stringify(smallest)}`);
      console.log(`  ${JSON.stringify(await compareProgram(core, oracle, smallest)).slice(0, 2000)}`);
      console.log(`  again: npm run fuzz -- java --seed ${seed} --from ${from + count} --cases 1\n`);
    }
  } finally {
    await oracle.close();
  }
  const took = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${'java'.padEnd(20)} ${count} programs in ${took} s, seed ${seed}, ${findings} findings`);
  for (const [name, times] of explained) console.log(`  ${times} times ${name}: ${EXPLAINED[name]}`);
  return findings === 0;
}
