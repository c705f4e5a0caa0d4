/**
 * `npm run examples:data`: makes the files of this folder, or of another one: `node examples/data/make.js FOLDER`. Seeds and times
 * are fixed, so every run makes the same files. Needs a build (`npm run build`). README.md has a paragraph for each file.
 */
import '../../tools/lib/node-version.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatPercentiles, Histogram } from '@hdrscope/core';
import { kernelQuantile, queueDepthLayout, sumCpus } from '@hdrscope/ebpf';
import {
  FORMAT_VERSION_LINE,
  formatBaseTime,
  formatComment,
  formatInterval,
  formatSeriesTag,
  formatStartTime,
  LEGEND_LINE,
} from '@hdrscope/interval-log';
import { Random } from '../../tools/lib/random.js';

const MS = 1e6; // nanoseconds

/** @param {Random} random */
function uniform(random) {
  return (random.next() + 1) / 2 ** 32; // in (0, 1]
}

/**
 * A log-normal value, by the method of Box and Muller.
 *
 * @param {Random} random
 * @param {number} median
 * @param {number} sigma
 */
function logNormal(random, median, sigma) {
  const normal = Math.sqrt(-2 * Math.log(uniform(random))) * Math.cos(2 * Math.PI * uniform(random));
  return median * Math.exp(sigma * normal);
}

/**
 * The latencies of 5,000 requests in milliseconds, one per line.
 *
 * @param {number} seed
 * @param {number} medianMs
 */
function latencyText(seed, medianMs) {
  const random = new Random(seed);
  return Array.from({ length: 5000 }, () => `${logNormal(random, medianMs, 0.6).toFixed(2)}\n`).join('');
}

/**
 * The access log of a shop behind nginx: the combined format with the time of the request. A cart is slow now and then, and some
 * payments fail.
 */
function accessLog() {
  const random = new Random(11);
  const routes = /** @type {const} */ ([
    [0.5, () => `/cart/${Math.floor(uniform(random) * 9000)}`, 22, 0],
    [0.8, () => `/search?q=${Math.floor(uniform(random) * 50)}`, 55, 0],
    [0.95, () => '/', 3, 0],
    [1, () => `/orders/${Math.floor(uniform(random) * 9000)}/pay`, 140, 0.12],
  ]);
  return Array.from({ length: 320 }, (_, i) => {
    const part = uniform(random);
    const [, path, medianMs, failing] = routes.find(([to]) => part <= to) ?? routes[0];
    const status = uniform(random) < failing ? 503 : 200;
    const seconds = logNormal(random, medianMs, 0.5) / 1000;
    const at = new Date(Date.UTC(2026, 2, 9, 14) + i * 900).toISOString().slice(11, 19);
    const method = medianMs === 140 ? 'POST' : 'GET';
    return `10.1.0.${i % 7} - - [09/Mar/2026:${at} +0000] "${method} ${path()} HTTP/1.1" ${status} 512 "-" "shop/2.1" ${seconds.toFixed(3)}\n`;
  }).join('');
}

/**
 * The lines above the intervals, in the order of hdrscope's own logs.
 *
 * @param {number} startMs
 */
function head(startMs) {
  return [
    FORMAT_VERSION_LINE,
    formatComment('[Made by examples/data/make.js]'),
    formatStartTime(startMs, 'UTC'),
    formatBaseTime(startMs),
    LEGEND_LINE,
  ].join('');
}

function newHistogram() {
  return new Histogram({ highestTrackableValue: 3_600_000 * MS, significantDigits: 2 });
}

/**
 * Ten minutes of an idle machine, as jHiccup logs them: a thread that wants to wake up every millisecond counts how late
 * it is. A pause of 1.4 s counts as all the wake-ups that it has delayed. jHiccup writes no base time.
 */
