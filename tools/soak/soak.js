/** Runs everything at once for a while, and then compares the counts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveDashboard } from '@hdrscope/dashboard';
import { openIntervalLog } from '@hdrscope/interval-log';
import { createHdr } from '@hdrscope/otel';
import { servePrometheus } from '@hdrscope/prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { startAttacker } from './attacker.js';
import { Clients } from './clients.js';
import { DelayMonitor } from './delay.js';
import { deltaReader } from './delta-reader.js';
import { Recorder, seriesCount } from './load.js';
import { readLog } from './log.js';
import { memoryOf } from './memory.js';
import { RecorderThread } from './recorder-thread.js';

/** @import { AttackReport } from './attacker.js' */
/** @import { MemorySample } from './memory.js' */

export const threadCount = 4;
export const perSecond = 20_000;

/** Samples of the memory. Each forces a collection of garbage in all threads, so there are few. */
const sampleCount = 20;
/** How long a busy machine may take for the last answers. */
const LONGEST_WAIT_MS = 60_000;

/**
 * The output of a registry in one way.
 *
 * @typedef {object} Output
 * @property {Float64Array} counts by series
 * @property {number[]} times of the answers, exports, intervals or updates, in milliseconds since 1970
 */

/**
 * A way out of the registry.
 *
 * @typedef {object} Way
 * @property {string} name
 * @property {Float64Array} counts by series
 * @property {number} ticks answers, exports, intervals or updates while values were recorded
 * @property {number} dropped ticks that did not come
 */

/**
 * @typedef {object} SoakReport
 * @property {number} seconds
 * @property {Float64Array} recorded values by series
 * @property {readonly Way[]} ways
 * @property {readonly number[]} scrapeMs durations of scrapes
 * @property {{ p50: number, p99: number, max: number }} delayMs of the event loop
 * @property {readonly MemorySample[]} memory
 * @property {readonly AttackReport[]} attacks empty when nobody attacked
 */

/**
 * @typedef {object} SoakOptions
 * @property {number} seconds
 * @property {boolean} attack whether somebody attacks the servers meanwhile
 * @property {(text: string) => void} onProgress
 */

/**
 * @param {SoakOptions} options
 * @returns {Promise<SoakReport>}
 */
