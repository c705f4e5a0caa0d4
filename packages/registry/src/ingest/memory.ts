import type { Reading } from './reading.ts';

/** How many distributions of a source are remembered, and how long. */
export interface StreamLimits {
  /** How many keys are known at a time: an integer of at least 1. Readings of others are refused. @default no limit */
  readonly maxStreams?: number;
  /**
   * After how many milliseconds without a reading a key gives way to a new one, where there is no other room: above 0. When it comes
   * back, all that it has counted counts as new. @default an hour
   */
  readonly forgetAfterMs?: number;
  /**
   * Whether lives of one key take turns, as those of a map under a pin do, or go on side by side, as processes with equal attributes do.
   * @default 'in turn'
   */
  readonly epochs?: 'in turn' | 'side by side';
}

/** What is kept of a reading until the next one of its life comes. */
export type KeptReading = Pick<Reading, 'counted' | 'sum' | 'min' | 'max' | 'rejected'>;

/** One life of a key, as it was read last. */
export interface Life {
  /** Absent for a delta counter: its readings are not compared. */
  readonly last: KeptReading | undefined;
  readonly sequences: readonly bigint[];
  readonly seenMs: number;
}

interface Stream {
  seenMs: number;
  readonly lives: Map<string, Life>;
}

/** Where a reading belongs among those that were read before. */
export interface Place {
  /** The life as it was, if it was read before. */
  readonly life: Life | undefined;
  /** Whether the key had another life before this one. */
  readonly isNewLife: boolean;
}

// As many processes may share their attributes. More of them would count what they have again and again.
const MOST_LIVES = 16;
// Senders repeat a request whose answer they missed: the last few of a delta counter are known, in whatever order they come.
const MOST_SEQUENCES = 8;
const HOUR_MS = 3_600_000;

/**
 * What a source was last read to have counted, by key and life. Opaque to users, who hand it from one ingestion to the next.
 */
export class IngestMemory {
  /** Whether the source has answered. */
  hasAnswered = false;
  /** The key that was not read for longest is the first. */
  readonly #streams = new Map<string, Stream>();

  /** How many keys are known. */
  get size(): number {
    return this.#streams.size;
  }

  keys(): IterableIterator<string> {
    return this.#streams.keys();
  }

  /** The epoch that a key was last read with; `undefined` for an unknown key. */
  latestEpoch(key: string): string | undefined {
    return [...(this.#streams.get(key)?.lives.keys() ?? [])].at(-1);
  }

  find(key: string, epoch: string): Place {
    const stream = this.#streams.get(key);
    const life = stream?.lives.get(epoch);
    return { life, isNewLife: stream !== undefined && life === undefined };
  }

  /** Whether a key is known or there is room for it. */
  hasRoomFor(key: string, nowMs: number, limits: StreamLimits): boolean {
    const { maxStreams = Number.POSITIVE_INFINITY } = limits;
    if (this.#streams.size < maxStreams || this.#streams.has(key)) return true;
    const [oldest] = this.#streams.values();
    return oldest === undefined || isForgotten(oldest.seenMs, nowMs, limits);
  }

  /** Keeps a reading as the last of its life. */
  keep({ key, counter = {}, ...reading }: Reading, nowMs: number, limits: StreamLimits): void {
    const { epoch = '', sequence, temporality } = counter;
    const stream: Stream = this.#streams.get(key) ?? { seenMs: nowMs, lives: new Map() };
    this.#streams.delete(key);
    if (this.#streams.size >= (limits.maxStreams ?? Number.POSITIVE_INFINITY)) {
      const [oldest] = this.#streams.keys();
      this.#streams.delete(oldest!);
    }
    stream.seenMs = nowMs;
    this.#streams.set(key, stream);
    const before = stream.lives.get(epoch);
    if (!stream.lives.delete(epoch)) makeRoom(stream.lives, nowMs, limits);
    const isDelta = temporality === 'delta';
    const known = isDelta ? (before?.sequences ?? []) : [];
    const sequences = sequence === undefined ? known : [...known, sequence].slice(-MOST_SEQUENCES);
    const { counted, sum, min, max, rejected } = reading;
    const last = isDelta ? undefined : { counted, sum, min, max, rejected };
    stream.lives.set(epoch, { last, sequences, seenMs: nowMs });
  }

  forget(key: string): void {
    this.#streams.delete(key);
  }
}

function makeRoom(lives: Map<string, Life>, nowMs: number, limits: StreamLimits): void {
  const most = limits.epochs === 'side by side' ? MOST_LIVES : 1;
  for (const [epoch, { seenMs }] of lives) {
    if (lives.size >= most || isForgotten(seenMs, nowMs, limits)) lives.delete(epoch);
  }
}

function isForgotten(seenMs: number, nowMs: number, { forgetAfterMs = HOUR_MS }: StreamLimits): boolean {
  return nowMs - seenMs >= forgetAfterMs;
}
