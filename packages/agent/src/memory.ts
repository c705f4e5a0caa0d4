import { FollowMemory, type LogEntry } from '@hdrscope/interval-log';
import { type NumberStates, numberStates } from '@hdrscope/otel/receiver';
import type { OtlpSenderMemory } from '@hdrscope/otel/sender';
import { IngestMemory, type Snapshot } from '@hdrscope/registry';
import type { EntryDelivery, EntryStorage } from './health.ts';

/** A log that was followed: a source that is started anew goes on there. */
export interface FollowedLog {
  readonly memory: FollowMemory;
  /** Whether its lines are not counted yet, because its end was not reached; `undefined` before its first source. */
  isSkipping: boolean | undefined;
  /** The comments that describe its families, by their text. */
  readonly families: Map<string, LogEntry>;
  /** The length of these texts. */
  familyChars: number;
}

/** State that entries leave for their next run, after a restart or another configuration. */
export class EntryMemory {
  /** The last snapshot in each log, by the path of the log. */
  readonly written: Map<string, Snapshot> = new Map();
  /** The snapshot whose counts all are in each history, by its folder or table. */
  readonly collected: Map<string, Snapshot> = new Map();
  /** What sinks of type `history` have stored, by their names. */
  readonly storages: Map<string, EntryStorage> = new Map();
  /** Memories of sinks of type `otlp`, by their names and by the kind of points that they send. */
  readonly senders: Map<string, OtlpSenderMemory> = new Map();
  /** What sinks of type `remote-write` have delivered, by their names. */
  readonly deliveries: Map<string, EntryDelivery> = new Map();
  readonly #intakes = new Map<string, IngestMemory>();
  readonly #numbers = new Map<string, NumberStates>();
  readonly #logs = new Map<string, FollowedLog>();
  /** Notes that have been logged. */
  readonly notes: Set<string> = new Set();

  /** @param input The name of the input, such as the path of a socket. Entries that read the same input share its memory. */
  intakeOf(input: string): IngestMemory {
    return known(this.#intakes, input, () => new IngestMemory());
  }

  /** @param input The name of the receiver of sums and gauges. */
  numbersOf(input: string): NumberStates {
    return known(this.#numbers, input, () => numberStates());
  }

  logOf(path: string): FollowedLog {
    return known(this.#logs, path, () => ({
      memory: new FollowMemory(),
      isSkipping: undefined,
      families: new Map(),
      familyChars: 0,
    }));
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
