import { type NumberStates, numberStates } from '@hdrscope/otel/receiver';
import type { OtlpSenderMemory } from '@hdrscope/otel/sender';
import { IngestMemory, type Snapshot } from '@hdrscope/registry';

/** How far a log was counted: a source that is started anew goes on there. */
interface LogProgress {
  /** The file that was read: its device and its inode. */
  file: string | undefined;
  /** Lines up to this one were counted, or are not to be counted. */
  line: number;
}

/** State that entries leave for their next run, after a restart or another configuration. */
export class EntryMemory {
  /** Snapshots whose counts a log has, by its path. */
  readonly written: Map<string, Snapshot> = new Map();
  /** By what a sink sends. */
  readonly senders: Map<string, OtlpSenderMemory> = new Map();
  readonly #intakes = new Map<string, IngestMemory>();
  readonly #numbers = new Map<string, NumberStates>();
  readonly #logs = new Map<string, LogProgress>();
  /** Notes that the log has already. */
  readonly notes: Set<string> = new Set();

  /** @param input Names what is read, such as a socket, whichever entry reads it. */
  intakeOf(input: string): IngestMemory {
    return known(this.#intakes, input, () => new IngestMemory());
  }

  /** @param input Names what receives sums and gauges. */
  numbersOf(input: string): NumberStates {
    return known(this.#numbers, input, () => numberStates());
  }

  progressOf(path: string): LogProgress {
    return known(this.#logs, path, () => ({ file: undefined, line: 0 }));
  }
}

function known<T>(values: Map<string, T>, key: string, make: () => T): T {
  let value = values.get(key);
  if (value === undefined) {
    value = make();
    values.set(key, value);
  }
  return value;
}
