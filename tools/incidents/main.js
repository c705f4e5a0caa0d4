/**
 * `npm run incidents`: generates incidents whose causes are known, and quiet times, and prints how often `explainSeries` names the cause.
 */
import { explainSeries } from '@hdrscope/history/internal';
import { BITS, INCIDENT_KINDS, judgeAnswer, QUIET_KINDS, SCALE } from '@hdrscope/testing/incidents';
import { fillMarkers } from '../lib/markers.js';
import { readOptions, runTool } from '../lib/options.js';

/** @import { GeneratedSeries, IncidentKind, QuietKind } from '@hdrscope/testing/incidents' */

const { cases, seed, filter, write } = readOptions('npm run incidents --', {
  cases: {
    help: 'incidents of each kind, and four times as many quiet times of each kind',
    least: 1,
    isWhole: true,
    default: 25,
  },
  seed: { help: 'the first seed of each kind', least: 1, isWhole: true, default: 1 },
  filter: { text: 'TEXT', help: 'only kinds whose name contains TEXT' },
  write: { flag: 'puts the table into docs/benchmarks.md' },
});

await runTool(main);

function main() {
  const isWanted = (/** @type {{ name: string }} */ { name }) => name.includes(filter);
  const [kinds, quiet] = [INCIDENT_KINDS.filter(isWanted), QUIET_KINDS.filter(isWanted)];
  if (kinds.length + quiet.length === 0) throw new Error(`no kind matches "${filter}"`);
  if (write && filter !== '') throw new Error('--write takes all kinds: leave out --filter');
  /** @type {string[]} */
  const lines = [];
  const print = (/** @type {string} */ line) => {
    lines.push(line);
    console.log(line);
  };
  if (kinds.length > 0) printIncidents(kinds, seedsFrom(seed, cases), print);
  if (quiet.length > 0) printQuiet(quiet, seedsFrom(seed, 4 * cases), print);
  if (write) fillMarkers('docs/benchmarks.md', 'incidents', lines.join('\n'));
}

/**
 * @param {number} first
 * @param {number} count
 */
function seedsFrom(first, count) {
  return Array.from({ length: count }, (_, i) => first + i);
}

/**
 * @param {readonly IncidentKind[]} kinds
 * @param {readonly number[]} seeds
 * @param {(line: string) => void} print
 */
function printIncidents(kinds, seeds, print) {
  const cases = seeds.length;
  print(`${cases} incidents of each kind.\n`);
  print('| incident | cause first | all causes | others too | ms |\n| --- | ---: | ---: | ---: | ---: |');
  let sum = 0;
  for (const kind of kinds) {
    const { first, all, others, ms } = measureIncidents(kind, seeds);
    sum += first;
    print(`| ${[kind.name, first, all, others, ms].join(' | ')} |`);
  }
  print(`| all ${cases * kinds.length} | ${sum}: ${percent(sum, cases * kinds.length)} | | | |`);
}

/**
 * @param {readonly QuietKind[]} kinds
 * @param {readonly number[]} seeds
 * @param {(line: string) => void} print
 */
function printQuiet(kinds, seeds, print) {
  const cases = seeds.length;
  print(`\n${cases} quiet times of each kind.\n`);
  print('| quiet time | a cause is named | nothing explains it | ms |\n| --- | ---: | ---: | ---: |');
  let sum = 0;
  for (const kind of kinds) {
    const { alarms, unexplained, ms } = measureQuiet(kind, seeds);
    sum += alarms;
    print(`| ${[kind.name, alarms, unexplained, ms].join(' | ')} |`);
  }
  print(`| all ${cases * kinds.length} | ${sum}: ${percent(sum, cases * kinds.length)} | | |`);
}

/**
 * @param {number} count
 * @param {number} all
 */
function percent(count, all) {
  return `${((count / all) * 100).toFixed(1)} %`;
}

/**
 * @param {IncidentKind} kind
 * @param {readonly number[]} seeds
 */
function measureIncidents({ percentile, generate }, seeds) {
  const found = { first: 0, all: 0, others: 0 };
  const times = [];
  for (const seed of seeds) {
    const { series, guilty } = generate(seed);
    const { answer, ms } = explain(series, percentile);
    times.push(ms);
    const { isFirstRight, areAllNamed, areOthersNamed } = judgeAnswer(answer, guilty);
    if (isFirstRight) found.first++;
    if (areAllNamed) found.all++;
    if (areOthersNamed) found.others++;
  }
  return { ...found, ms: median(times) };
}

/**
 * @param {QuietKind} kind
 * @param {readonly number[]} seeds
 */
function measureQuiet({ generate }, seeds) {
  const times = [];
  let [alarms, unexplained] = [0, 0];
  for (const seed of seeds) {
    const { answer, ms } = explain(generate(seed), 99.9);
    times.push(ms);
    if (answer.verdict === 'explained') alarms++;
    if (answer.verdict === 'nothing explains it') unexplained++;
  }
  return { alarms, unexplained, ms: median(times) };
}

/**
 * @param {readonly GeneratedSeries[]} series
 * @param {number} percentile
 */
function explain(series, percentile) {
  const startMs = performance.now();
  const answer = explainSeries(series, { percentile, bits: BITS, scale: SCALE });
  return { answer, ms: performance.now() - startMs };
}

/** @param {number[]} times */
function median(times) {
  times.sort((a, b) => a - b);
  return Math.round(times[times.length >> 1] ?? Number.NaN);
}
