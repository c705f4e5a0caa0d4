import type { Layout } from '@hdrscope/core';
import { newRawHistogram, type RawHistogram } from '../scraper/raw-histogram.ts';
import type { WrittenSample } from './read-request.ts';

// Remote write sends the parts of a classic histogram as series of their own: `x_bucket` for each bound, `x_sum` and `x_count`. The parts
// of one time may come in several requests, and in any order. The parts of one series come in the order of their times.

/** A part of a classic histogram: the upper bound of a bucket, its sum, its count, or when it began. */
export type ClassicPart = number | 'sum' | 'count' | 'created';

/** The parts of one time. */
type PartSet = Map<ClassicPart, number>;

/** How many sets may wait for missing parts. With more, the oldest one is given up: later ones have its values too. */
const MOST_SETS = 8;
/** More buckets than any client makes. */
export const MOST_PARTS = 1024;

/** Assembles one classic histogram. */
export class ClassicSets {
  readonly labels: Readonly<Record<string, string>>;
  /** The parts that every set should have. */
  readonly #parts = new Set<ClassicPart>();
  readonly #sets = new Map<number, PartSet>();
  #createdMs: number | undefined;
  /** The time of the last set that was taken. */
  #takenMs = Number.NEGATIVE_INFINITY;
  /** When a part came last, by a monotonic clock. */
  touchedMs = 0;

  constructor(labels: Readonly<Record<string, string>>) {
    this.labels = labels;
  }

  /** How many numbers wait. */
  get held(): number {
    let held = 0;
    for (const set of this.#sets.values()) held += set.size;
    return held;
  }

  /** Whether another part would be one too many. */
  isFullFor(part: ClassicPart): boolean {
    return this.#parts.size >= MOST_PARTS && !this.#parts.has(part);
  }

  /**
   * Adds a part.
   *
   * @returns Whether it is new: the set of its time was not taken yet, and had no such part.
   */
  add(part: ClassicPart, { value, timeMs, startMs, isStale }: WrittenSample): boolean {
    if (isStale) {
      this.#parts.delete(part);
      return true;
    }
    if (part === 'created') {
      this.#createdMs = value * 1000;
      return true;
    }
    if (startMs !== undefined) this.#createdMs = startMs;
    if (timeMs <= this.#takenMs) return false;
    this.#parts.add(part);
    let set = this.#sets.get(timeMs);
    if (set === undefined) {
      set = new Map();
      this.#sets.set(timeMs, set);
    }
    if (set.has(part)) return false;
    set.set(part, value);
    return true;
  }

  /**
   * Takes the sets that have all parts, the earliest first. The first one waits for the one after it: until then nobody knows which
   * parts there are.
   */
  takeComplete(): RawHistogram[] {
    const times = this.#times();
    if (![...this.#parts].some((part) => typeof part === 'number' && Number.isFinite(part))) {
      // The buckets are still to come. A histogram that has only the bucket +Inf is refused.
      return times.length > MOST_SETS ? this.takeAll() : [];
    }
    const isFirst = this.#takenMs === Number.NEGATIVE_INFINITY;
    let complete = times.filter((timeMs) => this.#isComplete(timeMs));
    if (complete.length < (isFirst ? 2 : 1)) {
      if (times.length <= MOST_SETS) return [];
      this.#giveUpOldest(times[0]!);
      complete = this.#times().filter((timeMs) => this.#isComplete(timeMs));
      if (complete.length < (isFirst ? 2 : 1)) return [];
    }
    return this.#take(complete);
  }

  /** Takes the sets as they are: nobody knows whether parts are still to come. */
  takeAll(): RawHistogram[] {
    const taken = this.#take(this.#times().filter((timeMs) => hasTotal(this.#sets.get(timeMs)!)));
    // The next set has the values of what is left, which lacks its total.
    this.#sets.clear();
    return taken;
  }

  #times(): number[] {
    return [...this.#sets.keys()].sort((a, b) => a - b);
  }

  #isComplete(timeMs: number): boolean {
    const set = this.#sets.get(timeMs)!;
    if (!hasTotal(set)) return false;
    for (const part of this.#parts) if (!set.has(part)) return false;
    return true;
  }

  /** Parts that no later set has are parts of a process that ended. */
  #giveUpOldest(timeMs: number): void {
    this.#sets.delete(timeMs);
    for (const part of this.#parts) {
      if (![...this.#sets.values()].some((set) => set.has(part))) this.#parts.delete(part);
    }
  }

  #take(times: readonly number[]): RawHistogram[] {
    const taken = times.map((timeMs) => this.#histogramAt(timeMs));
    const lastMs = times.at(-1);
    if (lastMs === undefined) return taken;
    this.#takenMs = lastMs;
    // Parts come in the order of their times: what an earlier set lacks does not come any more.
    for (const timeMs of this.#sets.keys()) if (timeMs <= lastMs) this.#sets.delete(timeMs);
    return taken;
  }

  #histogramAt(timeMs: number): RawHistogram {
    const raw = { ...newRawHistogram(this.labels), timestampMs: timeMs, createdMs: this.#createdMs };
    for (const [part, value] of this.#sets.get(timeMs)!) {
      if (part === 'sum') raw.sum = value;
      else if (part === 'count') raw.count = value;
      else if (part !== 'created') {
        raw.bounds.push(part);
        raw.cumulative.push(value);
      }
    }
    return raw;
  }
}

function hasTotal(set: PartSet): boolean {
  return set.has(Number.POSITIVE_INFINITY) || set.has('count');
}

/**
 * A classic histogram without the bounds that the state before it lacks, and whether there are such bounds. The counts of two states can
 * be compared at the bounds that both have.
 *
 * @param before The layout of the state before; `undefined` for the first state.
 */
export function atKnownBounds(
  raw: RawHistogram,
  before: Layout | undefined,
): { readonly coarse: RawHistogram; readonly isFiner: boolean } {
  if (before?.kind !== 'explicit') return { coarse: raw, isFiner: false };
  const known = new Set<number>([Number.POSITIVE_INFINITY]);
  for (let slot = 0; slot < before.slotCount; slot++) known.add(before.upper(slot));
  const coarse = { ...raw, bounds: [] as number[], cumulative: [] as number[] };
  for (const [i, bound] of raw.bounds.entries()) {
    if (!known.has(bound)) continue;
    coarse.bounds.push(bound);
    coarse.cumulative.push(raw.cumulative[i]!);
  }
  const isFiner =
    coarse.bounds.length < raw.bounds.length && coarse.bounds.some((bound) => Number.isFinite(bound));
  return { coarse, isFiner };
}
