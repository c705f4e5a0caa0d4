/** A real Collector is killed, ended and frozen, while a service sends OTLP to it. */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { freePort } from '../../lib/free-port.js';
import { PEERS, programOf } from '../../peers/peers.js';
import { Arrivals } from '../arrived.js';
import { compare, within } from '../ledger.js';
import { Process } from '../processes.js';

/** @import { Scenario } from '../scenario.js' */

const times = 3;
/** A Collector that is killed loses what it has taken and not written to its file. On a busy machine, that takes a while. */
const UNWRITTEN_MS = 1000;

const peer = PEERS.find(({ name }) => name === 'collector');
const program = peer && programOf(peer);

/** @type {Scenario} */
export const collectorGone = {
  name: 'collector-gone',
  promise: 'a Collector has each delta once, however often it is killed, ended or frozen',
  window: 'what a Collector that is killed has taken and not passed on',
  mostWindowMs: UNWRITTEN_MS,
  skipped: () =>
    program === undefined ? 'node tools/peers/install.js collector installs a Collector' : undefined,
  async run(round) {
    const { random } = round;
    const port = await freePort();
    const file = round.path('received.json');
    const config = round.path('collector.json');
    await writeFile(
      config,
      JSON.stringify({
        receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
        exporters: { file: { path: file, flush_interval: '20ms', append: true } },
        service: {
          telemetry: { metrics: { level: 'none' } },
          pipelines: { metrics: { receivers: ['otlp'], exporters: ['file'] } },
        },
      }),
    );
    const start = async () => {
      const collector = round.start(new Process(program ?? '', [`--config=file:${config}`]));
      await collector.printed(/Everything is ready/);
      return collector;
    };
    let collector = await start();
    const service = await round.service({
      otlp: {
        url: `http://127.0.0.1:${port}/v1/metrics`,
        histograms: 'explicit',
        temporality: 'delta',
        intervalMs: 20,
        timeoutMs: 300,
      },
    });
    /** @type {[number, number][]} */
    const windows = [];
    for (let i = 0; i < times; i++) {
      await round.pause(800, 200);
      const harm = random.of(/** @type {const} */ (['SIGKILL', 'SIGTERM', 'SIGSTOP']));
      const nowMs = Date.now();
      collector.signal(harm);
      if (harm === 'SIGSTOP') {
        await round.pause(1000, 100);
        collector.signal('SIGCONT');
      } else {
        if (harm === 'SIGKILL') windows.push([nowMs - UNWRITTEN_MS, nowMs + UNWRITTEN_MS]);
        await collector.ended();
        await round.pause(600);
        collector = await start();
      }
    }
    await round.pause(500, 300);
    // The stop of a sender is one attempt, and the Collector works.
    await service.stop();
    collector.signal('SIGTERM');
    await collector.ended();
    const arrivals = arrivalsIn(existsSync(file) ? readFileSync(file, 'utf8') : '');
    return {
      tries: times,
      outcomes: [compare(round.ledger(service.run), arrivals.of(service.run), within(windows))],
      problems: [],
    };
  },
};

/**
 * What a Collector has written. A point that came twice has the same times, and counts once, as in the Collector's own sums.
 *
 * @param {string} text Requests as JSON, one each line. A Collector that is killed may tear its last line, and the next one continues it.
 */
function arrivalsIn(text) {
  const arrivals = new Arrivals();
  /** @type {Set<string>} */
  const seen = new Set();
  for (const line of text.split('\n')) {
    for (const { resourceMetrics } of requestsIn(line)) {
      for (const { attributes, startTimeUnixNano, timeUnixNano, ...point } of pointsIn(resourceMetrics)) {
        const key = JSON.stringify([attributes, startTimeUnixNano, timeUnixNano]);
        if (seen.has(key)) continue;
        seen.add(key);
        const series = Object.fromEntries(
          attributes.map(({ key: name, value }) => [name, value.stringValue ?? value.intValue]),
        );
        for (const [bucket, count] of point.bucketCounts.entries()) {
          // Batch 1 is between the boundaries 0.5 and 1.5.
          if (Number(count) > 0) arrivals.add(series, bucket, Number(count));
        }
      }
    }
  }
  return arrivals;
}

/**
 * @typedef {object} Point
 * @property {{ key: string, value: { stringValue?: string, intValue?: string } }[]} attributes
 * @property {string} startTimeUnixNano
 * @property {string} timeUnixNano
 * @property {string[]} bucketCounts
 */

/**
 * The requests in a line: the whole one at its end, if the line begins with a torn one.
 *
 * @param {string} line
 * @returns {any[]}
 */
function requestsIn(line) {
  const start = line.lastIndexOf('{"resourceMetrics"');
  try {
    return [JSON.parse(line.slice(Math.max(0, start)))];
  } catch {
    return [];
  }
}

/**
 * @param {any[]} resourceMetrics
 * @returns {Point[]}
 */
function pointsIn(resourceMetrics) {
  return resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .flatMap(({ histogram }) => histogram?.dataPoints ?? []);
}
