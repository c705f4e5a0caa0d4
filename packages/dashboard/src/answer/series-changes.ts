import { PackedSum, type UsedSlots } from '@hdrscope/core/internal';
import type { SeriesChange, SlotCounts } from '@hdrscope/explain/internal';
import type { Slices } from '@hdrscope/kit';
import type { SlotReaches } from '@hdrscope/registry/internal';
import type { FamilyDefinition, HistorySeries } from '../history/history.ts';
import type { PackedInterval } from '../history/packed-interval.ts';
import { keyOf } from '../question.ts';
import { countsErrors } from './errors.ts';
import { keptAttributes } from './groups.ts';
import { sumCounts } from './shift.ts';

/** More series than these are not explained one by one. */
export const MOST_SERIES = 5000;

/** Two times, by their intervals. */
export type TwoTimes = Readonly<Record<'before' | 'after', readonly PackedInterval[]>>;

/** What the series of a family counted in two times. */
export interface SeriesChanges {
  readonly series: readonly SeriesChange[];
  /** How many series are one without attributes, because there are more than `MOST_SERIES`. */
  readonly together: number;
}

/** What the series of a row counted in two times. */
export interface RowCounts extends Sides {
  /** The attributes that keep the row apart: `route=/search`. */
  readonly attributes: readonly string[];
  /** The series that counted something in these times. */
  readonly members: readonly HistorySeries[];
  /** How many values it has. */
  readonly counts: Readonly<Record<keyof TwoTimes, number>>;
  /** How many of them are of series that count errors. */
  readonly errors: Readonly<Record<keyof TwoTimes, number>>;
}

/** What the rows of a family counted in two times. */
export interface RowsInTimes {
  readonly rows: readonly RowCounts[];
  /** How many series are in one row without attributes, because there are more than `MOST_SERIES`. */
  readonly together: number;
}

/**
 * Adds up what each row of a family counted in two times. Series of equal attributes are one row: those that ended, and those after them.
 *
 * @param all The series of the family.
 * @param by The keys that keep rows apart. Left out: all keys.
 */
export async function sumRows(
  { layout: { slotCount } }: FamilyDefinition,
  all: readonly HistorySeries[],
  times: TwoTimes,
  slices: Slices,
  by?: readonly string[],
): Promise<RowsInTimes> {
  const alone = chooseLargest(all, times);
  const sum = new PackedSum(slotCount);
  const [before, after] = [new SeriesReader(times.before), new SeriesReader(times.after)];
  const joined = new Map<string, JoinedRow>();
  // The intervals have their series in this order.
  for (const one of [...all].sort((a, b) => a.facts.id - b.facts.id)) {
    const { facts, reaches } = one;
    const attributes = alone === undefined || alone.has(facts.id) ? keptAttributes(facts, by) : [];
    const sides = {
      before: listSlots(before.sumUp(facts.id, sum), reaches),
      after: listSlots(after.sumUp(facts.id, sum), reaches),
    };
    if (slices.isOver()) await slices.next();
    if (sides.before.k.length + sides.after.k.length === 0) continue;
    const key = attributes.join('\n');
    const row = joined.get(key) ?? startRow(attributes);
    joined.set(key, row);
    row.members.push(one);
    row.sides.push(sides);
    const isError = countsErrors(facts.attributes);
    for (const side of ['before', 'after'] as const) {
      const count = sumCounts(sides[side]);
      row.counts[side] += count;
      if (isError) row.errors[side] += count;
    }
  }
  const rows: RowCounts[] = [];
  for (const { sides, ...row } of joined.values()) {
    rows.push({
      ...row,
      before: sortSlots(sides.map(({ before }) => before)),
      after: sortSlots(sides.map(({ after }) => after)),
    });
    if (slices.isOver()) await slices.next();
  }
  return { rows, together: alone === undefined ? 0 : all.length - alone.size };
}

