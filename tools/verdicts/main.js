/**
 * `npm run verdicts`: simulates load tests of equal and of slower programs, and prints how often `compareRuns` calls them worse.
 */
import { parseArgs } from 'node:util';
import { LOAD_MODELS } from '@hdrscope/testing/load-models';
import { fillMarkers, readMarkers } from '../lib/markers.js';
import { drawFrom, measureRealRuns } from './real.js';
import { measureRates, PERCENTILES } from './simulate.js';

/** @import { Model } from '@hdrscope/testing/load-models' */
/** @import { Rates, Share } from './simulate.js' */

const TITLES = [
  'model',
  'false alarms',
  ...PERCENTILES.map((percentile) => `+10 %, p${percentile}`),
  '+20 %',
  'smallest, p50',
  'found',
  'one run: false alarms',
  'judged',
  't-test: false alarms',
  'Mann-Whitney: false alarms',
];
const HEAD = `| ${TITLES.join(' | ')} |`;
const RULE = `| --- |${' ---: |'.repeat(TITLES.length - 1)}`;

const help = `npm run verdicts -- [options]

  --cases N     comparisons of each model (1000)
  --runs N      runs a side (5)
  --seconds N   of a run (30)
  --rate N      values a second (300)
  --seed N      of the random numbers (1)
  --filter TEXT only models whose name contains TEXT
  --real N      N runs of autocannon against a real server, and N beside a busy neighbour, of a third of the seconds each (0)
  --write       puts the table into docs/benchmarks.md
`;

const { values: options } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    filter: { type: 'string', default: '' },
    real: { type: 'string', default: '0' },
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
  const shape = {
    cases: readNumber('cases', 1),
    runs: readNumber('runs', 2),
    seconds: readNumber('seconds', 1),
    rate: readNumber('rate', 1),
    seed: readNumber('seed', 0),
  };
  const models = [...Object.entries(LOAD_MODELS), ...(await realModels(shape))].filter(([name]) =>
    name.includes(options.filter),
  );
  if (models.length === 0) throw new Error(`no model matches "${options.filter}"`);
  const lines = [HEAD, RULE];
  console.log(lines.join('\n'));
  for (const [name, model] of models) {
    const line = rowOf(name, measureRates(model, shape));
    lines.push(line);
    console.log(line);
  }
  if (!options.write) return;
  const { cases, runs, seconds, rate } = shape;
  const title = `${cases} comparisons of each model; ${runs} + ${runs} runs of ${seconds} s, ${rate} values a second.`;
  // With a filter, the other rows stay.
  const stay = options.filter === '' ? [] : rowsBefore();
  const made = new Map(lines.map((line) => [nameOf(line), line]));
  const rows = new Map([...stay.map((line) => /** @type {const} */ ([nameOf(line), line])), ...made]);
  fillMarkers(DOCUMENT, MARK, `${title}\n\n${[...rows.values()].join('\n')}`);
}

const DOCUMENT = 'docs/benchmarks.md';
const MARK = 'verdicts';

/** The lines of the table that the document has now. */
function rowsBefore() {
  return readMarkers(DOCUMENT, MARK)
    .split('\n')
    .filter((line) => line.startsWith('|'));
}

/** @param {string} line */
function nameOf(line) {
  return line.split('|')[1] ?? '';
}

/**
 * @param {{ seconds: number, rate: number }} shape
 * @returns {Promise<[name: string, model: Model][]>}
 */
async function realModels({ seconds, rate }) {
  const runs = readNumber('real', 0);
  if (runs === 0) return [];
  const partSeconds = Math.ceil(seconds / 3);
  /** @type {[string, Model][]} */
  const found = [];
  for (const hasNeighbour of [false, true]) {
    const pool = await measureRealRuns({ runs, seconds: partSeconds, rate, hasNeighbour });
    found.push([`autocannon${hasNeighbour ? ', busy neighbour' : ''}`, drawFrom(pool, partSeconds)]);
  }
  return found;
}

/**
 * @param {string} name
 * @param {Rates} rates
 */
function rowOf(name, { shown, ...rates }) {
  const cells = [
    name,
    percent(rates.falseAlarms),
    ...rates.tenPercent.map(percent),
    percent(rates.twentyPercent),
    `+${(shown * 100).toPrecision(2)} %`,
    percent(rates.smallest),
    percent(rates.oneRun),
    percent(rates.judged),
    percent(rates.tTest),
    percent(rates.mannWhitney),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** @param {Share} share */
function percent({ cases, hits }) {
  const part = (hits / cases) * 100;
  return `${part === 0 || part >= 10 ? part.toFixed(0) : part.toFixed(1)} %`;
}

/**
 * @param {'cases' | 'runs' | 'seconds' | 'rate' | 'seed' | 'real'} name
 * @param {number} from
 */
function readNumber(name, from) {
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= from) return value;
  throw new Error(`--${name} must be an integer of at least ${from}, got ${options[name]}`);
}
