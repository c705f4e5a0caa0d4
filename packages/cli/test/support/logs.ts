import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Histogram } from '@hdrscope/core';
import { formatBaseTime, formatInterval, formatStartTime } from '@hdrscope/interval-log';

/** An interval to write: values in milliseconds, counted as nanoseconds. */
export interface Written {
  readonly tag?: string | undefined;
  readonly at: number;
  /** @default 1 */
  readonly length?: number;
  readonly ms: readonly number[];
}

const START = 1_500_000_000;

/** A log with a start time: 2017-07-14 02:40:00 UTC. */
export function logText(intervals: readonly Written[]): string {
  const head = formatStartTime(START * 1000, 'UTC') + formatBaseTime(START * 1000);
  return head + intervals.map(intervalLine).join('');
}

export function intervalLine({ tag, at, length = 1, ms }: Written): string {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
  for (const value of ms) histogram.record(value * 1e6);
  return formatInterval(histogram, { tag, startSec: at, endSec: at + length });
}

/** A known distribution: values from 1 to `count`, times a factor. */
export function evenly(count: number, factor = 1): number[] {
  return Array.from({ length: count }, (_, at) => (at + 1) * factor);
}

/** A folder that exists while the tests of a file run. */
export function useFolder(): {
  pathOf(name: string): string;
  write(name: string, text: string | Uint8Array): string;
} {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const pathOf = (name: string): string => join(folder, name);
  return {
    pathOf,
    write: (name, text) => {
      writeFileSync(pathOf(name), text);
      return pathOf(name);
    },
  };
}