/** A row while it grows. */
interface JoinedRow {
  readonly attributes: readonly string[];
  readonly members: HistorySeries[];
  readonly sides: Sides[];
  readonly counts: Record<keyof TwoTimes, number>;
  readonly errors: Record<keyof TwoTimes, number>;
}

function startRow(attributes: readonly string[]): JoinedRow {
  return {
    ...{ attributes, members: [], sides: [] },
    counts: { before: 0, after: 0 },
    errors: { before: 0, after: 0 },
  };
}

/** Adds up what each series of a family counted in two times, as `sumRows` does. */
export async function sumChanges(
  family: FamilyDefinition,
  all: readonly HistorySeries[],
  times: TwoTimes,
  slices: Slices,
): Promise<SeriesChanges> {
  const { rows, together } = await sumRows(family, all, times, slices);
  const series = rows.map(({ attributes, before, after }) => ({
    attributes: Object.fromEntries(attributes.map(splitPair)),
    ...{ before, after },
  }));
  return { series, together };
}

type Sides = Pick<SeriesChange, 'before' | 'after'>;

/** `route=/search` as its key and its value. */
function splitPair(pair: string): [key: string, value: string] {
  const key = keyOf(pair);
  return [key, pair.slice(key.length + 1)];
}

/**
 * Reads series of some intervals, in the order of their ids. It takes a fraction of the time that one interval after another does, because the
 * sums of a series stay in the cache of the processor.
 */
class SeriesReader {
  readonly #intervals: readonly PackedInterval[];
  /** The place in each interval from which on ids are at least that of the last series. */
  readonly #places: Int32Array;

  constructor(intervals: readonly PackedInterval[]) {
    this.#intervals = intervals;
    this.#places = new Int32Array(intervals.length);
  }

  /** @param id Larger than that of the call before. */
  sumUp(id: number, sum: PackedSum): UsedSlots {
    const intervals = this.#intervals;
    for (let i = 0; i < intervals.length; i++) {
      const { ids, offsets, bytes } = intervals[i]!;
      let place = this.#places[i]!;
      while (place < ids.length && ids[place]! < id) place++;
      this.#places[i] = place;
      if (ids[place] === id) sum.add(bytes, offsets[2 * place]!, offsets[2 * place + 1]!);
    }
    return sum.take();
  }
}

/** The series whose counts take the most bytes; `undefined` when there are few enough. */
function chooseLargest(all: readonly HistorySeries[], times: TwoTimes): ReadonlySet<number> | undefined {
  if (all.length <= MOST_SERIES) return undefined;
  const sizes = new Map(all.map(({ facts }) => [facts.id, 0]));
  for (const { ids, offsets } of [...times.before, ...times.after]) {
    for (const [place, id] of ids.entries()) {
      const known = sizes.get(id);
      if (known !== undefined) sizes.set(id, known + offsets[2 * place + 1]! - offsets[2 * place]!);
    }
  }
  const largest = [...sizes].sort(([, a], [, b]) => b - a).slice(0, MOST_SERIES);
  return new Set(largest.map(([id]) => id));
}

/** Used slots, from the first one where their values may lie. */
function listSlots({ slots, counts }: UsedSlots, reaches: SlotReaches | undefined): SlotCounts {
  if (reaches === undefined) return { k: slots, c: counts };
  const ends = slots.map((slot) => reaches.get(slot) ?? { first: slot, last: slot });
  return { k: ends.map(({ first }) => first), c: counts, w: ends.map(({ first, last }) => last - first) };
}

/** Slots of several lists in one, ascending. */
function sortSlots(lists: readonly SlotCounts[]): SlotCounts {
  const [only] = lists;
  if (lists.length === 1 && only?.w === undefined) return only!;
  const all = lists.flatMap(({ k, c, w = [] }) =>
    k.map((slot, i) => ({ slot, count: c[i]!, width: w[i] ?? 0 })),
  );
  all.sort((a, b) => a.slot - b.slot || a.width - b.width);
  return {
    k: all.map(({ slot }) => slot),
    c: all.map(({ count }) => count),
    w: all.map(({ width }) => width),
  };
}
