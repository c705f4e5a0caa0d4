/**
 * `npm run quantile-errors`: records known distributions and random ones, lets real Prometheuses scrape them, and compares
 * `histogram_quantile` with the values that were recorded. Then it measures what the buckets of a service cost. It takes two minutes.
 */
import { fillMarkers } from '../lib/markers.js';
import { readOptions, runTool } from '../lib/options.js';
import { measureCosts } from './costs.js';
import { measureErrors } from './errors.js';
import { findVersions, stopAll } from './prometheus.js';
import { SETTINGS } from './settings.js';
import { costTable, errorTable, namedTable } from './tables.js';

/** The settings whose cost is measured. Each has a Prometheus of its own. */
const COSTLY = new Set(['2-160', '2-320', '2-640', '2-1280', '3-640', '3-5120']);

const { seed, randoms, write } = readOptions('npm run quantile-errors --', {
  seed: { help: 'of the random numbers', least: 0, most: 2 ** 31, isWhole: true, default: 1 },
  randoms: { help: 'random distributions', least: 1, most: 1000, isWhole: true, default: 1000 },
  write: { flag: 'puts the tables into the documents' },
});

await runTool(main);

async function main() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.once(signal, () => void stopAll().then(() => process.exit(1)));
  const { installed, absent } = findVersions();
  for (const version of absent)
    console.log(`skipped: ${version} is not installed: node tools/peers/install.js ${version}`);
  const newest = installed.at(-1);
  if (newest === undefined) throw new Error('no Prometheus is installed');
  if (write && absent.length > 0) throw new Error('--write needs both versions of Prometheus');

  console.log(`seed ${seed}, ${randoms} random distributions`);
  const { errors, sizes } = await measureErrors(installed, { seed, randoms });
  const named = namedTable(SETTINGS, errors);
  const random = errorTable(SETTINGS, errors, sizes);
  console.log(`\n${named}\n\n${random}`);
  const costs = costTable(
    await measureCosts(
      newest,
      SETTINGS.filter(({ name }) => COSTLY.has(name)),
      seed,
    ),
  );
  console.log(`\n${costs}`);
  if (!write) return;
  fillMarkers('packages/prometheus/README.md', 'quantile-errors', random);
  fillMarkers('docs/benchmarks.md', 'quantile-errors', `${named}\n\n${costs}`);
}
