import { Slices } from '@hdrscope/kit';
import type { FamilySnapshot } from '@hdrscope/registry';
import type { SlotReaches } from '@hdrscope/registry/internal';
import type { HistoryFacts, SeriesFacts } from '../messages.ts';
import { type Coarsening, placeToMerge, timeOf } from './coarsening.ts';
import {
  mergedInterval,
  type PackedInterval,
  packInterval,
  type SeriesIncrease,
  type SlotCounts,
} from './packed-interval.ts';

/** The definition of a family, without its series. */
export type FamilyDefinition = Omit<FamilySnapshot, 'series'>;

/** A series that the history has counts of. */
export interface HistorySeries {
  readonly facts: SeriesFacts;
  readonly family: FamilyDefinition;
  /** Where the values of its slots may lie: see `SeriesSnapshot.reaches`. They only widen, so the last ones hold for all times. */
  readonly reaches: SlotReaches | undefined;
}

/** What a series counted since the last update. */
export interface Increase extends SeriesIncrease {
  readonly series: HistorySeries;
}

/** How much a history remembers. */
export interface HistoryLimits {
  /** Older intervals are forgotten, in milliseconds. */
  readonly spanMs: number;
  /** Beyond it, neighbouring intervals are merged. */
  readonly mostBytes: number;
  readonly coarsening: Coarsening;
}

// A screen has no room for more, and each is read to draw a series.
const MOST_INTERVALS = 1200;

// With fewer intervals nobody sees when something happened: the memory grows instead.
const FEWEST_INTERVALS = 60;

/**
 * What every series counted, interval by interval. Counts are never lost: when there is no room for more intervals, neighbours are
 * merged, and the counts of a range of whole intervals are exact. Memory is bounded by `mostBytes`, unless 60 intervals take more.
 */
export class History {
  readonly #limits: HistoryLimits;
  /** Ascending, without overlaps. */
  #intervals: PackedInterval[] = [];
  /** Every series of an interval, by its id. */
  readonly #series = new Map<number, RememberedSeries>();
  #bytes = 0;
  readonly #slices = new Slices();

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Ascending in time. */
  get intervals(): readonly PackedInterval[] {
    return this.#intervals;
  }

  get facts(): HistoryFacts {
    let [finestMs, coarsestMs] = [Number.POSITIVE_INFINITY, 0];
    for (const { startMs, endMs } of this.#intervals) {
      finestMs = Math.min(finestMs, endMs - startMs);
      coarsestMs = Math.max(coarsestMs, endMs - startMs);
    }
    return {
      range: timeOf(this.#intervals),
      intervals: this.#intervals.length,
      finestMs: this.#intervals.length === 0 ? 0 : finestMs,
      coarsestMs,
      bytes: this.#bytes,
      mostBytes: this.#limits.mostBytes,
    };
  }

  /** All series that counted something in the time that is remembered. */
  get series(): Iterable<HistorySeries> {
    return this.#series.values();
  }

  /**
   * Adds an interval, which begins where the last one ends or later, and makes room for it. Lets other work run meanwhile. The next call
   * must wait for the end of this one.
   */
  async add(startMs: number, endMs: number, increases: Iterable<Increase>): Promise<void> {
    const added = [...increases];
    // Only these parts: a series of the table also holds its latest snapshots.
    for (const { series } of added) {
      const { facts, family, reaches } = series;
      this.#series.set(facts.id, { facts, family, reaches, lastMs: endMs });
    }
    const interval = await packInterval(startMs, endMs, added, this.#slices);
    this.#intervals.push(interval);
    this.#bytes += interval.byteLength;
    this.#forgetBefore(endMs - this.#limits.spanMs);
    while (this.#isFull) await this.#mergeTwo();
  }

  get #isFull(): boolean {
    const { length } = this.#intervals;
    return length > MOST_INTERVALS || (length > FEWEST_INTERVALS && this.#bytes > this.#limits.mostBytes);
  }

  async #mergeTwo(): Promise<void> {
    const at = placeToMerge(this.#intervals, this.#limits.coarsening);
    const [first, second] = [this.#intervals[at]!, this.#intervals[at + 1]!];
    const merged = await mergedInterval(first, second, (id) => this.#slotCountsOf(id), this.#slices);
    this.#intervals.splice(at, 2, merged);
    this.#bytes += merged.byteLength - first.byteLength - second.byteLength;
  }

  #slotCountsOf(id: number): SlotCounts {
    const { layout, boundaries } = this.#series.get(id)!.family;
    return { slots: layout.slotCount, buckets: boundaries === undefined ? 0 : boundaries.length + 1 };
  }

  #forgetBefore(earliestMs: number): void {
    const kept = this.#intervals.findIndex(({ endMs }) => endMs > earliestMs);
    const forgotten = this.#intervals.splice(0, Math.max(0, kept));
    if (forgotten.length === 0) return;
    for (const { byteLength } of forgotten) this.#bytes -= byteLength;
    const startMs = this.#intervals[0]?.startMs ?? Number.POSITIVE_INFINITY;
    for (const [id, { lastMs }] of this.#series) if (lastMs <= startMs) this.#series.delete(id);
  }
}

interface RememberedSeries extends HistorySeries {
  /** The end of the last interval in which it counted something. */
  readonly lastMs: number;
}
