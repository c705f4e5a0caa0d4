/**
 * `npm run verdicts`: simulates load tests of equal and of slower programs, and prints how often `compareRuns` calls them worse, and how
 * often `findChanges` finds the build that made a program slower.
 */
import { LOAD_MODELS } from '@hdrscope/testing/load-models';
import { fillMarkers, readMarkers } from '../lib/markers.js';
import { readOptions, runTool } from '../lib/options.js';
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

const options = readOptions('npm run verdicts --', {
  cases: { help: 'comparisons of each model', least: 1, isWhole: true, default: 1000 },
  runs: { help: 'runs a side', least: 2, isWhole: true, default: 5 },
  seconds: { help: 'of a run', least: 1, isWhole: true, default: 30 },
  rate: { help: 'values a second', least: 1, isWhole: true, default: 300 },
  series: { help: 'series of 30 builds of each model', least: 1, isWhole: true, default: 300 },
  part: { text: 'PART', help: 'only runs (two sides of runs) or builds (changes over builds)' },
  seed: { help: 'of the random numbers', least: 0, isWhole: true, default: 1 },
  filter: { text: 'TEXT', help: 'only models whose name contains TEXT' },
  real: {
    help: 'runs of autocannon against a real server, and as many beside a busy neighbour, of a third of the seconds each, as sides of runs',
    least: 0,
    isWhole: true,
    default: 0,
  },
  write: { flag: 'puts the tables into docs/benchmarks.md; with --filter, the other rows stay' },
});

await runTool(main);

async function main() {
  if (!['', 'runs', 'builds'].includes(options.part)) {
    throw new Error(`--part must be runs or builds, got "${options.part}"`);
  }
  const all = Object.entries(LOAD_MODELS);
  const real = options.part === 'builds' ? [] : await realModels();
  const isWanted = (/** @type {readonly [string, unknown]} */ [name]) => name.includes(options.filter);
  const models = all.filter(isWanted);
  const ofRuns = [...models, ...real.filter(isWanted)];
  if (ofRuns.length === 0) throw new Error(`no model matches "${options.filter}"`);
  if (options.part !== 'builds') {
    const { cases, runs, seconds, rate } = options;
    const title = `${cases} comparisons of each model; ${runs} + ${runs} runs of ${seconds} s, ${rate} values a second.`;
    print('verdicts', title, TITLES, ofRuns, (name, model) => rowOf(name, measureRates(model, options)));
  }
  if (options.part !== 'runs' && models.length > 0) printChanges(models);
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

/** @returns {Promise<[name: string, model: Model][]>} */
async function realModels() {
  const { real: runs, seconds, rate } = options;
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

/** @param {readonly [string, Model][]} models */
function printChanges(models) {
  const otava = findOtava();
  if (otava === undefined) {
    console.log('Apache Otava is not installed, so its columns are empty: node tools/peers/install.js otava');
  }
  const { series, seconds, rate } = options;
  const title = `${series} series of each model; 30 builds with a run of ${seconds} s each, ${rate} values a second.`;
  print('changes', title, CHANGE_TITLES, models, (name, model) => {
    const { ours, otavas } = measureChanges(model, options, otava);
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
