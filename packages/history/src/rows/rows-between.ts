import { HdrscopeError, type Resolution } from '@hdrscope/core';
import { assertOptions, fromTicks, mustBe, type OptionsOwner, usedSlots } from '@hdrscope/core/internal';
import {
  type Attributes,
  EMPTY_SNAPSHOT,
  type FamilySnapshot,
  type SeriesSnapshot,
  type Snapshot,
} from '@hdrscope/registry';
import { attributeTexts, wellFormed } from './attribute-texts.ts';
import { SlotSums } from './merge-rows.ts';
import { FORMAT_VERSION, type HistoryRow } from './row.ts';
import { bitsOf, slotBounds, slotOfTick } from './slots.ts';
import { sumInTicks, valueInTicks } from './ticks.ts';

/** What rows say about those who made them. */
export interface RowFacts {
  /** Who counted: another text for each start of a process, not empty. */
  readonly producer: string;
  /** The sequence of the first row; later rows have the next ones. An integer from 0 on. @default 0 */
  readonly sequence?: number;
}

/**
 * The rows of what a registry counted between two snapshots: one for each series with a new value. It works row by row, so that a caller
 * with many series may pause between two rows.
 *
 * Counts are exact. `min` and `max` are exact where the registry knows them, and `sum` is the difference of two sums; all three are in
 * ticks of the family's resolution. Values that were rejected are in no row.
 *
 * @param earlier An earlier snapshot of the same registry. Without one, rows have all counts of `later`, from the starts of the series.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a fact does not exist or is outside its range; `ERR_INCOMPATIBLE` when the snapshots are not of one
 *   registry.
 * @example
 * ```ts
 * import { rowsBetween } from '@hdrscope/history';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const durations = registry.histogram({ name: 'http.duration', unit: 's' });
 * durations.with({ route: '/pay' }).record(0.25);
 * const before = await registry.gather();
 * durations.with({ route: '/pay' }).record(0.5);
 *
 * const [row] = rowsBetween(before, await registry.gather(), { producer: 'shop 7d1f' });
 * [row!.metric, row!.attributes.route, row!.count, row!.max * row!.scale]; //=> ['http.duration', '/pay', 1, 0.5]
 * ```
 */
export function* rowsBetween(
  earlier: Snapshot | undefined,
  later: Snapshot,
  facts: RowFacts,
): Generator<HistoryRow, void, undefined> {
  assertOptions(facts, FACTS);
  const { producer, sequence = 0 } = facts;
  if (typeof producer !== 'string' || producer === '') {
    throw mustBe('ERR_INVALID_OPTION', 'producer', 'a text, not empty', producer);
  }
  if (!Number.isSafeInteger(sequence) || sequence < 0) {
    throw mustBe('ERR_INVALID_OPTION', 'sequence', 'an integer from 0 to 2^53 - 1', sequence);
  }
  let next = sequence;
  for (const { family, series } of later.changesSince(earlier ?? EMPTY_SNAPSHOT)) {
    const texts = textsOf(family);
    for (const one of series) {
      if (one.counts.total === 0) continue;
      yield rowOf(family, one, texts(one.attributes), later.timeMs, wellFormed(producer), next++);
    }
  }
}

const FACTS: OptionsOwner<RowFacts> = {
  name: 'rowsBetween',
  names: { producer: true, sequence: true },
  call: "rowsBetween(earlier, later, { producer: 'shop 7d1f' })",
};

function rowOf(
  family: FamilySnapshot,
  series: SeriesSnapshot,
  attributes: HistoryRow['attributes'],
  timeMs: number,
  producer: string,
  sequence: number,
): HistoryRow {
  const { layout, sum, startTimeMs, counts } = series;
  const bits = bitsOf(layout);
  const slots = slotsOf(series, bits);
  const endMs = Math.floor(timeMs);
  return {
    metric: wellFormed(family.name),
    unit: wellFormed(family.unit),
    attributes,
    // The wall clock may have been set back, and a start of 0 is not known.
    startMs: startTimeMs > 0 ? Math.min(Math.floor(startTimeMs), endMs) : endMs,
    endMs,
    producer,
    sequence,
    count: counts.total,
    sum: sumInTicks(sum, family.resolution),
    ...extremesOf(series, slots, bits, family.resolution),
    scale: fromTicks(family.resolution, 1),
    bits,
    ...slots,
    version: FORMAT_VERSION,
  };
}

type Slots = Pick<HistoryRow, 'k' | 'c' | 'w'>;

function slotsOf({ layout, counts, reaches }: SeriesSnapshot, bits: number): Slots {
  // Exact above 2^53 too: a lower bound has no more bits than a slot number.
  const slotAt = (slot: number): number => slotOfTick(layout.lower(slot), bits);
  if (reaches === undefined) {
    const k: number[] = [];
    const c: number[] = [];
    for (const [slot, count] of usedSlots(counts)) {
      k.push(slotAt(slot));
      c.push(count);
    }
    return { k, c, w: [] };
  }
  const sums = new SlotSums();
  for (const [slot, count] of usedSlots(counts)) {
    const { first, last } = reaches.get(slot) ?? { first: slot, last: slot };
    sums.add(slotAt(first), slotAt(last), count);
  }
  return sums.lists();
}

/** The smallest and the largest value, or the ends of their slots where values may lie beyond what the series knows. */
function extremesOf(
  { min, max }: SeriesSnapshot,
  { k, w }: Slots,
  bits: number,
  resolution: Resolution,
): Pick<HistoryRow, 'min' | 'max'> {
  const known = { min: valueInTicks(min, resolution), max: valueInTicks(max, resolution) };
  if (w.length === 0) return known;
  const last = k.reduce((most, slot, i) => Math.max(most, slot + w[i]!), 0);
  return {
    min: slotOfTick(known.min, bits) > k[0]! ? slotBounds(k[0]!, bits).lower : known.min,
    max: slotOfTick(known.max, bits) < last ? slotBounds(last, bits).upper : known.max,
  };
}

type TextsOf = (attributes: Attributes) => HistoryRow['attributes'];

// Attributes are the same object in all snapshots of a series, and a scope in all of a family.
const NO_SCOPE = {};
const known = new WeakMap<object, WeakMap<Attributes, HistoryRow['attributes']>>();

function textsOf({ scope, layout }: FamilySnapshot): TextsOf {
  if (layout.unitMagnitude !== 0) {
    const { lowestDiscernibleValue } = layout;
    throw new HdrscopeError(
      'ERR_INCOMPATIBLE',
      `rows have slots of single ticks, got a layout whose lowest discernible value is ${lowestDiscernibleValue}`,
      { details: { lowestDiscernibleValue } },
    );
  }
  const key = scope ?? NO_SCOPE;
  const texts = known.get(key) ?? new WeakMap<Attributes, HistoryRow['attributes']>();
  known.set(key, texts);
  return (attributes) => {
    const kept = texts.get(attributes);
    if (kept !== undefined) return kept;
    const made = attributeTexts(attributes, scope);
    texts.set(attributes, made);
    return made;
  };
}
