/** How far `histogram_quantile` is from the values that were recorded. */
import { DISTRIBUTIONS, drawNamed, drawRandom, nearestRank } from '@hdrscope/testing/distributions';
import { Prometheus, waitFor } from './prometheus.js';
import { SETTINGS, Subjects } from './settings.js';

/** @import { InstalledVersion } from './prometheus.js' */
/** @import { Setting, Size } from './settings.js' */

/**
 * @typedef {ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>>} Errors
 *   For each draw, the largest relative error of all quantiles: by the version of Prometheus, the name of the setting and the
 *   distribution, which is {@link RANDOM} for all random ones.
 */

const QUANTILES = [0.5, 0.9, 0.99, 0.999];
export const RANDOM = 'random';
const NAMED_DRAWS = 10;
/** No quantile lies between two values: half of 10,000 values would end just there, and any value between them would be right. */
const NAMED_COUNT = 100_001;
const RANDOM_COUNT = 10_001;
const INTERVAL_SECONDS = 5;
const SCRAPED_MS = 120_000;

/**
 * @param {Float64Array} sorted
 * @returns {readonly number[]} The exact quantiles.
 */
export function findExact(sorted) {
  return QUANTILES.map((quantile) => nearestRank(sorted, quantile));
}

/**
 * @param {Prometheus} prometheus
 * @param {Setting} setting
 * @param {ReadonlyMap<string, readonly number[]>} exact The exact quantiles of each series, by its label `id`.
 * @returns {Promise<Map<string, number>>} The largest relative error of all quantiles, by the label `id`.
 */
export async function findErrors(prometheus, { name }, exact) {
  /** @type {Map<string, number>} */
  const largest = new Map();
  for (const [at, quantile] of QUANTILES.entries()) {
    const shown = await prometheus.query(`histogram_quantile(${quantile}, latency{job="${name}"})`);
    if (shown.length !== exact.size) throw new Error(`${name} has ${shown.length} series, not ${exact.size}`);
    for (const { labels, value } of shown) {
      const id = labels.id ?? '';
      const error = Math.abs(value / (exact.get(id)?.[at] ?? Number.NaN) - 1);
      if (!Number.isFinite(error)) throw new Error(`${name} has ${value} at ${quantile} of ${id}`);
      largest.set(id, Math.max(largest.get(id) ?? 0, error));
    }
  }
  return largest;
}

/**
 * @param {readonly InstalledVersion[]} versions
 * @param {{ seed: number, randoms: number }} options
 * @returns {Promise<{ errors: Errors, sizes: ReadonlyMap<string, Size> }>} Sizes are those of the random distributions, by setting.
 */
export async function measureErrors(versions, { seed, randoms }) {
  const subjects = new Subjects(SETTINGS);
  /** @type {Map<string, readonly number[]>} The exact quantiles by the id of the distribution. */
  const exact = new Map();
  const add = (/** @type {string} */ id, /** @type {Float64Array} */ values) => {
    subjects.record(id, values);
    exact.set(id, findExact(values.sort()));
  };
  for (const name of DISTRIBUTIONS)
    for (let draw = 0; draw < NAMED_DRAWS; draw++)
      add(`${name} ${draw}`, drawNamed(name, NAMED_COUNT, seed + draw));
  for (let index = 0; index < randoms; index++)
    add(`${RANDOM} ${index}`, drawRandom(RANDOM_COUNT, seed, index));
  const target = await subjects.listen();
  try {
    const errors = new Map();
    for (const installed of versions)
      errors.set(installed.version, await askPrometheus(installed, target, exact));
    const sizes = new Map();
    for (const setting of SETTINGS)
      sizes.set(setting.name, await subjects.measureSize(setting, (id) => distributionOf(id) === RANDOM));
    return { errors, sizes };
  } finally {
    await subjects.close();
  }
}

/**
 * @param {InstalledVersion} installed
 * @param {string} target
 * @param {ReadonlyMap<string, readonly number[]>} exact
 * @returns {Promise<Map<string, Map<string, number[]>>>} By setting and distribution.
 */
async function askPrometheus(installed, target, exact) {
  const jobs = SETTINGS.map(({ name }) => ({ name, target, path: `/${name}` }));
  const prometheus = await Prometheus.start(installed, jobs, INTERVAL_SECONDS);
  try {
    await waitFor('a scrape of each setting', SCRAPED_MS, async () => {
      const counts = await prometheus.query('count by (job) (latency)');
      return counts.length === jobs.length && counts.every(({ value }) => value === exact.size);
    });
    /** @type {Map<string, Map<string, number[]>>} */
    const found = new Map();
    for (const setting of SETTINGS) {
      /** @type {Map<string, number[]>} */
      const byDistribution = new Map();
      for (const [id, error] of await findErrors(prometheus, setting, exact)) {
        const name = distributionOf(id);
        byDistribution.set(name, [...(byDistribution.get(name) ?? []), error]);
      }
      found.set(setting.name, byDistribution);
    }
    return found;
  } finally {
    await prometheus.stop();
  }
}

/** @param {string} id A distribution and the number of a draw. */
function distributionOf(id) {
  return id.slice(0, id.lastIndexOf(' '));
}
