// What sources of other packages ask of a memory. Its methods are missing in the declarations that these packages read.
import type { Counted } from '@hdrscope/core';
import type { Clock } from '../clock.ts';
import type { IngestMemory, StreamLimits } from './memory.ts';
import type { Reading } from './reading.ts';

/** Whether the source of a memory has answered. */
export function hasAnswered(memory: IngestMemory): boolean {
  return memory.hasAnswered;
}

/** The epoch of the last reading of a key; `undefined` for an unknown key. */
export function latestEpoch(memory: IngestMemory, key: string): string | undefined {
  return memory.latestEpoch(key);
}

/** The counts of the last reading of a key, and its sequence; `undefined` for an unknown key, and for a delta counter. */
export function latestState(
  memory: IngestMemory,
  key: string,
): { readonly counted: Counted; readonly sequence: bigint | undefined } | undefined {
  const epoch = memory.latestEpoch(key);
  const { last, sequences = [] } = (epoch !== undefined && memory.lifeOf(key, epoch)) || {};
  return last && { counted: last.counted, sequence: sequences.at(-1) };
}

/** Keeps a reading as the last one of its life, without adding its counts: the next reading is compared with it. */
export function keepReading(
  memory: IngestMemory,
  reading: Reading,
  nowMs: number,
  limits: StreamLimits = {},
): void {
  memory.keep(reading, nowMs, limits);
}

/**
 * The time, in milliseconds since 1970, until which a source is not known: a counter that began before it may have been counted, by an
 * earlier process or before it was forgotten.
 */
export function findUnknownUntil(memory: IngestMemory, clock: Clock): number {
  const { unknownUntilMs } = memory;
  return unknownUntilMs === undefined
    ? clock.nowMs()
    : clock.nowMs() - (clock.monotonicMs() - unknownUntilMs);
}
