import { type HistoryRow, rowsBetween } from '@hdrscope/history';
import type { Snapshot } from '@hdrscope/registry';
import { addedRows, PLACEHOLDER, type Producers, type RowGroup } from '../imported-rows.ts';
import { HOUR_MS } from '../stretch.ts';

// Senders, and the Collector between, deliver with delays.
const OPEN_MS = HOUR_MS;
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
      const startMs = isLate ? stretchMs : Math.floor(fromMs);
      const endMs = Math.max(startMs, Math.floor(toMs));
      const own = { ...row, producer: this.#producers.of(row), sequence: stretchMs, startMs, endMs };
      const sum = sums.get(own.producer);
      const merged = sum === undefined ? own : addedRows(sum, own);
      this.#slots += merged.k.length - (sum === undefined ? -SLOTS_OF_ROW : sum.k.length);
      sums.set(own.producer, merged);
    }
  }

  /** The rows of the stretches that wait no longer, the oldest first. */
  *ripe(): Generator<RowGroup, void> {
    for (const stretchMs of [...this.#open.keys()].sort((a, b) => a - b)) {
      const isFull = this.#slots > MOST_SLOTS && this.#open.size > 1;
      if (stretchMs > this.#newestMs - OPEN_MS && !isFull) return;
      yield this.#closed(stretchMs);
    }
  }

  /** The rows of all other stretches. */
  *rest(): Generator<RowGroup, void> {
    for (const stretchMs of [...this.#open.keys()].sort((a, b) => a - b)) yield this.#closed(stretchMs);
  }

  #closed(stretchMs: number): RowGroup {
    const rows = [...this.#open.get(stretchMs)!.values()];
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