function hiccupLog() {
  const random = new Random(1);
  const start = Date.parse('2026-03-10T14:00:00Z');
  let text = head(start).replace(/^#\[BaseTime.*\n/m, '');
  for (let second = 0; second < 600; second += 5) {
    const histogram = new Histogram({
      lowestDiscernibleValue: 20_000,
      highestTrackableValue: 3_600_000 * MS,
      significantDigits: 2,
    });
    for (let i = 0; i < 5000; i += 1) {
      const isCollection = random.oneIn(4000);
      const late = isCollection ? logNormal(random, 30 * MS, 0.4) : logNormal(random, 0.08 * MS, 0.5);
      histogram.recordCorrected(late, MS);
    }
    if (second === 430) histogram.recordCorrected(1400 * MS, MS);
    text += formatInterval(histogram, { startSec: second + 0.1, endSec: second + 5.1 });
  }
  return text;
}

/**
 * Ten minutes of a load test with 100 requests a second. The usual request takes 8 ms. Few requests wait for a lock: their
 * share is what differs between the two runs, so means and medians hardly do.
 *
 * @param {string} date
 * @param {number} seed
 * @param {number} lockedShare
 */
function loadTest(date, seed, lockedShare) {
  const random = new Random(seed);
  let text = head(Date.parse(date));
  for (let second = 0; second < 600; second += 10) {
    const histogram = newHistogram();
    for (let i = 0; i < 1000; i += 1) {
      const isLocked = uniform(random) <= lockedShare;
      histogram.record(isLocked ? logNormal(random, 180 * MS, 0.25) : logNormal(random, 8 * MS, 0.4));
    }
    text += formatInterval(histogram, { startSec: second, endSec: second + 10 });
  }
  return text;
}

/**
 * Half a minute of a load test with 300 requests a second, on a machine whose speed differs from run to run. About each five seconds,
 * the program stops for up to 0.1 s, and requests wait.
 *
 * @param {number} seed
 * @param {number} medianMs
 */
function shortRun(seed, medianMs) {
  const random = new Random(seed);
  const speed = logNormal(random, 1, 0.02);
  let text = head(Date.parse('2026-03-11T09:00:00Z') + seed * 60_000);
  let stall = 0;
  for (let second = 0; second < 30; second += 1) {
    const histogram = newHistogram();
    for (let i = 0; i < 300; i += 1) {
      const now = second + i / 300;
      if (random.oneIn(1500)) stall = now + 0.02 + 0.08 * uniform(random);
      histogram.record(logNormal(random, speed * medianMs * MS, 0.3) + Math.max(0, stall - now) * 1000 * MS);
    }
    text += formatInterval(histogram, { startSec: second, endSec: second + 1 });
  }
  return text;
}

/** A percentile report of the same service, of which no log is left. */
function lastMonth() {
  const random = new Random(7);
  const histogram = newHistogram();
  for (let i = 0; i < 60_000; i += 1) {
    const isLocked = uniform(random) <= 0.0004;
    histogram.record(isLocked ? logNormal(random, 150 * MS, 0.25) : logNormal(random, 9 * MS, 0.4));
  }
  return formatPercentiles(histogram, { valueScale: MS });
}

/** The family of the shop, as the log describes it. */
const SHOP = {
  name: 'http.duration',
  unit: 's',
  resolution: 1e-9,
  significantDigits: 2,
  description: 'Duration of HTTP server requests.',
};
const INTERVAL = 30; // seconds
/** Seconds after the start. */
const INCIDENT = { from: 70 * 60, to: 78 * 60 };

/** Series of the shop: requests per interval, and the latency of most of them in milliseconds. */
const ROUTES = [
  { route: '/', status: 200, requests: 240, medianMs: 4 },
  { route: '/search', status: 200, requests: 120, medianMs: 22 },
  { route: '/cart', status: 200, requests: 60, medianMs: 9 },
  { route: '/checkout', status: 200, requests: 20, medianMs: 45 },
  { route: '/checkout', status: 402, requests: 0.5, medianMs: 12 },
];

/**
 * Two hours of a shop, as `openIntervalLog` writes them from a registry. From 15:10 to 15:18, one search in thirty waits seconds
 * for a lock, and some give up with status 503. No other route changes.
 */
function incidentLog() {
  const random = new Random(2);
  let text = head(Date.parse('2026-03-10T14:00:00Z'));
  text += formatComment(`[Family: ${JSON.stringify(SHOP)}]`);
  /** @type {(second: number, route: string, status: number, histogram: Histogram) => void} */
  const add = (second, route, status, histogram) => {
    if (histogram.totalCount === 0) return;
    const tag = formatSeriesTag(SHOP.name, { route, status });
    text += formatInterval(histogram, { tag, startSec: second, endSec: second + INTERVAL });
  };
  for (let second = 0; second < 7200; second += INTERVAL) {
    const isIncident = second >= INCIDENT.from && second < INCIDENT.to;
    for (const { route, status, requests, medianMs } of ROUTES) {
      const histogram = newHistogram();
      const gaveUp = newHistogram();
      const count = Math.floor(requests * (0.9 + 0.2 * uniform(random)) + uniform(random));
      for (let i = 0; i < count; i += 1) {
        const isLocked = isIncident && route === '/search' && random.oneIn(30);
        if (!isLocked) histogram.record(logNormal(random, medianMs * MS, 0.35));
        else if (random.oneIn(4)) gaveUp.record(logNormal(random, 5000 * MS, 0.02));
        else histogram.record(logNormal(random, 2400 * MS, 0.25));
      }
      add(second, route, status, histogram);
      add(second, route, 503, gaveUp);
    }
  }
  return text;
}

/**
 * A counter of a real OSD of Ceph 16.2.15, as `ceph daemon osd.0 perf histogram dump` prints it.
 *
 * @param {string} name
 */
function osdDump(name) {
  const path = `../../packages/testing/fixtures/${name}.16.2.15.dump.json`;
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/** A map of run-queue depths by pool of CPUs, as `hdrscope ebpf read --json` prints it. */
function queueDepths() {
  const layout = queueDepthLayout();
  const depths = sumCpus({ layout, counts: new Array(8).fill(0) }).layout;
  const pools = { batch: [310, 720, 4100, 2900, 1800, 260, 41, 3], web: [5200, 2300, 940, 120, 14, 1, 0, 0] };
  const histograms = Object.entries(pools).map(([pool, counts]) => {
    const slots = counts
      .map((count, at) => ({ ...boundsOf(depths, at), count }))
      .filter(({ count }) => count > 0);
    const [first, last] = [slots[0], slots[slots.length - 1]];
    const count = counts.reduce((sum, one) => sum + one);
    const computeMean = (/** @type {'lower' | 'upper'} */ bound) =>
      slots.some((slot) => slot[bound] === null)
        ? null
        : slots.reduce((sum, slot) => sum + Number(slot[bound]) * slot.count, 0) / count;
    return {
      name: 'queue_hist',
      attributes: { pool },
      layout: layout.name,
      unit: 'none',
      count,
      min: figureOf(first?.lower, first?.upper),
      mean: figureOf(computeMean('lower'), computeMean('upper')),
      max: figureOf(last?.lower, last?.upper),
      sum: null,
      percentiles: PERCENTILES.map((one) => ({
        percentile: one,
        ...percentileOf({ layout, counts }, one / 100),
      })),
      slots,
    };
  });
  return `${JSON.stringify({ generation: 'map 42', ground: 'its name is queue_hist, as in the run-queue program', histograms }, undefined, 2)}\n`;
}

const PERCENTILES = [50, 90, 99, 99.9];

/**
 * An open bound is `null`.
 *
 * @param {{ lower(slot: number): number, upper(slot: number): number }} layout
 * @param {number} slot
 */
function boundsOf(layout, slot) {
  return { lower: layout.lower(slot), upper: finiteOrNull(layout.upper(slot)) };
}

/**
 * @param {import('@hdrscope/ebpf').KernelCounts} counts
 * @param {number} quantile
 */
function percentileOf(counts, quantile) {
  const { lower, upper, value } = kernelQuantile(counts, quantile);
  const exclusive = kernelQuantile(counts, quantile, { interpolation: 'exclusive' }).value;
  const rounded = (/** @type {number} */ estimate) => finiteOrNull(Number(estimate.toPrecision(6)));
  return {
    ...figureOf(lower, finiteOrNull(upper)),
    inclusive: rounded(value),
    exclusive: rounded(exclusive),
  };
}

/**
 * The upper bound is the value.
 *
 * @param {number | null | undefined} lower
 * @param {number | null | undefined} upper
 */
function figureOf(lower, upper) {
  return { value: upper, lower, upper };
}

/** @param {number} value */
function finiteOrNull(value) {
  return Number.isFinite(value) ? value : null;
}

/** @type {readonly [name: string, text: string][]} */
const files = [
  ['access.log', accessLog()],
  ['latencies.txt', latencyText(3, 2.6)],
  ['yesterday.txt', latencyText(4, 2.4)],
  ['hiccups.hlog', hiccupLog()],
  ...[1, 2, 3, 4, 5].flatMap(
    (n) =>
      /** @type {[string, string][]} */ ([
        [`main-${n}.hlog`, shortRun(2 * n, 8)],
        [`branch-${n}.hlog`, shortRun(2 * n + 1, 9)],
      ]),
  ),
  ['before.hlog', loadTest('2026-03-09T15:00:00Z', 5, 0.0004)],
  ['after.hlog', loadTest('2026-03-10T15:00:00Z', 16, 0.003)],
  ['last-month.hgrm', lastMonth()],
  ['incident.hlog', incidentLog()],
  ['osd.json', osdDump('osd-op-w')],
  ['osd-later.json', osdDump('osd-op-w-later')],
  ['queue-depth.json', queueDepths()],
];
const folder = process.argv[2] ?? import.meta.dirname;
for (const [name, text] of files) writeFileSync(join(folder, name), text);
