/**
 * `npm run verdicts`: simulates load tests of equal and of slower programs, and prints how often `compareRuns` calls them worse.
 */
import { parseArgs } from 'node:util';
import { LOAD_MODELS } from '@hdrscope/testing/load-models';
import { fillMarkers } from '../lib/markers.js';
import { measureRates, PERCENTILES } from './simulate.js';

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
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

try {
  if (options.help) console.log(help);
  else main();
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}

function main() {
  const shape = {
    cases: readNumber('cases', 1),
    runs: readNumber('runs', 2),
    seconds: readNumber('seconds', 1),
    rate: readNumber('rate', 1),
    seed: readNumber('seed', 0),
  };
  const models = Object.entries(LOAD_MODELS).filter(([name]) => name.includes(options.filter));
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
  fillMarkers('docs/benchmarks.md', 'verdicts', `${title}\n\n${lines.join('\n')}`);
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
 * @param {'cases' | 'runs' | 'seconds' | 'rate' | 'seed'} name
 * @param {number} from
 */
function readNumber(name, from) {
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= from) return value;
  throw new Error(`--${name} must be an integer of at least ${from}, got ${options[name]}`);
}
