import { type HistoryRow, rowsBetween } from '@hdrscope/history';
import type { OtlpPoint } from '@hdrscope/otel/receiver';
import type { Reading, Snapshot } from '@hdrscope/registry';
import { addedRows, PLACEHOLDER, type Producers, type RowGroup } from './imported-files.ts';

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

// Sums.

// Senders, and the Collector between, deliver with delays.
const OPEN_MS = 3_600_000;
// About 50 MiB of rows.
const MOST_SLOTS = 2_000_000;
const SLOTS_OF_ROW = 20;

/**
 * Sums up rows by stretch of time and series. Stretches wait for late values: for an hour of the file's time, or less when there are
 * many series. Values that come later still count in the oldest stretch that waits, and `late` says how many.
 */
export class StretchSums {
  readonly #everyMs: number;
  readonly #producers: Producers;
  /** Ascending by their starts. */
  readonly #open = new Map<number, Map<string, HistoryRow>>();
  #slots = 0;
  #newestMs = Number.NEGATIVE_INFINITY;
  #writtenMs = Number.NEGATIVE_INFINITY;
  /** How many values came too late for their stretch. */
  late = 0;

  constructor(everyMs: number, producers: Producers) {
    this.#everyMs = everyMs;
    this.#producers = producers;
  }

  /** The stretch of a time. */
  stretchOf(timeMs: number): number {
    return Math.floor(timeMs / this.#everyMs) * this.#everyMs;
  }

  /** Adds what a registry counted between two snapshots, from a time to another one. */
  add(before: Snapshot, later: Snapshot, fromMs: number, toMs: number): void {
    const ownMs = this.stretchOf(fromMs);
    const isLate = ownMs <= this.#writtenMs;
    const stretchMs = isLate ? this.#oldestMs() : ownMs;
    this.#newestMs = Math.max(this.#newestMs, stretchMs);
    const sums = this.#open.get(stretchMs) ?? new Map<string, HistoryRow>();
    this.#open.set(stretchMs, sums);
    for (const row of rowsBetween(before, later, { producer: PLACEHOLDER })) {
      if (isLate) this.late += row.count;
      // A file that has grown may have earlier values in a stretch, and a row keeps its start.
      const endMs = Math.max(stretchMs, Math.floor(toMs));
      const producer = this.#producers.of(row);
      const own = { ...row, producer, sequence: stretchMs, startMs: stretchMs, endMs };
      const sum = sums.get(own.producer);
      const merged = sum === undefined ? own : addedRows(sum, own);
      this.#slots += merged.k.length - (sum === undefined ? -SLOTS_OF_ROW : sum.k.length);
      sums.set(own.producer, merged);
    }
  }

  /**
   * The rows of the stretches that wait no longer, the oldest first.
   *
   * @param requests How many requests of the file were read: the revision of the rows.
   */
  *ripe(requests: number): Generator<RowGroup, void> {
    for (const stretchMs of [...this.#open.keys()].sort((a, b) => a - b)) {
      const isFull = this.#slots > MOST_SLOTS && this.#open.size > 1;
      if (stretchMs > this.#newestMs - OPEN_MS && !isFull) return;
      yield this.#closed(stretchMs, requests);
    }
  }

  /** The rows of all other stretches. */
  *rest(requests: number): Generator<RowGroup, void> {
    for (const stretchMs of [...this.#open.keys()].sort((a, b) => a - b)) {
      yield this.#closed(stretchMs, requests);
    }
  }

  #closed(stretchMs: number, revision: number): RowGroup {
    const rows = [...this.#open.get(stretchMs)!.values()].map((row) => ({ ...row, revision }));
    this.#open.delete(stretchMs);
    this.#writtenMs = stretchMs;
    for (const { k } of rows) this.#slots -= k.length + SLOTS_OF_ROW;
    return rows;
  }

  #oldestMs(): number {
    const oldest = [...this.#open.keys()].reduce(
      (least, ms) => Math.min(least, ms),
      Number.POSITIVE_INFINITY,
    );
    return Number.isFinite(oldest) ? oldest : this.#writtenMs + this.#everyMs;
  }
}

// Losses.

/** Counts what an import of OTLP leaves out, and what it knows coarsely. */
export class OtlpLosses {
  /** Points of sums, gauges and summaries. */
  others = 0;
  /** Points that were refused, and the reasons for the first of them. */
  refused = 0;
  reasons = '';
  /** Points that do not say their time. */
  timeless = 0;
  /** Values of cumulative points that were counted before the file. */
  before = 0;
  /** Values in buckets without an upper bound. */
  open = 0;
  /** Values that a series cannot count: those below 0, and those beyond its resolution. */
  rejected = 0;
  /** Values that came after the rows of their stretch had been written. */
  late = 0;

  /** Takes note of refused points. */
  refuse(count: number, reasons: string): void {
    this.refused += count;
    if (this.reasons === '') this.reasons = reasons;
  }

  /** Adds the values that the series of a registry have rejected. */
  addRejected(snapshot: Snapshot | undefined): void {
    for (const { series } of snapshot?.families ?? []) {
      for (const { rejected } of series) {
        const { negative, notANumber, tooLarge, overflowing } = rejected;
        this.rejected += negative + notANumber + tooLarge + overflowing;
      }
    }
  }
}
