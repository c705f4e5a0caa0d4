import { HdrscopeError } from '@hdrscope/core';
import { cellsOf } from '../../numbers/table-text.ts';
import type { K6Requests } from './k6-requests.ts';
import type { LoadInput } from './load-input.ts';
import { type LineReading, readLines } from './text-lines.ts';

/**
 * Reads `k6 run --out csv=FILE`: a line for each value of each metric, which begins with the metric, the time and the value.
 * Source: https://grafana.com/docs/k6/latest/results-output/real-time/csv/
 */
export function readK6Table(input: LoadInput, reading: LineReading, requests: K6Requests): Promise<void> {
  return readLines(input, reading, (line, lineNumber) => {
    // Most lines are of other metrics.
    if (!requests.isNamedIn(line)) return;
    const [metric = '', time = '', value = ''] = cellsOf(line, ',');
    if (!requests.isWanted(metric)) return;
    try {
      requests.onPoint(metric, value === '' ? Number.NaN : Number(value), secondsOf(time));
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      reading.badLines.add(lineNumber, () => `${input.name}: line ${lineNumber}: ${error.message}`);
    }
  });
}

// K6_CSV_TIME_FORMAT: seconds, milliseconds, microseconds or nanoseconds since 1970, or a date of RFC 3339.
// From 1973 to 5138, each unit has numbers of its own size.
const UNITS: readonly (readonly [below: number, perSec: number])[] = [
  [1e11, 1],
  [1e14, 1e3],
  [1e17, 1e6],
  [Number.POSITIVE_INFINITY, 1e9],
];

function secondsOf(time: string): number {
  if (!/^\d+$/.test(time)) return Date.parse(time) / 1000;
  const number = Number(time);
  const [, perSec] = UNITS.find(([below]) => number < below)!;
  return number / perSec;
}
