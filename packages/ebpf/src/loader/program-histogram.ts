import { LITTLE_ENDIAN } from '../bpf/memory.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import type { HistogramMetric } from '../source/source.ts';

/** Where the maps of a program hold a histogram, in words of 64 bits. */
export interface ProgramHistogram {
  readonly name: string;
  readonly layout: KernelLayout;
  /** Per-CPU array with the counts of all keys together. */
  readonly map: string;
  /** Whether one value holds all slots, and the sum behind them. Otherwise each slot is an entry, and there is no sum. */
  readonly hasSum: boolean;
  /** Word of its first slot in the entry of a key. The sum follows the slots there too. */
  readonly at: number;
  readonly metric: HistogramMetric;
}

/**
 * The word at an index, exact below 2^53. Counts stay below it. A sum of nanoseconds passes it after 104 days of waiting, and is
 * then rounded to a double.
 */
export type Words = (index: number) => number;

/** The words in memory whose address is a multiple of 4. */
export function wordsIn(values: Uint8Array<ArrayBuffer>): Words {
  const halves = new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4);
  const [low, high] = LITTLE_ENDIAN ? [0, 1] : [1, 0];
  return (index) => halves[index * 2 + low]! + halves[index * 2 + high]! * 2 ** 32;
}
