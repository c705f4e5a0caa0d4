/**
 * `npm run soak`: records in five threads while five ways out read, and checks that no count is lost and that memory stays
 * flat. `docs/reliability.md` describes it.
 */
import { writeFileSync } from 'node:fs';
import { buildPackages } from '../lib/build-packages.js';
import { readOptions } from '../lib/options.js';
import { failuresOf, textOf } from './report.js';

const options = readOptions('npm run soak --', {
  seconds: { help: 'how long it records', least: 3, default: 300 },
  attack: { flag: 'somebody attacks the servers meanwhile' },
  strict: { flag: 'dropped ticks and a busy event loop are failures too: for a quiet machine' },
  json: { text: 'FILE', help: 'the report with all samples of the memory' },
  'no-build': { flag: 'run the packages as they were built last' },
});

await main();

async function main() {
  const { seconds } = options;
  if (!options['no-build']) buildPackages(['@hdrscope/dashboard', '@hdrscope/otel', '@hdrscope/prometheus']);
  // Imported here, because it needs the packages that were built above.
  const { perSecond, soak, threadCount } = await import('./soak.js');
  const { seriesCount } = await import('./load.js');
  console.log(
    `${seconds} s, ${seriesCount} series, ${threadCount} threads and the main thread record ${perSecond} values a second`,
  );
  const report = await soak({ seconds, attack: options.attack, onProgress: progress });
  progress('');
  console.log(`\n${textOf(report)}\n`);
  if (options.json) writeFileSync(options.json, `${JSON.stringify(report)}\n`);
  const failures = failuresOf(report, options);
  for (const failure of failures) console.log(`FAILED: ${failure}`);
  if (failures.length === 0) console.log('All counts are equal.');
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** @param {string} text */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
