/**
 * `npm run quantile-errors`: records known distributions and random ones, lets real Prometheuses scrape them, and compares
 * `histogram_quantile` with the values that were recorded. Then it measures what the buckets of a service cost. It takes two minutes.
 */
import { parseArgs } from 'node:util';
import { fillMarkers } from '../lib/markers.js';
import { measureCosts } from './costs.js';
import { measureErrors } from './errors.js';
import { findVersions, stopAll } from './prometheus.js';
import { SETTINGS } from './settings.js';
import { costTable, errorTable, namedTable } from './tables.js';

const help = `npm run quantile-errors -- [options]

  --seed N      of the random numbers (1)
  --randoms N   random distributions (1000)
  --write       puts the tables into the documents
`;

/** The settings whose cost is measured. Each has a Prometheus of its own. */
const COSTLY = new Set(['2-160', '2-320', '2-640', '2-1280', '3-640', '3-5120']);

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    randoms: { type: 'string', default: '1000' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

try {
  if (options.help) console.log(help);
  else await main();
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}

async function main() {
  const seed = readNumber('seed', 0, 2 ** 31);
  const randoms = readNumber('randoms', 1, 1000);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.once(signal, () => void stopAll().then(() => process.exit(1)));
  const { installed, absent } = findVersions();
  for (const version of absent)
    console.log(`skipped: ${version} is not installed: node tools/peers/install.js ${version}`);
  const newest = installed.at(-1);
  if (newest === undefined) throw new Error('no Prometheus is installed');
  if (options.write && absent.length > 0) throw new Error('--write needs both versions of Prometheus');

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
  if (!options.write) return;
  fillMarkers('packages/prometheus/README.md', 'quantile-errors', random);
  fillMarkers('docs/benchmarks.md', 'quantile-errors', `${named}\n\n${costs}`);
}

/**
 * @param {'seed' | 'randoms'} name
 * @param {number} from
 * @param {number} to
 */
function readNumber(name, from, to) {
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  throw new Error(`--${name} must be an integer from ${from} to ${to}, got ${options[name]}`);
}
