import type { Counted } from './counted.ts';
import { allOf, type Increase, increaseOf } from './increase.ts';
import type { PointRefusal } from './point-refusal.ts';

/** A point of a stream with its times, in nanoseconds since 1970. */
export interface TimedPoint {
  readonly startNs: bigint;
  readonly timeNs: bigint;
  readonly counted: Counted;
}

/** The effect of a point on its stream. */
export type Step =
  | {
      readonly kind: 'new';
      readonly increase: Increase;
      /** Whether the stream has restarted. */
      readonly isReset: boolean;
      /** Call this once the increase has been added: the next point is then compared with this one. */
      readonly keep: () => void;
    }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'late' }
  | { readonly kind: 'refused'; readonly refusal: PointRefusal };

/** How many streams are remembered, and for how long. */
export interface StreamLimits {
  readonly maxStreams: number;
  readonly forgetAfterMs: number;
}

/** A stream that has sent points. */
interface ReceivedStream {
  seenMs: number;
  /**
   * The last point of each start time, which distinguishes processes that share all attributes. A delta stream has a single
   * epoch, under -1.
   */
  readonly epochs: Map<bigint, Epoch>;
}

interface Epoch {
  readonly point: TimedPoint;
  readonly seenMs: number;
}

const DELTA = -1n;
// The limit on processes that share their attributes. With more, forgotten ones would count in full again and again.
const MOST_EPOCHS = 16;

/** Remembers what each stream has counted so far. */
export class Streams {
  readonly #limits: StreamLimits;
  /** By identity, in the order of their last points: the longest silent stream is first. */
  readonly #streams = new Map<string, ReceivedStream>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Returns the effect of a point of a delta stream: it adds all of its counts, unless it repeats the last point. */
  delta(identity: string, point: TimedPoint, nowMs: number): Step {
    const last = this.#streams.get(identity)?.epochs.get(DELTA)?.point;
    const isKnown = last !== undefined && last.startNs === point.startNs && last.timeNs === point.timeNs;
    if (isKnown && point.timeNs !== 0n) return { kind: 'duplicate' };
    // To recognise a repetition, the times of a delta point are enough.
    const kept = { ...point, counted: NOTHING };
    return this.#new(identity, { increase: allOf(point.counted), isReset: false }, DELTA, kept, nowMs);
  }

  /** Returns the effect of a point of a cumulative stream: it adds its counts less those of the point before. */
  cumulative(identity: string, point: TimedPoint, nowMs: number): Step {
    const { startNs, timeNs, counted } = point;
    const stream = this.#streams.get(identity);
    const last = stream?.epochs.get(startNs)?.point;
    if (last === undefined) {
      const isReset = stream !== undefined;
      return this.#new(identity, { increase: allOf(counted), isReset }, startNs, point, nowMs);
    }
    if (timeNs !== 0n && timeNs <= last.timeNs) {
      return timeNs === last.timeNs ? { kind: 'duplicate' } : { kind: 'late' };
    }
    const increase = increaseOf(last.counted, counted);
    const found = { increase: increase ?? allOf(counted), isReset: increase === undefined };
    return this.#new(identity, found, startNs, point, nowMs);
  }

  #new(
    identity: string,
    found: { readonly increase: Increase; readonly isReset: boolean },
    epoch: bigint,
    point: TimedPoint,
    nowMs: number,
  ): Step {
    if (!this.#streams.has(identity) && !this.#hasRoom(nowMs)) {
      const message = `belongs to a new stream, and the limit of ${this.#limits.maxStreams} streams is reached`;
      return { kind: 'refused', refusal: { reason: 'tooManyStreams', message } };
    }
    return { kind: 'new', ...found, keep: () => this.#keep(identity, epoch, point, nowMs) };
  }

  #hasRoom(nowMs: number): boolean {
    if (this.#streams.size < this.#limits.maxStreams) return true;
    const [oldest] = this.#streams.values();
    return oldest === undefined || this.#isForgotten(oldest.seenMs, nowMs);
  }

  #keep(identity: string, epoch: bigint, point: TimedPoint, nowMs: number): void {
    const stream: ReceivedStream = this.#streams.get(identity) ?? { seenMs: nowMs, epochs: new Map() };
    this.#streams.delete(identity);
    if (this.#streams.size >= this.#limits.maxStreams) {
      const [oldest] = this.#streams.keys();
      this.#streams.delete(oldest!);
    }
    stream.seenMs = nowMs;
    this.#streams.set(identity, stream);
    if (!stream.epochs.delete(epoch)) this.#makeRoom(stream.epochs, nowMs);
    stream.epochs.set(epoch, { point, seenMs: nowMs });
  }

  #makeRoom(epochs: Map<bigint, Epoch>, nowMs: number): void {
    for (const [start, { seenMs }] of epochs) {
      if (epochs.size >= MOST_EPOCHS || this.#isForgotten(seenMs, nowMs)) epochs.delete(start);
    }
  }

  #isForgotten(seenMs: number, nowMs: number): boolean {
    return nowMs - seenMs >= this.#limits.forgetAfterMs;
  }
}

const NOTHING: Counted = {
  count: 0,
  sum: undefined,
  min: undefined,
  max: undefined,
  buckets: { kind: 'explicit', bounds: [], counts: [] },
};
