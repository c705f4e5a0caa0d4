import type { Storage } from '../../src/counts/readonly-counts.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import type { HistogramOptions } from '../../src/histogram/setup.ts';
import type { Recording } from './values.ts';

export const HOUR_US = 3_600_000_000;

/** A histogram that has counted `[value, count]` pairs. */
export function recorded(recording: Recording, options: HistogramOptions = {}): Histogram {
  const histogram = new Histogram(options);
  for (const [value, count] of recording) histogram.record(value, count);
  return histogram;
}

/** A histogram that has counted each value once. */
export function recordedOnce(values: Iterable<number>, options: HistogramOptions = {}): Histogram {
  return recorded(
    [...values].map((value) => [value, 1]),
    options,
  );
}

/**
 * The fixture of Java's `HistogramDataAccessTest`, which every port has: a request every 10 ms for 100 s, each of
 * 1 ms, then a stall of 100 s; in microseconds.
 */
export function stall(expectedInterval: number, storage: Storage): Histogram {
  const histogram = new Histogram({ highestTrackableValue: HOUR_US, storage });
  for (let i = 0; i < 10_000; i++) histogram.recordCorrected(1000, expectedInterval);
  histogram.recordCorrected(100_000_000, expectedInterval);
  return histogram;
}

const GIANT_SLOTS = 2 ** 17;

/**
 * The same histogram for many readings. Each reading of a shared histogram copies all of its counts first. When there are
 * very many, they are copied here, once.
 */
export function toRead(histogram: Histogram): Histogram {
  const isGiant = histogram.storage === 'shared' && histogram.layout.slotCount > GIANT_SLOTS;
  return isGiant ? histogram.copy({ storage: 'dense' }) : histogram;
}

/** The used slots and their counts, ascending. */
export function slotsOf({ counts }: Histogram): [slot: number, count: number][] {
  const used: [number, number][] = [];
  for (let slot = counts.next(0); slot < counts.length; slot = counts.next(slot + 1)) {
    used.push([slot, counts.at(slot)]);
  }
  return used;
}
