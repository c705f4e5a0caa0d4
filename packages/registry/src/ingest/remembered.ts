// What sources of other packages ask of a memory. Its methods are missing in the declarations that these packages read.
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

/** Keeps a reading as the last one of its life, without adding its counts: the next reading is compared with it. */
export function keepReading(
  memory: IngestMemory,
  reading: Reading,
  nowMs: number,
  limits: StreamLimits = {},
): void {
  memory.keep(reading, nowMs, limits);
}
