/**
 * `npm run fleet`: a fleet of hosts whose counts are known sends OTLP through gateways into a history, which is compacted, rolled up over
 * the hosts, and asked by every engine that is installed. Every answer must hold the truth. It prints what a row and a series-minute cost,
 * and what they cost at full size. `docs/benchmarks.md` describes it.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SENDERS } from '../bench/otlp-senders.js';
import { SOURCE_ARGUMENTS } from '../lib/import-source.js';
import { fillMarkers } from '../lib/markers.js';
import { readOptions, runTool } from '../lib/options.js';
import { Delivery } from './delivery.js';
import { Gateway } from './gateway.js';
import { Host, Truth } from './hosts.js';
import { findDifferences } from './questions.js';
import { costText, measuredText } from './report.js';

/** @import { Line } from './questions.js' */
/** @import { Measured, StepTime } from './report.js' */
/** @import { Step, StepFacts } from './step.js' */

const options = readOptions('npm run fleet --', {
  hosts: { help: 'how many hosts send', least: 1, isWhole: true, default: 1000 },
  series: { help: 'how many series a host has', least: 1, isWhole: true, default: 20 },
  minutes: { help: 'how often each host sends', least: 1, isWhole: true, default: 10 },
  period: { help: 'how many seconds stand for a minute', least: 0.5, default: 5 },
  gateways: { help: 'how many gateways there are', least: 1, isWhole: true, default: 1 },
  protocol: { text: 'http|grpc', help: 'how hosts send', default: 'http' },
  drop: { flag: 'gateways drop the name of the host' },
  kill: { flag: 'a gateway is killed half-way, and another one starts in its place' },
  engines: {
    text: 'NAMES',
    help: 'which engines are asked, besides the library; spark takes minutes',
    default: 'duckdb,clickhouse,postgres',
  },
  seed: { help: 'of the random numbers', least: 0, isWhole: true, default: 1 },
  folder: { text: 'FOLDER', help: 'where the history stays; without it, it is removed' },
  profile: { text: 'FOLDER', help: 'where gateways write profiles of their processors' },
  write: { flag: 'puts the figures into docs/benchmarks.md' },
});

const STEP = new URL('./step.js', import.meta.url).pathname;
const ENGINES = new URL('./engines.js', import.meta.url).pathname;
const QUESTIONS = [['http.route'], []];

await runTool(main);

