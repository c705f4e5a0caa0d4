/**
 * `npm run in-service`: what metrics cost the answers of a service. A service of Fastify gets requests in an open loop while its metrics
 * are collected each five seconds, and `compareRuns` judges each way of counting against none.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { compareRuns, Histogram } from '@hdrscope/core';
import { packagesOf } from '../bench/open-telemetry.js';
import { fillMarkers } from '../lib/markers.js';
import { readOptions, runTool } from '../lib/options.js';
import { capacity, openLoop } from './load.js';
import { SUBJECTS } from './subjects.js';

/** @import { Subject } from './subjects.js' */

const { rounds, seconds, ...options } = readOptions('npm run in-service --', {
  rounds: { help: 'runs of each subject', least: 2, isWhole: true, default: 4 },
  seconds: { help: 'length of a run', least: 10, isWhole: true, default: 20 },
  series: { text: 'LIST', help: 'series of the service', default: '500,5000' },
  loads: {
    text: 'LIST',
    help: 'rates of requests, in percent of what the service without metrics answers',
    default: '50,70',
  },
  only: { text: 'TEXT', help: 'only "no metrics" and the subjects whose names have this text' },
  write: { flag: 'puts the table into docs/benchmarks.md' },
});

const PERCENTILES = [50, 99];
const NONE = /** @type {Subject} */ (SUBJECTS[0]);
/** Before its measured time, a service is compiled, and its metrics are collected once. */
const WARM_UP_SECONDS = 6;

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
  const place = { collector, otlpUrl };
  const most = await measureCapacity(NONE, place);
  const rows = [TITLES, TITLES.map((_, column) => (column < 2 ? '---' : '--:'))];
  for (const load of options.loads.split(',')) {
    for (const series of options.series.split(',')) {
      const rate = Math.round((most * integer('loads', load, 1)) / 100);
      const shape = { rate, seconds, series: integer('series', series, 1) };
      const found = await measureAll(subjects, shape, rounds, place);
      rows.push(...makeRows(found, `${load} %, ${shape.series}`));
    }
  }
  await collector.terminate();
  const text = [
    `Node.js ${process.versions.node}, ${availableParallelism()} cores; the service without metrics answers ${Math.round(most)} requests a second; ${rounds} runs of ${seconds} s each`,
    rows.map((row) => `| ${row.join(' | ')} |`).join('\n'),
  ].join('\n\n');
  console.log(text);
  if (options.write) fillMarkers('docs/benchmarks.md', 'in-service', text);
}

/**
 * @typedef {object} Place
 * @property {Worker} collector
 * @property {string} otlpUrl
 */

/**
 * @param {Subject} subject
 * @param {Place} place
 */
async function measureCapacity(subject, place) {
  const service = await startService(subject, 1, place);
  const rate = await capacity({ port: service.port, seconds: 4 });
  service.end();
  return rate;
}

/**
 * Measures all subjects in rounds, each in the other order than the one before, so that a machine that becomes slower meets all of them.
 *
 * @param {readonly Subject[]} subjects
 * @param {{ rate: number, seconds: number, series: number }} shape
 * @param {number} rounds
 * @param {Place} place
 */
async function measureAll(subjects, shape, rounds, place) {
  const found = new Map(subjects.map((subject) => [subject, /** @type {Measured[]} */ ([])]));
  for (let round = 0; round < rounds; round++) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      found.get(subject)?.push(await measureRun(subject, shape, place, round));
    }
  }
  return found;
}

/**
 * @param {Subject} subject
 * @param {{ rate: number, seconds: number, series: number }} shape
 * @param {Place} place
 * @param {number} seed
 * @returns {Promise<Measured>}
 */
async function measureRun(subject, { rate, seconds, series }, place, seed) {
  const service = await startService(subject, series, place);
  await collectFrom(place, service.url);
  await openLoop({ port: service.port, rate, seconds: WARM_UP_SECONDS, seed: 1000 + seed });
  await service.use();
  const stretches = await openLoop({ port: service.port, rate, seconds, seed });
  const { processorMs, memoryMb } = await service.use();
  const collections = await collectFrom(place, undefined);
  service.end();
  // A service whose metrics do not come would have the best times.
  if (subject.way !== undefined && collections < seconds / 5 - 1) {
    throw new Error(`${subject.name}, ${subject.way}: ${collections} collections in ${seconds} s`);
  }
  const values = new Histogram({ highestTrackableValue: 120_000_000, significantDigits: 3 });
  for (const stretch of stretches) values.add(stretch);
  return { values, stretches, processorShare: processorMs / 1000 / seconds, memoryMb };
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
 * @param {Subject} subject
 * @param {number} series
 * @param {Place} place
 */
async function startService(subject, series, { otlpUrl }) {
  const program = fileURLToPath(new URL('./service.js', import.meta.url));
  const child = fork(program, [String(SUBJECTS.indexOf(subject)), String(series), otlpUrl]);
  const [{ port, url }] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${subject.name} did not start`))),
  ]);
  return {
    port,
    url,
    async use() {
      child.send('use');
      return (await once(child, 'message'))[0];
    },
    end: () => child.kill(),
  };
}

/**
 * @param {ReadonlyMap<Subject, readonly Measured[]>} found
 * @param {string} shape
 */
function makeRows(found, shape) {
  const none = found.get(NONE) ?? [];
  return [...found].map(([{ name, way }, runs]) => {
    const of = (/** @type {(run: Measured) => number} */ figure) => median(runs.map(figure));
    const ms = (/** @type {number} */ percentile) =>
      of(({ values }) => values.valueAtPercentile(percentile) / 1000).toPrecision(3);
    const change =
      runs === none ? undefined : compareRuns(none, runs, { percentiles: PERCENTILES }).percentiles[1];
    return [
      shape,
      way === undefined ? name : `${name}, ${way}`,
      ...[50, 99, 99.9].map(ms),
      change === undefined ? '' : changeText(change),
      `${(100 * of(({ processorShare }) => processorShare)).toFixed(0)} %`,
      of(({ memoryMb }) => memoryMb).toFixed(0),
    ];
  });
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
