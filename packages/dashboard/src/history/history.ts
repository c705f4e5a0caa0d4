import { Slices } from '@hdrscope/kit';
import type { Attributes, FamilySnapshot } from '@hdrscope/registry';
import type { SlotReaches } from '@hdrscope/registry/internal';
import type { HistoryFacts, SeriesFacts } from '../messages.ts';
import { type Coarsening, gapsBetween, placeToMerge, timeOf } from './coarsening.ts';
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
  /** As they were recorded. */
  readonly attributes: Attributes;
  /** Where the values of its slots may lie: see `SeriesSnapshot.reaches`. They only widen, so the last ones hold for all times. */
  readonly reaches: SlotReaches | undefined;
  /** The most values that one of its values stands for: see `Counted` of `@hdrscope/core`. It only grows, so the last one holds for all times. */
  readonly weight: number;
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

/** Intervals of an earlier process, and the series that they have counts of. */
export interface EarlierHistory {
  /** Ascending, without overlaps. */
  readonly intervals: readonly PackedInterval[];
  readonly series: readonly HistorySeries[];
}

// Clients get the last ones only.
const MOST_GAPS = 20;

/**
 * What every series counted, interval by interval. Counts are never lost: when there is no room for more intervals, neighbours are
 * merged, and the counts of a range of whole intervals are exact. Memory is bounded by `mostBytes`, unless 60 intervals take more.
 * When only gaps are between the intervals, there is nothing to merge, and the oldest one is forgotten.
 */
export class History {
  readonly #limits: HistoryLimits;
  /** Ascending, without overlaps. */
  #intervals: PackedInterval[] = [];
  /** Every series of an interval, by its id. */
  readonly #series = new Map<number, RememberedSeries>();
  #bytes = 0;

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
    const gaps = gapsBetween(this.#intervals);
    return {
      range: timeOf(this.#intervals),
      intervals: this.#intervals.length,
      finestMs: this.#intervals.length === 0 ? 0 : finestMs,
      coarsestMs,
      bytes: this.#bytes,
      mostBytes: this.#limits.mostBytes,
      gaps: gaps.slice(-MOST_GAPS),
      gapCount: gaps.length,
      gapMs: gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0),
    };
  }

  /** The series of an id; `undefined` when it counted nothing in the time that is remembered. */
  find(id: number): HistorySeries | undefined {
    return this.#series.get(id);
  }

  /** All series that counted something in the time that is remembered. */
  get series(): Iterable<HistorySeries> {
    return this.#series.values();
  }

  /**
   * Takes what an earlier process remembered: all of it, before the first call of `add`. A history that takes the intervals of another one in
   * two parts, the later ones one by one, is equal to it. Lets other work run meanwhile.
   *
   * @param later Intervals that the other history added after `intervals`.
   */
  async restore({ intervals, series }: EarlierHistory, later: readonly PackedInterval[]): Promise<void> {
    const slices = new Slices();
    const lastMs = new Map<number, number>();
    for (const { ids, endMs } of [...intervals, ...later].reverse()) {
      for (const id of ids) {
        if (!lastMs.has(id)) lastMs.set(id, endMs);
        if (slices.isOver()) await slices.next();
      }
    }
    for (const one of series) {
      const ms = lastMs.get(one.facts.id);
      if (ms !== undefined) this.#series.set(one.facts.id, { ...one, lastMs: ms });
    }
    for (const interval of intervals) this.#push(interval);
    for (const interval of later) {
      this.#push(interval);
      await this.#makeRoom(interval.endMs, slices);
    }
  }

  #push(interval: PackedInterval): void {
    this.#intervals.push(interval);
    this.#bytes += interval.byteLength;
  }

  /**
   * Adds an interval, which begins where the last one ends or later, and makes room for it. Lets other work run meanwhile. The next call
   * must wait for the end of this one.
   *
   * @returns The interval as it was before it was merged with others.
   */
  async add(
    startMs: number,
    endMs: number,
    increases: Iterable<Increase>,
    slices: Slices = new Slices(),
  ): Promise<PackedInterval> {
    const added = [...increases];
    // Only these parts: a series of the table also holds its latest snapshots.
    for (const { series } of added) {
      const { facts, family, attributes, reaches, weight } = series;
      this.#series.set(facts.id, { facts, family, attributes, reaches, weight, lastMs: endMs });
      if (slices.isOver()) await slices.next();
    }
    const interval = await packInterval(startMs, endMs, added, slices);
    this.#push(interval);
    await this.#makeRoom(endMs, slices);
    return interval;
  }

  async #makeRoom(nowMs: number, slices: Slices): Promise<void> {
    this.#forgetBefore(nowMs - this.#limits.spanMs);
    while (this.#isFull) await this.#mergeTwo(slices);
  }

  get #isFull(): boolean {
    const { length } = this.#intervals;
    return length > MOST_INTERVALS || (length > FEWEST_INTERVALS && this.#bytes > this.#limits.mostBytes);
  }

  async #mergeTwo(slices: Slices): Promise<void> {
    const at = placeToMerge(this.#intervals, this.#limits.coarsening);
    if (at === undefined) {
      this.#forgetBefore(this.#intervals[0]!.endMs);
      return;
    }
    const [first, second] = [this.#intervals[at]!, this.#intervals[at + 1]!];
    const merged = await mergedInterval(first, second, (id) => this.#slotCountsOf(id), slices);
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
