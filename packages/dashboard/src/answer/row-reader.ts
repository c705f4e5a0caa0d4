import { PackedSum } from '@hdrscope/core/internal';
import type { Slices } from '@hdrscope/kit';
import type { HistorySeries } from '../history/history.ts';
import { CumulativeCounts } from './cumulative-counts.ts';
import type { RankedRow } from './ranked-rows.ts';
import type { TwoTimes } from './series-changes.ts';
import { SeriesReader } from './series-reader.ts';

/** The values of a row in some time. */
export interface RowSide {
  /** By the slots where they are at least. */
  readonly first: CumulativeCounts;
  /** By the slots where they are at most: the same object as `first` where each value lies in its slot. */
  readonly last: CumulativeCounts;
}

/** The values of a row in two times. */
export type Sides = Readonly<Record<keyof TwoTimes, RowSide>>;

/** Reads what rows counted in two times, one row after another in the same memory. Runs in slices. */
export class TimesReader {
  readonly #slices: Slices;
  readonly #series: Readonly<Record<keyof TwoTimes, SeriesReader>>;
  readonly #firsts: PackedSum;
  readonly #lasts: PackedSum;
  /** The counts of a series whose values may lie in other slots than their own. */
  readonly #own: PackedSum;
  readonly #ownCounts = new CumulativeCounts();
  readonly #slotCount: number;
  readonly #sides: Sides = { before: startSide(), after: startSide() };

  /** @param slotCount The slots of the largest layout. */
  constructor(times: TwoTimes, slotCount: number, slices: Slices) {
    this.#slices = slices;
    this.#series = { before: new SeriesReader(times.before), after: new SeriesReader(times.after) };
    this.#firsts = new PackedSum(slotCount);
    this.#lasts = new PackedSum(slotCount);
    this.#own = new PackedSum(slotCount);
    this.#slotCount = slotCount;
  }

  /**
   * Adds up the series of a row.
   *
   * @param isWide Whether values of one of them may lie in other slots than their own.
   * @returns Good until the next call.
   */
  async read(members: readonly HistorySeries[], isWide: boolean): Promise<Sides> {
    const before = await this.#readSide('before', members, isWide);
    return { before, after: await this.#readSide('after', members, isWide) };
  }

  /** What all rows of a family counted in the time before: good for as long as the caller wants. */
  async readWhole(rows: readonly Pick<RankedRow, 'members' | 'isWide'>[]): Promise<RowSide> {
    const sums = [new PackedSum(this.#slotCount), new PackedSum(this.#slotCount)] as const;
    for (const { members, isWide } of rows) {
      const { first, last } = await this.#readSide('before', members, isWide);
      first.addTo(sums[0]);
      last.addTo(sums[1]);
    }
    return takeSide(
      startSide(),
      sums,
      rows.some(({ isWide }) => isWide),
    );
  }

  async #readSide(
    time: keyof TwoTimes,
    members: readonly HistorySeries[],
    isWide: boolean,
  ): Promise<RowSide> {
    const series = this.#series[time];
    for (const { facts, reaches } of members) {
      if (isWide) {
        series.addTo(this.#own, facts.id);
        this.#ownCounts.take(this.#own);
        this.#ownCounts.addTo(this.#firsts, (slot) => reaches?.get(slot)?.first ?? slot);
        this.#ownCounts.addTo(this.#lasts, (slot) => reaches?.get(slot)?.last ?? slot);
      } else series.addTo(this.#firsts, facts.id);
      if (this.#slices.isOver()) await this.#slices.next();
    }
    return takeSide(this.#sides[time], [this.#firsts, this.#lasts], isWide);
  }
}

function startSide(): RowSide {
  return { first: new CumulativeCounts(), last: new CumulativeCounts() };
}

function takeSide(
  { first, last }: RowSide,
  [firsts, lasts]: readonly [firsts: PackedSum, lasts: PackedSum],
  isWide: boolean,
): RowSide {
  first.take(firsts);
  last.take(lasts);
  return { first, last: isWide ? last : first };
}