async function main() {
  if (options.protocol !== 'http' && options.protocol !== 'grpc')
    throw new Error(`--protocol must be http or grpc, got '${options.protocol}'`);
  const work = mkdtempSync(join(tmpdir(), 'hdrscope-fleet-'));
  try {
    const folder = options.folder === '' ? join(work, 'history') : options.folder;
    mkdirSync(folder, { recursive: true });
    await measure(work, folder, options.protocol);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} work @param {string} folder @param {import('../bench/otlp-senders.js').Protocol} protocol */
async function measure(work, folder, protocol) {
  const { truth, risk, ...sent } = await fill(work, folder, protocol);
  const before = await run({ name: 'weigh', folder });
  /** @type {StepTime[]} */
  const steps = [];
  const step = async (/** @type {string} */ title, /** @type {Step} */ task) => {
    const facts = await run(task);
    steps.push({ title, ...facts });
    return facts;
  };
  const problems = [];
  /** How many values answers have, by what was asked. @type {Map<string, number | undefined>} */
  const counts = new Map();
  const hosts = join(work, 'hosts');
  const fleet = join(work, 'fleet');
  const ask = async (/** @type {string} */ title, /** @type {string} */ place) => {
    for (const by of QUESTIONS) {
      const { lines = [] } = await step(`${title}${by.length > 0 ? ', by route' : ''}`, {
        ...{ name: 'ask', folder: place, by },
      });
      problems.push(...findDifferences(lines, truth, by.length > 0, risk).map((one) => `${title}: ${one}`));
      if (by.length === 0) counts.set(title, lines[0]?.count);
    }
  };
  await ask('ask the files as they were written', folder);
  await step('compact', { name: 'compact', folder });
  const compacted = await run({ name: 'weigh', folder });
  await ask('ask the compacted files', folder);
  await step('roll up by the hour', { name: 'rollup', folder, into: hosts });
  await step('roll up by the hour, over hosts', { name: 'drop', folder, into: fleet });
  await ask('ask the hours of hosts', hosts);
  await ask('ask the hours of the fleet', fleet);
  const rollups = [];
  for (const of of [hosts, fleet]) {
    const { rows = 0, bytes = 0 } = await run({ name: 'weigh', folder: of });
    rollups.push({ rows, bytes });
  }
  for (const engine of options.engines.split(',').filter(Boolean)) {
    const answer = await askEngine(engine, folder).catch((/** @type {Error} */ error) => error);
    if (answer instanceof Error) {
      console.error(`${engine} is not asked: ${answer.message.split('\n')[0]}`);
      continue;
    }
    steps.push({ title: `${engine}: load and ask both questions`, seconds: answer.seconds });
    for (const [i, lines] of answer.answers.entries())
      problems.push(...findDifferences(lines, truth, i === 0, risk).map((one) => `${engine}: ${one}`));
    counts.set(engine, answer.answers[1]?.[0]?.count);
  }
  if (new Set(counts.values()).size > 1)
    problems.push(`answers differ: ${[...counts].map(([title, count]) => `${title}: ${count}`).join(', ')}`);
  /** @type {Measured} */
  const measured = {
    ...{ hosts: options.hosts, series: options.series, minutes: options.minutes, gateways: options.gateways },
    ...{ isDropped: options.drop, protocol, rows: compacted.rows ?? 0, steps, ...sent },
    files: before.files ?? 0,
    bytes: { written: before.bytes ?? 0, compacted: compacted.bytes ?? 0 },
    rollups,
  };
  const text = [
    `Node.js ${process.versions.node}, ${availableParallelism()} cores, which the hosts take part of`,
    measuredText(measured),
    costText(measured),
  ].join('\n\n');
  // The first gateway of two in one place has figures that nobody has read.
  if (options.kill) console.log(describeLoss(sent.values, risk, counts));
  else console.log(text);
  for (const problem of problems.slice(0, 20)) console.error(`WRONG: ${problem}`);
  if (problems.length > 0) throw new Error(`${problems.length} answers do not hold the truth`);
  console.log('\nAll answers hold the truth, and all counts are equal.');
  if (options.write && !options.kill)
    fillMarkers('docs/benchmarks.md', options.drop ? 'fleet-dropped' : 'fleet', text);
}

/** @param {number} sent @param {Truth} risk @param {ReadonlyMap<string, number | undefined>} counts */
function describeLoss(sent, risk, counts) {
  const atRisk = risk.counts.flatMap((one) => [...one]).reduce((sum, count) => sum + count, 0);
  const [answered = 0] = counts.values();
  return `A gateway was killed. Of ${sent} values, ${atRisk} were at risk, and ${sent - answered} are missing.`;
}

/**
 * Sends all minutes, and ends the gateways.
 *
 * @param {string} work @param {string} folder @param {import('../bench/otlp-senders.js').Protocol} protocol
 */
async function fill(work, folder, protocol) {
  const { hosts: count, series, minutes, period, seed, drop } = options;
  const nodeOptions = options.profile === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`];
  const gateways = await Promise.all(
    Array.from({ length: options.gateways }, (_, i) =>
      Gateway.start({
        ...{ folder, work, protocol, drop, nodeOptions, name: `gateway-${i + 1}` },
        intervalMs: period * 1000,
        series: Math.max(10_000, 2 * count * series),
      }),
    ),
  );
  try {
    const truth = new Truth(series);
    const nowMs = Date.now() + 1;
    const hosts = Array.from({ length: count }, (_, id) => new Host(id, { seed, routes: series, nowMs }));
    const killed = options.kill ? minutes >> 1 : undefined;
    const risk = new Truth(series);
    const delivery = new Delivery(
      gateways.map(({ port }) => SENDERS[protocol](port)),
      { seed, risk, killed },
    );
    const startMs = performance.now();
    let longestMs = 0;
    const idleSeconds = gateways.map(({ cpuSeconds }) => cpuSeconds);
    for (let minute = 0; minute < minutes; minute++) {
      await sleep(Math.max(2, startMs + minute * period * 1000 - performance.now()));
      const beganMs = performance.now();
      await delivery.minute(hosts, minute, Date.now(), truth);
      longestMs = Math.max(longestMs, performance.now() - beganMs);
      console.error(
        `minute ${minute + 1} of ${minutes} is sent, in ${Math.round(performance.now() - beganMs)} ms`,
      );
      if (minute !== killed) continue;
      await sleep(period * 500);
      gateways[0] = await /** @type {Gateway} */ (gateways[0]).replace();
      idleSeconds[0] = gateways[0].cpuSeconds;
    }
    await delivery.end();
    // The rows of the last intervals.
    await sleep(2.5 * period * 1000);
    const intake = gateways.map(({ cpuSeconds, peakBytes }, i) => ({
      cpuSeconds: cpuSeconds - Number(idleSeconds[i]),
      peakBytes,
    }));
    for (const gateway of gateways) await gateway.stop();
    const failures = gateways.flatMap(({ log }) =>
      log.split('\n').filter((line) => / failed|lost/.test(line)),
    );
    if (failures.length > 0) throw new Error(`a gateway has failed:\n${failures.join('\n')}`);
    const { requests, points, values, bytes: sentBytes, repeated, late, retries } = delivery;
    return { truth, risk, intake, longestMs, requests, points, values, sentBytes, repeated, late, retries };
  } finally {
    for (const gateway of gateways) gateway.kill();
  }
}

/**
 * Runs a step in a process of its own.
 *
 * @param {Step} step
 * @returns {Promise<StepFacts & { seconds: number, cpuSeconds: number, peakBytes: number }>}
 */
async function run(step) {
  return JSON.parse(await outputOf([...process.execArgv, STEP, JSON.stringify(step)]));
}

/** @param {string} engine @param {string} folder @returns {Promise<{ answers: Line[][], seconds: number }>} */
async function askEngine(engine, folder) {
  const args = [...SOURCE_ARGUMENTS, ENGINES, engine, folder, JSON.stringify(QUESTIONS)];
  return JSON.parse(await outputOf(args));
}

/** @param {readonly string[]} args @returns {Promise<string>} */
function outputOf(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors] = [child.stdout, child.stderr].map((stream) => {
    /** @type {string[]} */
    const texts = [];
    stream.setEncoding('utf8').on('data', (text) => texts.push(text));
    return texts;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(String(output?.join('')));
      else
        reject(
          new Error(/(?:Error: |got )(.*)/.exec(String(errors?.join('')))?.[0] ?? `it ended with ${code}`),
        );
    });
  });
}
