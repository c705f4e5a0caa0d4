import { Histogram } from '@hdrscope/core';
import {
  formatBaseTime,
  formatInterval,
  formatStartTime,
  type LogInterval,
  readIntervals,
} from '@hdrscope/interval-log';
import fc from 'fast-check';
import { all, bytes } from '../../support/read.ts';

/** An interval to write. */
export interface Written {
  readonly tag?: string | undefined;
  /** Its timestamp in seconds. */
  readonly at: number;
  readonly length?: number;
  readonly values: readonly number[];
}

/** The times stated above the intervals. */
export interface Times {
  readonly start?: number;
  readonly base?: number;
}

export function logText(intervals: readonly Written[], { start, base }: Times = {}): string {
  const head = [
    start === undefined ? '' : formatStartTime(start * 1000, 'UTC'),
    base === undefined ? '' : formatBaseTime(base * 1000),
  ];
  return head.join('') + intervals.map(intervalLine).join('');
}

export function intervalLine({ tag, at, length = 1, values }: Written): string {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
  for (const value of values) histogram.record(value);
  return formatInterval(histogram, { tag, startSec: at, endSec: at + length, valueScale: 1 });
}

export function logOf(intervals: readonly Written[], times?: Times): Uint8Array {
  return bytes(logText(intervals, times));
}

export async function textOf(lines: AsyncIterable<string>): Promise<string> {
  return (await all(lines)).join('');
}

/** The intervals of the text of a log. */
export function intervalsOf(text: string): Promise<LogInterval[]> {
  return all(readIntervals(bytes(text)));
}

/** Count and sum of values by tag, which no operation may change. */
export function totalsOf(intervals: readonly LogInterval[]): Record<string, [count: number, sum: number]> {
  const totals: Record<string, [number, number]> = {};
  for (const interval of intervals) {
    const { totalCount, mean } = interval.histogram();
    const [count, sum] = totals[`${interval.tag}`] ?? [0, 0];
    totals[`${interval.tag}`] = [count + totalCount, sum + Math.round(totalCount * mean)];
  }
  return totals;
}

/** Times in milliseconds, which doubles hold well enough at any base. */
export const milliseconds = (seconds: number): number => Math.round(seconds * 1000);

const TAGS = [undefined, 'get', 'put'];

/** Intervals in order, timestamps from 0. */
export const anyIntervals: fc.Arbitrary<Written[]> = fc
  .array(
    fc.record({
      tag: fc.constantFrom(...TAGS),
      gapMs: fc.integer({ min: 0, max: 40_000 }),
      lengthMs: fc.integer({ min: 0, max: 20_000 }),
      // Below 2048 every value has a slot of its own: sums are exact.
      values: fc.array(fc.integer({ min: 0, max: 2047 }), { maxLength: 5 }),
    }),
    { maxLength: 12 },
  )
  .map((parts) => {
    let atMs = 0;
    return parts.map(({ tag, gapMs, lengthMs, values }) => {
      atMs += gapMs;
      return { tag, at: atMs / 1000, length: lengthMs / 1000, values };
    });
  });
