/** `npm run pictures:why`: draws the pictures of docs/why.md and docs/why-merge.md from examples/data and from made values. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Histogram } from '@hdrscope/core';
import { summarizeLogs } from '@hdrscope/interval-log';
import { curveOf } from '@hdrscope/plot';
import { renderSvg } from '@hdrscope/plot/render';
import { isMain, workspaceRoot } from './lib/workspace.js';

/** @import { LogHistogram } from '@hdrscope/interval-log' */
/** @import { Curve } from '@hdrscope/plot' */

const WIDTH = 860;
const HEIGHT = 400;

/** The bounds that many clients of Prometheus have by default, in nanoseconds. */
const DEFAULT_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10].map((s) => s * 1e9);

/** @param {string} name */
async function runOf(name) {
  const { tags } = await summarizeLogs([join(workspaceRoot, `examples/data/${name}.hlog`)]);
  const [all] = tags;
  if (all === undefined) throw new Error(`examples/data/${name}.hlog has no intervals`);
  return all.histogram;
}

/**
 * The curve that `histogram_quantile` of Prometheus reads off buckets: straight inside each of them.
 *
 * @param {string} name
 * @param {LogHistogram} histogram
 * @returns {Curve}
 */
function curveOfBuckets(name, histogram) {
  const total = histogram.totalCount;
  const points = [{ percentile: 0, value: 0 }];
  let below = 0;
  for (const bound of DEFAULT_BOUNDS) {
    const upTo = histogram.countBetween(0, bound);
    const from = points[points.length - 1]?.value ?? 0;
    // Straight over values; the axis of percentiles is not, so a bucket needs some points.
    for (let step = 1; upTo > below && step <= 40; step++) {
      const percentile = (100 * (below + ((upTo - below) * step) / 40)) / total;
      points.push({ percentile, value: from + ((bound - from) * step) / 40 });
    }
    if (upTo === below && upTo < total) points.push({ percentile: (100 * below) / total, value: bound });
    below = upTo;
  }
  return { name, totalCount: total, points };
}

/** Ten servers, of which one is slow: the values of docs/why-merge.md, in microseconds. */
function tenServers() {
  return Array.from({ length: 10 }, (_, server) => {
    const histogram = new Histogram({ highestTrackableValue: 60_000_000, significantDigits: 3 });
    for (let n = 1; n <= 1000; n++) histogram.record(server === 9 ? n * 200 : n * 10);
    return histogram;
  });
}

/**
 * @param {string} file
 * @param {string} title
 * @param {'ns' | 'us'} unit
 * @param {Curve[]} curves
 */
function draw(file, title, unit, curves) {
  const svg = renderSvg({ kind: 'percentiles', title, unit, curves }, { width: WIDTH, height: HEIGHT });
  writeFileSync(join(workspaceRoot, 'docs/pictures', file), svg);
}

async function main() {
  const [before, after] = await Promise.all([runOf('before'), runOf('after')]);
  const columns = { columns: WIDTH };
  draw('why-average.svg', 'Two load tests with nearly the same mean', 'ns', [
    curveOf('before, mean 8.7 ms', before, columns),
    curveOf('after, mean 9.2 ms', after, columns),
  ]);
  draw('why-buckets.svg', 'One load test, counted in two ways', 'ns', [
    curveOf('HDR histogram', after, columns),
    curveOfBuckets('11 default buckets', after),
  ]);
  const servers = tenServers();
  const sum = new Histogram({ highestTrackableValue: 60_000_000, significantDigits: 3 });
  for (const server of servers) sum.add(server);
  draw('why-merge.svg', 'Ten servers, and all of them together', 'us', [
    curveOf('each of nine servers', /** @type {Histogram} */ (servers[0]), columns),
    curveOf('the tenth server', /** @type {Histogram} */ (servers[9]), columns),
    curveOf('all together', sum, columns),
  ]);
}

if (isMain(import.meta)) await main();
