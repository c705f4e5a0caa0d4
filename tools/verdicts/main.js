/**
 * `npm run verdicts`: simulates load tests of equal and of slower programs, and prints how often `compareRuns` calls them worse, and how
 * often `findChanges` finds the build that made a program slower.
 */
import { parseArgs } from 'node:util';
import { LOAD_MODELS } from '@hdrscope/testing/load-models';
import { fillMarkers, readMarkers } from '../lib/markers.js';
import { findOtava, measureChanges } from './changes.js';
import { drawFrom, measureRealRuns } from './real.js';
import { measureRates, PERCENTILES } from './simulate.js';

/** @import { Model } from '@hdrscope/testing/load-models' */
/** @import { Found } from './changes.js' */
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
/** @type {readonly [title: string, textOf: (found: Found) => string][]} */
const CHANGE_COLUMNS = [
  ['false alarms', ({ falseAlarms }) => percent(falseAlarms)],
  ['+10 % in the middle', ({ middle }) => percent(middle)],
  ['distance', ({ distance: { cases, sum } }) => (cases === 0 ? '-' : (sum / cases).toFixed(2))],
  ['newest four', ({ newest }) => percent(newest)],
  ['undone', ({ undone }) => percent(undone)],
  ['one alone', ({ alone }) => percent(alone)],
];
const DOCUMENT = 'docs/benchmarks.md';
const CHANGE_TITLES = ['model', ...CHANGE_COLUMNS.flatMap(([title]) => [title, 'Otava'])];

const help = `npm run verdicts -- [options]

  --cases N     comparisons of each model (1000)
  --runs N      runs a side (5)
  --seconds N   of a run (30)
  --rate N      values a second (300)
  --series N    series of 30 builds of each model (300)
  --part PART   only runs (two sides of runs) or builds (changes over builds)
  --seed N      of the random numbers (1)
  --filter TEXT only models whose name contains TEXT
  --real N      N runs of autocannon against a real server, and N beside a busy neighbour, of a third of the seconds each, as sides of runs (0)
  --write       puts the tables into docs/benchmarks.md; with --filter, the other rows stay
`;

const { values: options } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '300' },
    series: { type: 'string', default: '300' },
    part: { type: 'string', default: '' },
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
    series: readNumber('series', 1),
  };
  if (!['', 'runs', 'builds'].includes(options.part)) {
    throw new Error(`--part must be runs or builds, got "${options.part}"`);
  }
  const all = Object.entries(LOAD_MODELS);
  const real = options.part === 'builds' ? [] : await realModels(shape);
  const isWanted = (/** @type {readonly [string, unknown]} */ [name]) => name.includes(options.filter);
  const models = all.filter(isWanted);
  const ofRuns = [...models, ...real.filter(isWanted)];
  if (ofRuns.length === 0) throw new Error(`no model matches "${options.filter}"`);
  if (options.part !== 'builds') {
    const { cases, runs, seconds, rate } = shape;
    const title = `${cases} comparisons of each model; ${runs} + ${runs} runs of ${seconds} s, ${rate} values a second.`;
    print('verdicts', title, TITLES, ofRuns, (name, model) => rowOf(name, measureRates(model, shape)));
  }
  if (options.part !== 'runs' && models.length > 0) printChanges(models, shape);
}

/**
 * @param {string} marker
 * @param {string} title
 * @param {readonly string[]} titles
 * @param {readonly [string, Model][]} models
 * @param {(name: string, model: Model) => string} rowFor
 */
function print(marker, title, titles, models, rowFor) {
  const lines = [`| ${titles.join(' | ')} |`, `| --- |${' ---: |'.repeat(titles.length - 1)}`];
  console.log(lines.join('\n'));
  for (const [name, model] of models) {
    const line = rowFor(name, model);
    lines.push(line);
    console.log(line);
  }
  if (!options.write) return;
  const stay = options.filter === '' ? [] : rowsBefore(marker);
  const made = new Map(lines.map((line) => [nameOf(line), line]));
  const rows = new Map([...stay.map((line) => /** @type {const} */ ([nameOf(line), line])), ...made]);
  fillMarkers(DOCUMENT, marker, `${title}\n\n${[...rows.values()].join('\n')}`);
}

/** The lines of a table that the document has now. @param {string} marker */
function rowsBefore(marker) {
  return readMarkers(DOCUMENT, marker)
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
 * @param {readonly [string, Model][]} models
 * @param {{ series: number, seconds: number, rate: number, seed: number }} shape
 */
function printChanges(models, shape) {
  const otava = findOtava();
  if (otava === undefined) {
    console.log('Apache Otava is not installed, so its columns are empty: node tools/peers/install.js otava');
  }
  const { series, seconds, rate } = shape;
  const title = `${series} series of each model; 30 builds with a run of ${seconds} s each, ${rate} values a second.`;
  print('changes', title, CHANGE_TITLES, models, (name, model) => {
    const { ours, otavas } = measureChanges(model, shape, otava);
    const cells = CHANGE_COLUMNS.flatMap(([, textOf]) => [textOf(ours), otavas ? textOf(otavas) : '-']);
    return `| ${[name, ...cells].join(' | ')} |`;
  });
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
 * @param {'cases' | 'runs' | 'seconds' | 'rate' | 'series' | 'seed' | 'real'} name
 * @param {number} from
 */
function readNumber(name, from) {
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= from) return value;
  throw new Error(`--${name} must be an integer of at least ${from}, got ${options[name]}`);
}
