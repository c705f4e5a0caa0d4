import type { Counted } from './counted.ts';
import type { Flaw } from './flaw.ts';
import { allOf, type Increase, increaseOf } from './increase.ts';

/** A point of a stream, with the times it tells. */
export interface TimedPoint {
  readonly startNs: bigint;
  readonly timeNs: bigint;
  readonly counted: Counted;
}

/** What a point means for its stream. */
export type Step =
  | {
      readonly kind: 'new';
      readonly increase: Increase;
      /** Whether the stream has begun anew. */
      readonly isReset: boolean;
      /** To be called once the increase has been added: then the point is what the next one is compared to. */
      readonly keep: () => void;
    }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'late' }
  | { readonly kind: 'refused'; readonly flaw: Flaw };

/** How many streams are known, and how long. */
export interface StreamLimits {
  readonly maxStreams: number;
  readonly forgetAfterMs: number;
}

/** A stream that was seen. */
interface Stream {
  seenMs: number;
  /**
   * The last point by start, as long as points come: processes that share all attributes are told apart by that. A delta
   * stream has one, under -1.
   */
  readonly epochs: Map<bigint, Epoch>;
}

interface Epoch {
  readonly point: TimedPoint;
  readonly seenMs: number;
}

const DELTA = -1n;
// As many processes may share their attributes. More of them would count what they have again and again.
const MOST_EPOCHS = 16;

/** What has been counted of each stream so far. */
export class Streams {
  readonly #limits: StreamLimits;
  /** By identity; the one that was not seen for longest is the first. */
  readonly #streams = new Map<string, Stream>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Says what a point of a delta stream adds: all that it has, unless it has come already. */
  delta(identity: string, point: TimedPoint, nowMs: number): Step {
    const last = this.#streams.get(identity)?.epochs.get(DELTA)?.point;
    const isKnown = last !== undefined && last.startNs === point.startNs && last.timeNs === point.timeNs;
    if (isKnown && point.timeNs !== 0n) return { kind: 'duplicate' };
    // Of a delta stream the times are enough.
    const kept = { ...point, counted: NOTHING };
    return this.#new(identity, { increase: allOf(point.counted), isReset: false }, DELTA, kept, nowMs);
  }

  /** Says what a point of a cumulative stream has more than the one before. */
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
      const message = `is of a new stream, and ${this.#limits.maxStreams} are known already`;
      return { kind: 'refused', flaw: { reason: 'tooManyStreams', message } };
    }
    return { kind: 'new', ...found, keep: () => this.#keep(identity, epoch, point, nowMs) };
  }

  #hasRoom(nowMs: number): boolean {
    if (this.#streams.size < this.#limits.maxStreams) return true;
    const [oldest] = this.#streams.values();
    return oldest === undefined || this.#isForgotten(oldest.seenMs, nowMs);
  }

  #keep(identity: string, epoch: bigint, point: TimedPoint, nowMs: number): void {
    const stream: Stream = this.#streams.get(identity) ?? { seenMs: nowMs, epochs: new Map() };
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
