/**
 * `npm run crowd`: a crowd of clients keeps connections to the metrics and to the live page of a busy service, while a scraper and a
 * browser that behave well ask for them. Fails when one of their answers takes too long in each of three rounds, or when the service
 * holds more bytes for the crowd than its limit.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { buildPackages } from '../lib/build-packages.js';
import { readOptions } from '../lib/options.js';
import { table } from '../lib/table.js';
import { Crowd, kinds } from './crowd.js';

const options = readOptions('npm run crowd --', {
  seconds: { help: 'how long the crowd stays', least: 1, default: 15 },
  series: { help: 'series of the service', least: 1, isWhole: true, default: 5000 },
  'no-build': { flag: 'runs the packages as they were built last' },
});

/** The most for an answer, without the time in which other processes had the processors: see `queuedMs`. */
const MOST_MS = 2000;
/** A slow machine may take longer: so many times as long as without the crowd. */
const MOST_TIMES = 4;
/** On a machine with several times more work than processors, also the queues of the crowd itself are longer. */
const MOST_ROUNDS = 3;
const QUIET_SECONDS = 5;
const MIB = 2 ** 20;
/** The limit `pendingBytes` of both servers. */
const pendingBytes = 2 * 64 * MIB;

/**
 * @typedef {object} Memory
 * @property {number} liveBytes After a collection of garbage.
 * @property {number} longestBlockMs Of the event loop, since the last message.
 */

process.exitCode = (await main()) ? 0 : 1;

async function main() {
  if (!options['no-build']) buildPackages(['hdrscope']);
  for (let round = 1; ; round++) {
    const { late, failures } = await measure();
    for (const failure of failures) console.log(`FAILED: ${failure}`);
    if (failures.size > 0) return false;
    if (late.length === 0) return true;
    for (const each of late) console.log(`${round < MOST_ROUNDS ? 'late' : 'FAILED'}: ${each}`);
    if (round === MOST_ROUNDS) return false;
    console.log('Once more, as the machine may have been busy.\n');
  }
}

async function measure() {
  const service = fork(new URL('./service.js', import.meta.url), [String(options.series)], {
    execArgv: ['--expose-gc'],
  });
  try {
    /** @type {[{ scrape: number, page: number }]} */
    const [ports] = /** @type {any} */ (await once(service, 'message'));
    const before = await phase(service, ports, [], QUIET_SECONDS);
    const crowd = new Crowd(ports);
    const busy = await phase(service, ports, [crowd], options.seconds);
    const counts = crowd.end();
    // The history of the page grows in all phases, and is not for the crowd.
    const after = await phase(service, ports, [], QUIET_SECONDS);
    return report(before, busy, after, counts);
  } finally {
    service.kill();
  }
}

/**
 * @param {import('node:child_process').ChildProcess} service
 * @param {{ scrape: number, page: number }} ports
 * @param {readonly Crowd[]} crowds
 * @param {number} seconds
 */
async function phase(service, ports, crowds, seconds) {
  /** @type {Memory[]} */
  const memory = [];
  service.on('message', (/** @type {any} */ message) => memory.push(message));
  for (const crowd of crowds) crowd.begin();
  // In a thread: the crowd is work, too.
  const honest = new Worker(new URL('./honest-worker.js', import.meta.url), {
    workerData: { ...ports, seconds, pid: service.pid },
  });
  /** @type {[{ scrape: readonly Asked[], page: readonly Asked[] }]} */
  const [asked] = /** @type {any} */ (await once(honest, 'message'));
  service.removeAllListeners('message');
  return { asked, memory };
}

/**
 * @typedef {object} Asked
 * @property {number} ms
 * @property {number} queuedMs How long of it the service was ready to run while other threads had all processors.
 * @property {string} result `ok`, or what went wrong.
 */

/**
 * @param {Awaited<ReturnType<typeof phase>>} before
 * @param {Awaited<ReturnType<typeof phase>>} busy
 * @param {Awaited<ReturnType<typeof phase>>} after
 * @param {Readonly<Record<string, { opened: number, closed: number }>>} counts
 */
function report(before, busy, after, counts) {
  /** @type {Set<string>} */
  const failures = new Set();
  const late = [];
  const rows = [['answers to', 'asked', 'longest alone', 'longest in the crowd', 'less queues', 'failed']];
  for (const way of /** @type {const} */ (['scrape', 'page'])) {
    const failed = busy.asked[way].filter(({ result }) => result !== 'ok');
    const aloneMs = longest(before.asked[way]);
    const busyMs = longest(busy.asked[way]);
    const count = busy.asked[way].length;
    rows.push(
      [way, count, ms(aloneMs.wall), ms(busyMs.wall), ms(busyMs.lessQueues), failed.length].map(String),
    );
    for (const { result } of failed) failures.add(`${way}: ${result}`);
    const mostMs = Math.max(MOST_MS, MOST_TIMES * aloneMs.lessQueues);
    if (busyMs.lessQueues > mostMs)
      late.push(`${way}: an answer took ${ms(busyMs.lessQueues)}, at most ${ms(mostMs)}`);
    if (count === 0) failures.add(`${way}: nothing was asked`);
  }
  const aloneBytes = Math.max(mostLive(before), mostLive(after));
  const grown = mostLive(busy) - aloneBytes;
  if (!(grown <= pendingBytes))
    failures.add(`memory has grown by ${mib(grown)}, at most ${mib(pendingBytes)}`);
  const blockMs = Math.max(...busy.memory.map(({ longestBlockMs }) => longestBlockMs));
  console.log(table(rows));
  console.log(
    table([
      ['the crowd', 'at once', 'opened', 'closed by the service'],
      ...kinds.map(({ name, count }) =>
        [name, count, counts[name]?.opened, counts[name]?.closed].map(String),
      ),
    ]),
  );
  console.log(
    `live memory: ${mib(mostLive(before))} before the crowd, ${mib(mostLive(busy))} in it, ${mib(mostLive(after))} after it; ` +
      `the limit of bytes is ${mib(pendingBytes)}`,
  );
  console.log(`longest block of the event loop in the crowd: ${ms(blockMs)}`);
  return { late, failures };
}

/** @param {readonly Asked[]} asked */
function longest(asked) {
  return {
    wall: Math.max(0, ...asked.map(({ ms: each }) => each)),
    lessQueues: Math.max(0, ...asked.map(({ ms: each, queuedMs }) => each - queuedMs)),
  };
}

/** @param {Awaited<ReturnType<typeof phase>>} measured */
function mostLive({ memory }) {
  return Math.max(...memory.map(({ liveBytes }) => liveBytes));
}

/** @param {number} value */
function ms(value) {
  return `${Math.round(value)} ms`;
}

/** @param {number} bytes */
function mib(bytes) {
  return `${Math.round(bytes / MIB)} MiB`;
}
