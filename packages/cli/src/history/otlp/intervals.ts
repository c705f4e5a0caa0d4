import type { OtlpPoint } from '@hdrscope/otel/receiver';
import type { Reading } from '@hdrscope/registry';

/** A point whose counts are new, and the time in which they were counted. */
export interface OtlpInterval {
  readonly reading: Reading;
  /** In milliseconds since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether the counts are those before the file, which nobody knows the time of: later points are compared with them. */
  readonly isBefore: boolean;
}

/** A first point of a cumulative stream, until a second one says how often the stream comes. */
interface First {
  readonly reading: Reading;
  readonly startMs: number;
  readonly timeMs: number;
}

// An export is late by a part of its interval. By a whole one it is another export.
const REGULAR = 1.5;

/**
 * Finds out in which time the counts of points were counted. A delta point says it. A cumulative point has what was counted since the
 * point before it.
 *
 * The first point of a cumulative stream has all counts since the process began, and an earlier file may have some of them. They count
 * when the point is the first that the process sent: when the process began no longer before it than one and a half times the time from
 * it to the second point. Then no earlier file can have them. They count also when earlier points of the file, of the same process, did not
 * have the stream: it is new then.
 */
export class OtlpIntervals {
  /** The keys of all cumulative streams, in whatever life. */
  readonly #keys = new Set<string>();
  readonly #firsts = new Map<string, First>();
  readonly #senders = new Map<string, SenderTimes>();
  /** The shortest time between two points of a stream; infinite until a stream has two. */
  #leastGapMs = Number.POSITIVE_INFINITY;
  /** The last time of each cumulative stream. */
  readonly #lastMs = new Map<string, number>();

  /** The intervals that a point shows, in the order in which they are to be counted. */
  take({ reading, sender, startMs, timeMs }: OtlpPoint & { readonly timeMs: number }): OtlpInterval[] {
    const previousMs = this.#previousOf(sender, timeMs);
    const { key, counter = {} } = reading;
    const { temporality, epoch = '' } = counter;
    if (temporality === 'delta') {
      return [{ reading, fromMs: Math.min(startMs ?? timeMs, timeMs), toMs: timeMs, isBefore: false }];
    }
    const life = JSON.stringify([key, epoch]);
    const first = this.#firsts.get(life);
    const lastMs = this.#lastMs.get(life);
    const isKnown = this.#keys.has(key);
    this.#keys.add(key);
    this.#lastMs.set(life, Math.max(lastMs ?? timeMs, timeMs));
    if (first !== undefined) {
      if (timeMs <= first.timeMs) return [];
      this.#firsts.delete(life);
      this.#leastGapMs = Math.min(this.#leastGapMs, timeMs - first.timeMs);
      return [
        this.#firstInterval(first, timeMs - first.timeMs),
        { reading, fromMs: first.timeMs, toMs: timeMs, isBefore: false },
      ];
    }
    const fromMs = Math.min(startMs ?? timeMs, timeMs);
    if (lastMs !== undefined) {
      return [{ reading, fromMs: Math.min(lastMs, timeMs), toMs: timeMs, isBefore: false }];
    }
    // Another life of a known stream: the process was started again.
    if (isKnown) return [{ reading, fromMs, toMs: timeMs, isBefore: false }];
    if (previousMs !== undefined) {
      return [{ reading, fromMs: Math.max(fromMs, previousMs), toMs: timeMs, isBefore: false }];
    }
    this.#firsts.set(life, { reading, startMs: fromMs, timeMs });
    return [];
  }

  /** The first points that no second one followed. */
  end(): OtlpInterval[] {
    const firsts = [...this.#firsts.values()];
    this.#firsts.clear();
    return firsts.map((first) => this.#firstInterval(first, this.#leastGapMs));
  }

  #firstInterval({ reading, startMs, timeMs }: First, gapMs: number): OtlpInterval {
    return { reading, fromMs: startMs, toMs: timeMs, isBefore: timeMs - startMs > REGULAR * gapMs };
  }

  /** The time of the export before this one of the same sender; `undefined` during the first one. */
  #previousOf(sender: string, timeMs: number): number | undefined {
    const times = this.#senders.get(sender) ?? { previousMs: undefined, lastMs: timeMs };
    if (timeMs > times.lastMs + SAME_EXPORT_MS) {
      times.previousMs = times.lastMs;
      times.lastMs = timeMs;
    }
    this.#senders.set(sender, times);
    return times.previousMs;
  }
}

interface SenderTimes {
  previousMs: number | undefined;
  lastMs: number;
}

// The readers of a process collect one after the other.
const SAME_EXPORT_MS = 500;
