/** Reads what has arrived: in interval logs and in registries. */
import { open, readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { parseSeriesTag, readEntries } from '@hdrscope/interval-log';
import { BATCHES_PER_LANE } from './recorder.js';

/** @import { LogEntry } from '@hdrscope/interval-log' */
/** @import { Registry } from '@hdrscope/registry' */

/** The values of a log are ticks of this many batches. */
const RESOLUTION = 0.5;

/** What has arrived, by run. */
export class Arrivals {
  /** Lines that cannot be read. @type {string[]} */
  malformed = [];
  /** When the intervals of a log began, and their lengths. @type {{ startTimeMs: number, lengthMs: number }[]} */
  intervals = [];
  /** Values by run, of histograms that do not keep batches apart. @type {Map<string, number>} */
  sums = new Map();
  /** @type {Map<string, Map<number, number>>} */
  #runs = new Map();

  /** @param {string} run */
  of(run) {
    return this.#runs.get(run) ?? new Map();
  }

  /**
   * @param {Readonly<Record<string, unknown>>} attributes
   * @param {number} value
   * @param {number} count
   */
  add({ run, lane }, value, count) {
    const name = String(run);
    const batches = this.#runs.get(name) ?? new Map();
    this.#runs.set(name, batches);
    const batch = Number(lane) * BATCHES_PER_LANE + value;
    addTo(batches, batch, count);
  }

  /**
   * Adds an entry of a log.
   *
   * @param {LogEntry} entry
   */
  take(entry) {
    if (entry.kind === 'malformed') this.malformed.push(entry.error.message);
    if (entry.kind !== 'interval') return;
    const { startTimeMs, endTimeMs } = entry;
    this.intervals.push({ startTimeMs, lengthMs: endTimeMs - startTimeMs });
    const { name, attributes } = parseSeriesTag(entry.tag ?? '');
    const histogram = entry.histogram();
    // The name in the dump of a daemon has the attributes in it.
    const [, run] = /\brun=(r\d+)\.chaos\.batch$/.exec(name) ?? [];
    if (run !== undefined) addTo(this.sums, run, histogram.totalCount);
    if (name !== 'chaos.batch') return;
    for (const { valueIteratedTo, countAddedInThisIterationStep } of histogram.recordedValues()) {
      this.add(attributes, Number(valueIteratedTo) * RESOLUTION, countAddedInThisIterationStep);
    }
  }

  /**
   * Adds all counts of a registry.
   *
   * @param {Registry} registry
   */
  async takeAll(registry) {
    for (const family of (await registry.gather()).families) {
      if (family.name !== 'chaos.batch') continue;
      for (const { attributes, histogram } of family.series) {
        for (const step of histogram.recordedValues()) {
          const { unitsPerTick, ticksPerUnit } = family.resolution;
          const value = Math.round((Number(step.valueIteratedTo) * unitsPerTick) / ticksPerUnit);
          this.add(attributes, value, step.countAddedInThisIterationStep);
        }
      }
    }
  }
}

/**
 * The values in a registry, by run.
 *
 * @param {Registry} registry
 */
export async function totalsIn(registry) {
  /** @type {Map<string, number>} */
  const totals = new Map();
  for (const { series } of (await registry.gather()).families) {
    for (const { attributes, counts } of series) addTo(totals, String(attributes.run), counts.total);
  }
  return totals;
}

/**
 * @template Key
 * @param {Map<Key, number>} map
 * @param {Key} key
 * @param {number} count
 */
function addTo(map, key, count) {
  map.set(key, (map.get(key) ?? 0) + count);
}

/**
 * Reads a log with all files that it was rotated to.
 *
 * @param {string} path
 */
export async function readLogs(path) {
  const arrivals = new Arrivals();
  const extension = extname(path);
  const stem = `${basename(path, extension)}.`;
  for (const name of await readdir(dirname(path))) {
    const isLog = name.startsWith(stem) && (name.endsWith(extension) || name.endsWith(`${extension}.gz`));
    if (!isLog) continue;
    const file = await open(join(dirname(path), name));
    try {
      for await (const entry of readEntries(file.createReadStream())) arrivals.take(entry);
    } finally {
      await file.close();
    }
  }
  return arrivals;
}
