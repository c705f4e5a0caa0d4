/**
 * `npm run in-service`: what metrics cost the answers of a service. A service of Fastify gets requests in an open loop while its metrics
 * are collected each five seconds, and `compareRuns` judges each way of counting against none.
 *
 * A service is started for some runs, which follow one another without a pause, and then ended: V8 would adapt the heap of one that stood still
 * meanwhile, and would then collect garbage more often. Where a process can choose its processors, the service has one of its own: those who ask
 * and collect take none of its time.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { compareRuns, Histogram } from '@hdrscope/core';
import { curveOf } from '@hdrscope/plot';
import { renderSvg } from '@hdrscope/plot/render';
import { packagesOf } from '../bench/open-telemetry.js';
import { fillMarkers } from '../lib/markers.js';
import { readOptions, runTool } from '../lib/options.js';
import { workspaceRoot } from '../lib/workspace.js';
import { capacity, openLoop, RANGE } from './load.js';
import { divideProcessors, startService } from './processes.js';
import { SUBJECTS } from './subjects.js';

/** @import { Subject } from './subjects.js' */

const { rounds, peers, runs, seconds, ...options } = readOptions('npm run in-service --', {
  rounds: { help: 'services without metrics, and with hdrscope', least: 1, isWhole: true, default: 4 },
  peers: { help: 'services with each of the others', least: 1, isWhole: true, default: 1 },
  runs: { help: 'runs of a service', least: 2, isWhole: true, default: 4 },
  seconds: { help: 'length of a run', least: 10, isWhole: true, default: 10 },
  series: { text: 'LIST', help: 'series of the service', default: '500,5000' },
  loads: {
    text: 'LIST',
    help: 'rates of requests, in percent of what the service without metrics answers',
    default: '50,70',
  },
  only: { text: 'TEXT', help: 'only "no metrics" and the subjects whose names have this text' },
  write: { flag: 'puts the table into docs/benchmarks.md, and draws the curves of its last load and series' },
});

const PERCENTILES = [50, 99];
const PICTURE = join(workspaceRoot, 'docs/pictures/in-service.svg');
/** The width of the picture. A curve is read off its histogram at each pixel. */
const WIDTH = 920;
const NONE = /** @type {Subject} */ (SUBJECTS[0]);
/** After its start, a service is compiled, its metrics are collected some times, and its heap grows to the size that it keeps. */
const WARM_UP_SECONDS = 40;

const TITLES = [
  'load, series',
  'metrics',
  'p50, ms',
  'p99, ms',
  'p99.9, ms',
  'change of p99 (99 % interval)',
  'processor',
  'memory, MB',
];

/**
 * @typedef {object} Measured
 * @property {Histogram} values
 * @property {readonly Histogram[]} stretches
 * @property {number} processorShare of one processor
 * @property {number} memoryMb
 */

await runTool(main);

async function main() {
  if (packagesOf('node-services') === undefined) throw new Error('node tools/peers/install.js node-services');
  const subjects = SUBJECTS.filter(({ name, way, peer }) => {
    if (peer !== undefined && packagesOf(peer) === undefined) {
      console.log(`skipped: ${name}: node tools/peers/install.js ${peer}`);
      return false;
    }
    return way === undefined || name.includes(options.only);
  });
  const collector = new Worker(new URL('./collector.js', import.meta.url));
  const [otlpUrl] = await once(collector, 'message');
  const cores = availableParallelism();
  const place = { collector, otlpUrl, processor: divideProcessors() };
  const most = await measureCapacity(NONE, place);
  const rows = [TITLES, TITLES.map((_, column) => (column < 2 ? '---' : '--:'))];
  for (const load of options.loads.split(',')) {
    for (const series of options.series.split(',')) {
      const rate = Math.round((most * integer('loads', load, 1)) / 100);
      const found = await measureAll(subjects, { rate, series: integer('series', series, 1) }, place);
      rows.push(...makeRows(found, `${load} %, ${series}`));
      console.log(rows.slice(-subjects.length).map(formatRow).join('\n'));
      if (options.write) writeFileSync(PICTURE, drawCurves(found, load, series));
    }
  }
  await collector.terminate();
  const own = place.processor === undefined ? '' : ', one of them for the service alone';
  const text = [
    `Node.js ${process.versions.node}, ${cores} cores${own}; the service without metrics answers ${Math.round(most)} requests a second; ${rounds} services with ${runs} runs of ${seconds} s, ${peers} of each peer`,
    rows.map(formatRow).join('\n'),
  ].join('\n\n');
  console.log(text);
  if (options.write) fillMarkers('docs/benchmarks.md', 'in-service', text);
}

/** @param {readonly string[]} cells */
function formatRow(cells) {
  return `| ${cells.join(' | ')} |`;
}

/**
 * @typedef {object} Place
 * @property {Worker} collector
 * @property {string} otlpUrl
 * @property {number | undefined} processor The one of the services.
 */

/**
 * @param {Subject} subject
 * @param {number} series
 * @param {Place} place
 */
function startSubject(subject, series, { otlpUrl, processor }) {
  return startService(SUBJECTS.indexOf(subject), series, otlpUrl, processor);
}

/**
 * @param {Subject} subject
 * @param {Place} place
 */