export async function soak(options) {
  const directory = await mkdtemp(join(tmpdir(), 'soak-'));
  try {
    return await soakIn(directory, options);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/**
 * @param {string} directory
 * @param {SoakOptions} options
 * @returns {Promise<SoakReport>}
 */
async function soakIn(directory, { seconds, attack, onProgress }) {
  const hdr = createHdr({ views: [] });
  const { registry } = hdr;
  const readers = [deltaReader(1000), deltaReader(3000)];
  const provider = hdr.wrapProvider(
    new MeterProvider({ readers: readers.map(({ reader }) => hdr.wrapReader(reader)) }),
  );
  const path = join(directory, 'soak.hlog');
  const log = await openIntervalLog(registry, { path, intervalMs: 1000 });
  // The history of the page is complete after a fifth of the soak, so that its memory belongs to the warm-up.
  const dashboard = await serveDashboard(registry, { port: 0, historyMs: Math.max(10_000, seconds * 200) });
  const prometheus = await servePrometheus(registry, { host: '127.0.0.1', port: 0 });

  const perRecorder = perSecond / (threadCount + 1);
  const own = new Recorder(registry, perRecorder);
  const threads = Array.from({ length: threadCount }, () => new RecorderThread(registry, perRecorder));
  await Promise.all(threads.map(({ ready }) => ready));
  const clients = new Clients({
    scrapeUrl: `http://127.0.0.1:${prometheus.port}/metrics`,
    eventsUrl: new URL('events', dashboard.url).href,
  });
  const attacker = attack
    ? await startAttacker({ scrape: prometheus.port, page: dashboard.port })
    : undefined;
  for (const recorder of [own, ...threads]) recorder.start();
  const delay = new DelayMonitor();
  const fromMs = Date.now();
  const memory = await watch(seconds, threads, delay, onProgress);
  const toMs = Date.now();

  const attacks = (await attacker?.stop()) ?? [];
  // The recorders first, so that the last answer of each way out has every value.
  own.stop();
  const recorded = sumOf([own.counts, ...(await Promise.all(threads.map((thread) => thread.stop())))]);
  await lastCounts(registry);
  const { scrapes, page, scrapeMs } = await clients.finish();
  await provider.shutdown();
  await log.close();
  await dashboard.close();
  await prometheus.close();

  /** @type {(name: string, everyMs: number, output: Output) => Way} */
  const wayOf = (name, everyMs, { counts, times }) => {
    const ticks = times.filter((timeMs) => timeMs >= fromMs && timeMs <= toMs);
    return { name, counts, ticks: ticks.length, dropped: missingIn([fromMs, ...ticks, toMs], everyMs) };
  };
  return {
    seconds,
    recorded,
    ways: [
      wayOf('scrape, 1 s', 1000, scrapes),
      ...readers.map(({ everyMs, output }) => wayOf(`delta reader, ${everyMs / 1000} s`, everyMs, output)),
      wayOf('interval log, 1 s', 1000, await readLog(path)),
      wayOf('live page, 1 s', 1000, page),
    ],
    scrapeMs,
    delayMs: delay.delayMs,
    memory,
    attacks,
  };
}

/**
 * Ends when the last counts of all threads are in the registry. Readers share the answers of threads, so the next one may have an
 * answer from before the stop: only a gather that began when another one had ended has all. On a busy machine, a thread may take
 * longer than the limit for its answer.
 *
 * @param {import('@hdrscope/registry').Registry} registry
 */
async function lastCounts(registry) {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  for (let complete = 0; complete < 2 && Date.now() < deadlineMs; ) {
    const { errors } = await registry.gather();
    complete = errors.length === 0 ? complete + 1 : 0;
    if (errors.length > 0) await sleep(20);
  }
}

/**
 * Takes samples of the memory until the time is over. The collections of garbage before each sample do not count as delay of
 * the event loop.
 *
 * @param {number} seconds
 * @param {readonly RecorderThread[]} threads
 * @param {DelayMonitor} delay
 * @param {(text: string) => void} onProgress
 */
async function watch(seconds, threads, delay, onProgress) {
  /** @type {MemorySample[]} */
  const samples = [];
  const startMs = performance.now();
  delay.start();
  for (let i = 1; i <= sampleCount; i++) {
    await sleep(startMs + (seconds * 1000 * i) / sampleCount - performance.now());
    const timeMs = performance.now() - startMs;
    const resident = process.memoryUsage.rss();
    delay.pause();
    const main = memoryOf();
    delay.start();
    const ofThreads = await Promise.all(threads.map((thread) => thread.memory()));
    const workers = {
      live: ofThreads.reduce((sum, { live }) => sum + live, 0),
      reserved: ofThreads.reduce((sum, { reserved }) => sum + reserved, 0),
    };
    samples.push({ timeMs, main, workers, resident });
    onProgress(`${i} of ${sampleCount}: ${Math.round(resident / 1e6)} MB resident`);
  }
  delay.pause();
  return samples;
}

/** @param {readonly Float64Array[]} arrays */
function sumOf(arrays) {
  const sum = new Float64Array(seriesCount);
  for (const array of arrays) {
    for (const [i, one] of array.entries()) sum[i] = /** @type {number} */ (sum[i]) + one;
  }
  return sum;
}

/**
 * The number of ticks that are missing between others.
 *
 * @param {readonly number[]} times
 * @param {number} everyMs
 */
function missingIn(times, everyMs) {
  let missing = 0;
  for (let i = 1; i < times.length; i++) {
    const elapsedMs = /** @type {number} */ (times[i]) - /** @type {number} */ (times[i - 1]);
    missing += Math.max(0, Math.round(elapsedMs / everyMs) - 1);
  }
  return missing;
}
