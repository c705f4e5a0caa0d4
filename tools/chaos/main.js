/**
 * `npm run chaos`: kills, stops and starves processes that use hdrscope, and compares what they say they have recorded with what has
 * arrived. `docs/reliability.md` describes it.
 */
import { writeFileSync } from 'node:fs';
import { buildPackages } from '../lib/build-packages.js';
import { readOptions } from '../lib/options.js';
import { failuresOf, textOf } from './report.js';
import { hasTimeFor, scenarioAt } from './schedule.js';

const options = readOptions('npm run chaos --', {
  minutes: { help: 'how long it runs. Every scenario has at least one round', least: 0, default: 2 },
  seed: {
    help: 'of the random numbers, a new one each day',
    least: 0,
    default: Math.floor(Date.now() / 86_400_000),
  },
  scenario: { text: 'NAME', help: 'this one only' },
  round: { help: 'repeats this round only', least: 0, isWhole: true },
  keep: { flag: 'leaves the files of each round behind' },
  json: { text: 'FILE', help: 'all rounds' },
  list: { flag: 'lists the scenarios' },
  'no-build': { flag: 'runs the packages as they were built last' },
});

await main();

async function main() {
  const { minutes, seed } = options;
  if (!options['no-build']) buildPackages(['hdrscope', '@hdrscope/interval-log', '@hdrscope/otel']);
  // Imported here, because they need the packages that were built above.
  const { scenarios } = await import('./scenarios.js');
  const { Round } = await import('./scenario.js');
  if (options.list) {
    for (const { name, promise, window } of scenarios)
      console.log(`${name.padEnd(16)} ${promise}. Window: ${window}`);
    return;
  }
  const chosen = scenarios.filter(({ name }) => options.scenario === '' || name === options.scenario);
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
  const first = options.round ?? 0;
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
