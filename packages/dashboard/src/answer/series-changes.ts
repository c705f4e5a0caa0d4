import { PackedSum, type UsedSlots } from '@hdrscope/core/internal';
import type { SeriesChange, SlotCounts } from '@hdrscope/explain/internal';
import type { Slices } from '@hdrscope/kit';
import type { SlotReaches } from '@hdrscope/registry/internal';
import type { FamilyDefinition, HistorySeries } from '../history/history.ts';
import type { PackedInterval } from '../history/packed-interval.ts';
import { keyOf } from '../question.ts';
import { SeriesReader } from './series-reader.ts';

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

/**
 * Adds up what each series of a family counted in two times. Series of equal attributes are one: those that ended, and those after them.
 *
 * @param all The series of the family.
 */
export async function sumChanges(
  { layout: { slotCount } }: FamilyDefinition,
  all: readonly HistorySeries[],
  times: TwoTimes,
  slices: Slices,
): Promise<SeriesChanges> {
  const alone = await chooseLargest(all, times, slices);
  const sum = new PackedSum(slotCount);
  const [before, after] = [new SeriesReader(times.before), new SeriesReader(times.after)];
  const joined = new Map<
    string,
    { readonly attributes: readonly string[]; readonly sides: Sides[]; weight: number }
  >();
  // The intervals have their series in this order.
  for (const { facts, reaches, weight } of [...all].sort((a, b) => a.facts.id - b.facts.id)) {
    const attributes = alone === undefined || alone.has(facts.id) ? facts.attributes : [];
    const read = (reader: SeriesReader): SlotCounts => {
      reader.addTo(sum, facts.id);
      return listSlots(sum.take(), reaches);
    };
    const sides = { before: read(before), after: read(after) };
    if (slices.isOver()) await slices.next();
    if (sides.before.k.length + sides.after.k.length === 0) continue;
    const key = attributes.join('\n');
    const row = joined.get(key) ?? { attributes, sides: [], weight };
    joined.set(key, row);
    row.sides.push(sides);
    row.weight = Math.max(row.weight, weight);
  }
  const series: SeriesChange[] = [];
  for (const { attributes, sides, weight } of joined.values()) {
    series.push({
      attributes: Object.fromEntries(attributes.map(splitPair)),
      before: sortSlots(sides.map(({ before }) => before)),
      after: sortSlots(sides.map(({ after }) => after)),
      weight,
    });
    if (slices.isOver()) await slices.next();
  }
  return { series, together: alone === undefined ? 0 : all.length - alone.size };
}

type Sides = Pick<SeriesChange, 'before' | 'after'>;

/** `route=/search` as its key and its value. */
function splitPair(pair: string): [key: string, value: string] {
  const key = keyOf(pair);
  return [key, pair.slice(key.length + 1)];
}

/** The series whose counts take the most bytes; `undefined` when there are few enough. */
export async function chooseLargest(
  all: readonly HistorySeries[],
  times: TwoTimes,
  slices: Slices,
): Promise<ReadonlySet<number> | undefined> {
  if (all.length <= MOST_SERIES) return undefined;
  const sizes = new Map(all.map(({ facts }) => [facts.id, 0]));
  for (const { ids, offsets } of [...times.before, ...times.after]) {
    for (const [place, id] of ids.entries()) {
      const known = sizes.get(id);
      if (known !== undefined) sizes.set(id, known + offsets[2 * place + 1]! - offsets[2 * place]!);
      if (slices.isOver()) await slices.next();
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
