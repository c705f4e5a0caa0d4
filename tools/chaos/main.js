/**
 * `npm run chaos`: kills, stops and starves processes that use hdrscope, and compares what they say they have recorded with what has
 * arrived. `docs/reliability.md` describes it.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildPackages } from '../lib/build-packages.js';
import { failuresOf, textOf } from './report.js';
import { hasTimeFor, scenarioAt } from './schedule.js';

const help = `npm run chaos -- [options]

  --minutes N       how long it runs (2). Every scenario has at least one round
  --seed N          of the random numbers (a new one each day)
  --scenario NAME   this one only
  --round N         repeats this round only
  --keep            leaves the files of each round behind
  --json FILE       all rounds
  --list            lists the scenarios
  --no-build        runs the packages as they were built last
`;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    scenario: { type: 'string' },
    round: { type: 'string' },
    keep: { type: 'boolean', default: false },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (options.help) console.log(help);
else await main();

async function main() {
  const [minutes, seed] = [numberOf('minutes'), numberOf('seed')];
  if (!options['no-build']) buildPackages(['hdrscope', '@hdrscope/interval-log', '@hdrscope/otel']);
  // Imported here, because they need the packages that were built above.
  const { scenarios } = await import('./scenarios.js');
  const { Round } = await import('./scenario.js');
  if (options.list) {
    for (const { name, promise, window } of scenarios)
      console.log(`${name.padEnd(16)} ${promise}. Window: ${window}`);
    return;
  }
  const chosen = scenarios.filter(({ name }) => options.scenario === undefined || name === options.scenario);
  if (chosen.length === 0)
    throw new Error(`--scenario must be one of ${scenarios.map(({ name }) => name).join(', ')}`);
  for (const { name, skipped } of chosen) {
    const reason = skipped?.();
    if (reason !== undefined) console.log(`${name} is skipped: ${reason}`);
  }
  const possible = chosen.filter(({ skipped }) => skipped?.() === undefined);

  const ending = new AbortController();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.once(signal, () => ending.abort());
  const startMs = performance.now();
  const limitMs = minutes * 60_000;
  /** @type {import('./report.js').RoundReport[]} */
  const reports = [];
  let isFailed = false;
  const first = options.round === undefined ? 0 : numberOf('round');
  for (let index = first; possible.length > 0 && !ending.signal.aborted; index++) {
    const elapsedMs = performance.now() - startMs;
    const rounds = index - first;
    if (
      options.round !== undefined
        ? rounds > 0
        : !hasTimeFor({ rounds, scenarios: possible.length, elapsedMs, limitMs })
    )
      break;
    const scenario = scenarioAt(possible, index);
    const roundMs = performance.now();
    /** @type {import('./scenario.js').RoundResult} */
    let result;
    try {
      result = await Round.run(scenario, { seed, index, keep: options.keep, signal: ending.signal });
    } catch (error) {
      if (ending.signal.aborted) break;
      const text = error instanceof Error ? error.message : String(error);
      result = { tries: 1, outcomes: [], problems: [text] };
    }
    const seconds = (performance.now() - roundMs) / 1000;
    reports.push({ scenario: scenario.name, index, seconds, result });
    const failures = failuresOf(scenario, result);
    for (const failure of failures) console.log(`FAILED: ${scenario.name}: ${failure}`);
    if (failures.length > 0) {
      isFailed = true;
      console.log(`  again: npm run chaos -- --scenario ${scenario.name} --seed ${seed} --round ${index}`);
    }
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${scenario.name}, ${seconds.toFixed(1)} s`);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const minutesPassed = (performance.now() - startMs) / 60_000;
  console.log(`\n${minutesPassed.toFixed(1)} minutes, seed ${seed}, Node.js ${process.versions.node}\n`);
  console.log(textOf(chosen, reports));
  if (options.json) writeFileSync(options.json, `${JSON.stringify(reports)}\n`);
  if (ending.signal.aborted) process.exitCode = 130;
  else process.exitCode = isFailed ? 1 : 0;
  if (!isFailed && !ending.signal.aborted && reports.length > 0)
    console.log('\nNothing is lost outside of the windows, and nothing is counted twice.');
}

/** @param {'minutes' | 'seed' | 'round'} name */
function numberOf(name) {
  const value = Number(options[name]);
  if (!(value >= 0)) throw new Error(`--${name} must be a number of at least 0, got "${options[name]}"`);
  return value;
}
