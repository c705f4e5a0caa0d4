import type { Reading } from './reading.ts';

/** How many distributions of a source are remembered, and how long. */
export interface StreamLimits {
  /**
   * The largest number of keys that are known at a time: an integer of at least 1. Readings of further keys are
   * refused.
   * @default no limit
   */
  readonly maxStreams?: number | undefined;
  /**
   * The time without a reading after which a key may be forgotten, in milliseconds: above 0. It is forgotten when
   * another key needs its room. All counts of a forgotten key are new when it comes back.
   * @default 3,600,000, an hour
   */
  readonly forgetAfterMs?: number | undefined;
  /**
   * Whether the lives of one key follow each other, as those of a map under a pin do, or go on side by side, as those
   * of processes with equal attributes do. Side by side, the latest 16 lives of a key are remembered, and there is no first answer:
   * `since: 'now'` leaves out the first reading of each cumulative life that began before the ingestion did, or when nobody knows, and that
   * of a life that was forgotten.
   * @default 'in turn'
   */
  readonly epochs?: 'in turn' | 'side by side' | undefined;
}

/** The part of a reading that the next reading of its life is compared with. */
export type LastReading = Pick<Reading, 'counted' | 'sum' | 'min' | 'max' | 'rejected'>;

/** One life of a key. */
export interface Life {
  readonly epoch: string;
  /** Left out for a delta counter, whose readings are not compared. */
  readonly last: LastReading | undefined;
  /** The sequences of the latest readings, at most 8 for a delta counter and 1 for a cumulative one. */
  readonly sequences: readonly bigint[];
  /** When its last read began. */
  readonly seenMs: number;
}

interface Stream {
  seenMs: number;
  /** The life that was read last is the last. Nearly all streams have one, and a map would take three times its memory. */
  lives: Life[];
}

const MOST_LIVES = 16;
// A sender repeats a request when the response got lost, and its points may arrive in any order.
const MOST_SEQUENCES = 8;
const HOUR_MS = 3_600_000;

/**
 * The last readings of a source, by key and epoch. Users hand it from one ingestion to the next, and need not look
 * into it.
 */
export class IngestMemory {
  /** @internal Whether the source has answered. */
  hasAnswered = false;
  /**
   * @internal By the monotonic clock: counters that began before may have been counted before, by an earlier process or before they were
   * forgotten. `undefined` before the first ingestion.
   */
  unknownUntilMs: number | undefined;
  /** The key that was read last is the last. */
  readonly #streams = new Map<string, Stream>();

  /** @internal How many keys are known. */
  get size(): number {
    return this.#streams.size;
  }

  /** @internal The known keys; the key that was read last is the last. */
  keys(): IterableIterator<string> {
    return this.#streams.keys();
  }

  /** @internal Whether a distribution with this key was read before and is still remembered. */
  has(key: string): boolean {
    return this.#streams.has(key);
  }

  /** @internal The epoch of the last reading of a key; `undefined` for an unknown key. */
  latestEpoch(key: string): string | undefined {
    return this.#streams.get(key)?.lives.at(-1)?.epoch;
  }

  /** @internal A life of a key, as it was read last; `undefined` when it was not read before. */
  lifeOf(key: string, epoch: string): Life | undefined {
    return this.#streams.get(key)?.lives.find((life) => life.epoch === epoch);
  }

  /** @internal Whether a reading of this key can be kept. */
  hasRoomFor(key: string, nowMs: number, limits: StreamLimits): boolean {
    const { maxStreams = Number.POSITIVE_INFINITY } = limits;
    if (this.#streams.size < maxStreams || this.#streams.has(key)) return true;
    const [oldest] = this.#streams.values();
    return oldest === undefined || mayBeForgotten(oldest, nowMs, limits);
  }

  /** @internal Keeps a reading as the last one of its life. A new key takes the room of the key that was not read for longest. */
  keep(reading: Reading, nowMs: number, limits: StreamLimits): void {
    const { key, counted, sum, min, max, rejected, counter = {} } = reading;
    const { epoch = '', sequence, temporality } = counter;
    const stream = this.#touch(key, nowMs, limits);
    const before = stream.lives.find((life) => life.epoch === epoch);
    const others =
      before === undefined
        ? this.#livesWithRoom(stream.lives, nowMs, limits)
        : stream.lives.filter((life) => life !== before);
    const isDelta = temporality === 'delta';
    const known = isDelta ? (before?.sequences ?? []) : [];
    const life: Life = {
      epoch,
      last: isDelta ? undefined : { counted, sum, min, max, rejected },
      sequences: sequence === undefined ? known : [...known, sequence].slice(-MOST_SEQUENCES),
      seenMs: nowMs,
    };
    stream.lives = [...others, life];
  }

  /** @internal Forgets all lives of a distribution, so that its next reading is a first one. */
  forget(key: string): void {
    this.#streams.delete(key);
  }

  /** Makes a key the one that was read last. */
  #touch(key: string, nowMs: number, { maxStreams = Number.POSITIVE_INFINITY }: StreamLimits): Stream {
    const stream: Stream = this.#streams.get(key) ?? { seenMs: nowMs, lives: [] };
    this.#streams.delete(key);
    if (this.#streams.size >= maxStreams) {
      const [oldest] = this.#streams;
      if (oldest !== undefined) {
        this.#streams.delete(oldest[0]);
        this.#noteForgotten(oldest[1]);
      }
    }
    stream.seenMs = nowMs;
    this.#streams.set(key, stream);
    return stream;
  }

  /** The lives that have not ended, and are so few that there is room for another one. */
  #livesWithRoom(lives: readonly Life[], nowMs: number, limits: StreamLimits): Life[] {
    const most = limits.epochs === 'side by side' ? MOST_LIVES : 1;
    let left = lives.length;
    return lives.filter((life) => {
      if (left < most && !mayBeForgotten(life, nowMs, limits)) return true;
      left--;
      this.#noteForgotten(life);
      return false;
    });
  }

  /** A counter that was forgotten began before it was seen last. */
  #noteForgotten({ seenMs }: { readonly seenMs: number }): void {
    if (this.unknownUntilMs !== undefined) this.unknownUntilMs = Math.max(this.unknownUntilMs, seenMs);
  }
}

function mayBeForgotten(
  { seenMs }: { readonly seenMs: number },
  nowMs: number,
  { forgetAfterMs = HOUR_MS }: StreamLimits,
): boolean {
  return nowMs - seenMs >= forgetAfterMs;
}
