/** Interval logs to read, like those of a service that answers some hundred requests a second. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Number of distinct histograms. A longer log repeats them with later times. */
const DISTINCT = 500;
const REQUESTS_PER_INTERVAL = 750;
const START_SEC = 1_790_000_000;

/**
 * The lines of a log of one-second intervals: latencies in nanoseconds, three digits up to an hour.
 *
 * @param {number} intervals
 */
export async function logLines(intervals) {
  const { Histogram } = await import('@hdrscope/core');
  const { FORMAT_VERSION_LINE, formatInterval, formatStartTime, LEGEND_LINE } = await import(
    '@hdrscope/interval-log'
  );
  const { latencies } = await import('./values.js');
  const values = latencies(DISTINCT * REQUESTS_PER_INTERVAL);
  const histogram = new Histogram({
    highestTrackableValue: 3_600_000_000_000,
    significantDigits: 3,
  });
  const histograms = Array.from({ length: Math.min(DISTINCT, intervals) }, (_, index) => {
    histogram.reset();
    const from = index * REQUESTS_PER_INTERVAL;
    histogram.recordValues(values.subarray(from, from + REQUESTS_PER_INTERVAL));
    // Length, maximum and histogram follow the timestamp.
    return formatInterval(histogram, { startSec: 0, endSec: 1 }).slice('0.000,'.length);
  });
  const lines = [FORMAT_VERSION_LINE, formatStartTime(START_SEC * 1000, 'UTC'), LEGEND_LINE];
  for (let index = 0; index < intervals; index++) {
    lines.push(`${index}.127,${histograms[index % histograms.length]}`);
  }
  return lines;
}

/**
 * Writes such a log to a file that exists while this process runs.
 *
 * @param {number} intervals
 */
export async function logFile(intervals) {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'bench.hlog');
  writeFileSync(file, (await logLines(intervals)).join(''));
  return file;
}