async function measureCapacity(subject, place) {
  const service = await startSubject(subject, 1, place);
  const rate = await capacity({ port: service.port, seconds: 4 });
  service.end();
  return rate;
}

/**
 * Measures all subjects in rounds, each in the other order than the one before, so that a machine that becomes slower meets all of them.
 * Peers have fewer rounds, spread over all of them.
 *
 * @param {readonly Subject[]} subjects
 * @param {{ rate: number, series: number }} shape
 * @param {Place} place
 */
async function measureAll(subjects, shape, place) {
  const found = new Map(subjects.map((subject) => [subject, /** @type {Measured[]} */ ([])]));
  for (let round = 0; round < rounds; round++) {
    const others = (round * peers) % rounds < peers;
    const chosen = subjects.filter((subject) => others || isOurs(subject));
    for (const subject of round % 2 === 0 ? chosen : chosen.toReversed()) {
      found.get(subject)?.push(...(await measureService(subject, shape, place, round)));
    }
  }
  return found;
}

/** @param {Subject} subject */
function isOurs({ name, way }) {
  return way === undefined || name === 'hdrscope';
}

/**
 * The runs of a service.
 *
 * @param {Subject} subject
 * @param {{ rate: number, series: number }} shape
 * @param {Place} place
 * @param {number} round
 * @returns {Promise<Measured[]>}
 */
async function measureService(subject, { rate, series }, place, round) {
  const service = await startSubject(subject, series, place);
  try {
    const { port, url } = service;
    await collectFrom(place, url);
    await openLoop({ port, rate, seconds: WARM_UP_SECONDS, seed: 1000 + round });
    await collectFrom(place, url);
    await service.use();
    const stretches = await openLoop({ port, rate, seconds: runs * seconds, seed: round });
    const { processorMs, memoryMb } = await service.use();
    const collections = await collectFrom(place, undefined);
    // A service whose metrics do not come would have the best times.
    if (subject.way !== undefined && collections < (runs * seconds) / 5 - 1) {
      throw new Error(`${subject.name}, ${subject.way}: ${collections} collections in ${runs * seconds} s`);
    }
    const processorShare = processorMs / 1000 / (runs * seconds);
    return Array.from({ length: runs }, (_, run) => {
      const own = stretches.slice(run * seconds, (run + 1) * seconds);
      const values = new Histogram(RANGE);
      for (const stretch of own) values.add(stretch);
      return { values, stretches: own, processorShare, memoryMb };
    });
  } finally {
    service.end();
  }
}

/**
 * @param {Place} place
 * @param {string | undefined} url
 * @returns {Promise<number>} how often metrics were collected since the call before
 */
async function collectFrom({ collector }, url) {
  collector.postMessage(url);
  const [count] = await once(collector, 'message');
  return count;
}

/**
 * @param {ReadonlyMap<Subject, readonly Measured[]>} found
 * @param {string} shape
 */
function makeRows(found, shape) {
  const none = found.get(NONE) ?? [];
  return [...found].map(([subject, measured]) => {
    const of = (/** @type {(run: Measured) => number} */ figure) => median(measured.map(figure));
    const ms = (/** @type {number} */ percentile) =>
      of(({ values }) => values.valueAtPercentile(percentile) / 1000).toPrecision(3);
    const change =
      measured === none
        ? undefined
        : compareRuns(none, measured, { percentiles: PERCENTILES }).percentiles[1];
    return [
      shape,
      formatSubject(subject),
      ...[50, 99, 99.9].map(ms),
      change === undefined ? '' : changeText(change),
      `${(100 * of(({ processorShare }) => processorShare)).toFixed(0)} %`,
      of(({ memoryMb }) => memoryMb).toFixed(0),
    ];
  });
}

/**
 * The answers of all runs of each subject, by percentile.
 *
 * @param {ReadonlyMap<Subject, readonly Measured[]>} found
 * @param {string} load
 * @param {string} series
 */
function drawCurves(found, load, series) {
  const curves = [...found].map(([subject, measured]) => {
    const all = new Histogram(RANGE);
    for (const { values } of measured) all.add(values);
    return curveOf(formatSubject(subject), all, { columns: WIDTH });
  });
  const title = `Answers of a service at ${load} % of its capacity, with ${series} series`;
  return renderSvg({ kind: 'percentiles', title, unit: 'us', curves }, { width: WIDTH, height: 460 });
}

/** @param {Subject} subject */
function formatSubject({ name, way }) {
  return way === undefined ? name : `${name}, ${way}`;
}

/** @param {import('@hdrscope/core').RunsComparison['percentiles'][number]} change */
function changeText({ relative, relativeInterval: { lower, upper }, change }) {
  // On an uneven machine, few runs exclude nothing.
  if (change === 'cannot be judged' || upper > 10) return 'cannot be judged';
  const text = (/** @type {number} */ part) => `${part < 0 ? '−' : '+'}${Math.abs(100 * part).toFixed(1)} %`;
  return `${text(relative)} (${text(lower)} to ${text(upper)})`;
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ index) => sorted[index] ?? Number.NaN;
  return (at((sorted.length - 1) >> 1) + at(sorted.length >> 1)) / 2;
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} least
 */
function integer(name, text, least) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(`--${name} takes integers from ${least}, got '${text}'`);
}
