import { createHash, type Hash } from 'node:crypto';
import type { LogEntry } from '@hdrscope/interval-log';
import { shortHash } from './imported-rows.ts';

// Enough for logs whose values are all 0, or whose writer states no maximum.
const MOST_INTERVALS = 1000;

/**
 * The identity of a log by its content: a hash of all lines up to the first interval with values. A log that grows, moves or is compressed
 * keeps it. Two logs of one writer differ in their start, and two writers in what they count first.
 */
export class LogIdentity {
  readonly #hash: Hash = createHash('sha256');
  #intervals = 0;
  #text: string | undefined;

  /** Takes the next entry of the log. */
  take(entry: LogEntry): void {
    if (this.#text !== undefined) return;
    const line = lineOf(entry);
    if (line !== undefined) this.#hash.update(JSON.stringify(line));
    if (entry.kind !== 'interval') return;
    if (entry.writtenMax > 0 || ++this.#intervals === MOST_INTERVALS) this.#finish();
  }

  /** 16 hexadecimal digits. It never changes after the first call. */
  get text(): string {
    return this.#text ?? this.#finish();
  }

  #finish(): string {
    this.#text = shortHash(this.#hash.digest('hex'));
    return this.#text;
  }
}

function lineOf(entry: LogEntry): readonly unknown[] | undefined {
  switch (entry.kind) {
    case 'comment':
      return [entry.text];
    case 'start-time':
    case 'base-time':
      return [entry.kind, entry.seconds];
    case 'interval':
      return [entry.tag ?? null, entry.startSec, entry.lengthSec, entry.encoded];
    default:
      return undefined;
  }
}
