import { HdrscopeError, type Resolution } from '@hdrscope/core';
import {
  assertOptions,
  fromTicks,
  integer,
  mustBe,
  type OptionsOwner,
  usedSlots,
} from '@hdrscope/core/internal';
import {
  type Attributes,
  EMPTY_SNAPSHOT,
  type FamilySnapshot,
  type SeriesSnapshot,
  type Snapshot,
} from '@hdrscope/registry';
import { assertSnapshot } from '@hdrscope/registry/internal';
import { attributeTexts, wellFormed } from './attribute-texts.ts';
import { marginsProperty } from './margins.ts';
import { SlotSums } from './merge-rows.ts';
import { FORMAT_VERSION, type HistoryRow } from './row.ts';
import { exemplarsProperty, rowExemplars } from './row-exemplars.ts';
import { weightProperty } from './row-weight.ts';
import { bitsOf, LAST_TICK, slotBounds, slotOfTick } from './slots.ts';
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
 * Counts are exact. `sum` is the difference of two sums of the registry. It is exact where counts came with their sums, and `min` and
 * `max` where they came with their extremes; otherwise `margins` say where the true ones lie. All of them are in ticks of the family's
 * resolution. Values that were rejected are in no row.
 *
 * @param earlier An earlier snapshot of the same registry. Without one, rows have all counts of `later`, from the starts of the series.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a fact does not exist or is outside its range; `ERR_INCOMPATIBLE` when the snapshots are
 *   not of one registry.
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
  if (earlier !== undefined) assertSnapshot(earlier);
  assertSnapshot(later);
  assertOptions(facts, FACTS);
  const { producer, sequence = 0 } = facts;
  if (typeof producer !== 'string' || producer === '') {
    throw mustBe('ERR_INVALID_OPTION', 'producer', 'a text, not empty', producer);
  }
  const writer = wellFormed(producer);
  let next = sequence;
  // A family that cannot be rows is refused before the first row.
  const changes = [...later.changesSince(earlier ?? EMPTY_SNAPSHOT)].map((change) => ({
    ...change,
    texts: textsOf(change.family),
  }));
  for (const { family, series, texts } of changes) {
    for (const one of series) {
      if (one.counts.total === 0) continue;
      yield rowOf(family, one, texts(one.attributes), later.timeMs, writer, next++);
    }
  }
}

const FACTS: OptionsOwner<RowFacts> = {
  name: 'rowsBetween',
  names: { producer: true, sequence: integer({ from: 0, to: Number.MAX_SAFE_INTEGER }) },
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
  const { layout, startTimeMs, counts } = series;
  const bits = bitsOf(layout);
  const facts = knownFacts(series, family.resolution);
  const slots = slotsOf(series, bits, facts);
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
    ...figuresOf(facts, slots, bits),
    scale: fromTicks(family.resolution, 1),
    bits,
    ...slots,
    ...exemplarsProperty(rowExemplars(series.exemplars, family.resolution)),
    ...weightProperty(series.weight),
    version: FORMAT_VERSION,
  };
}

/** The facts of a series in ticks, and which of them are exact. */
interface KnownFacts extends Pick<HistoryRow, 'sum' | 'min' | 'max'> {
  readonly isExact: Readonly<Record<'sum' | 'min' | 'max', boolean>>;
}

function knownFacts({ sum, min, max, estimated }: SeriesSnapshot, resolution: Resolution): KnownFacts {
  const isExact = (fact: 'sum' | 'min' | 'max'): boolean => estimated === undefined || estimated[fact] === 0;
  return {
    sum: sumInTicks(sum, resolution),
    min: valueInTicks(min, resolution),
    max: valueInTicks(max, resolution),
    isExact: { sum: isExact('sum'), min: isExact('min'), max: isExact('max') },
  };
}

type Slots = Pick<HistoryRow, 'k' | 'c' | 'w'>;

function slotsOf({ layout, counts, reaches }: SeriesSnapshot, bits: number, facts: KnownFacts): Slots {
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
  const { min, max, isExact } = facts;
  // A reach is that of all counts since the start, and extremes are those of the interval.
  const least = isExact.min ? slotOfTick(Math.floor(min), bits) : 0;
  const most = isExact.max ? slotOfTick(Math.ceil(max), bits) : Number.POSITIVE_INFINITY;
  const slots = { bits, k: [] as number[], c: [] as number[], w: [] as number[] };
  let isInOrder = true;
  for (const [slot, count] of usedSlots(counts)) {
    const reach = reaches.get(slot) ?? { first: slot, last: slot };
    const first = slotAt(reach.first);
    // Values of a reach up to the last slot may lie beyond what the layout counts.
    const isOpen = reach.last > slot && reach.last === layout.slotCount - 1;
    const last = isOpen ? slotOfTick(LAST_TICK, bits) : slotAt(reach.last);
    const [from, to] = [Math.max(first, least), Math.min(last, most)];
    const [k, width] = from <= to ? [from, to - from] : [first, last - first];
    const before = slots.k.length - 1;
    const more = k - slots.k[before]! || width - slots.w[before]!;
    if (more === 0) slots.c[before]! += count;
    else {
      isInOrder &&= !(more < 0);
      slots.k.push(k);
      slots.c.push(count);
      slots.w.push(width);
    }
  }
  if (isInOrder) return { ...slots, w: slots.w.some((width) => width > 0) ? slots.w : [] };
  // Narrowing has moved a slot that reaches far before one that does not.
  const sums = new SlotSums();
  sums.addRow(slots, bits);
  return sums.lists();
}

/** The sum and the extremes, with the margins that the slots leave where a fact is not exact. */
function figuresOf(
  { sum, min: seriesMin, max: seriesMax, isExact }: KnownFacts,
  { k, c, w }: Slots,
  bits: number,
): Pick<HistoryRow, 'sum' | 'min' | 'max' | 'margins'> {
  const lastOf = (i: number): number => k[i]! + (w[i] ?? 0);
  const lowerOf = (i: number): number => slotBounds(k[i]!, bits).lower;
  const last = k.reduce((most, _, i) => Math.max(most, lastOf(i)), 0);
  // Values between two ticks count at the nearer one.
  const min =
    isExact.min && slotOfTick(seriesMin, bits) <= k[0]! ? seriesMin : Math.min(seriesMin, lowerOf(0));
  const max =
    isExact.max && slotOfTick(seriesMax, bits) >= last
      ? seriesMax
      : Math.max(seriesMax, slotBounds(last, bits).upper);
  const isEndless = (i: number): boolean => !isExact.max && max === LAST_TICK && (w[i] ?? 0) > 0;
  const upperOf = (i: number): number => {
    const { upper } = slotBounds(lastOf(i), bits);
    return upper >= LAST_TICK && isEndless(i) ? Number.POSITIVE_INFINITY : Math.min(upper, max);
  };
  let [sumBelow, sumAbove, minAbove, maxBelow] = [0, 0, 0, 0];
  if (!isExact.sum) {
    sumBelow = Math.max(0, sum - c.reduce((all, count, i) => all + count * Math.max(lowerOf(i), min), 0));
    sumAbove = Math.max(0, c.reduce((all, count, i) => all + count * upperOf(i), 0) - sum);
  }
  if (!isExact.min)
    minAbove = k.reduce((least, _, i) => Math.min(least, upperOf(i)), Number.POSITIVE_INFINITY) - min;
  if (!isExact.max) maxBelow = max - lowerOf(k.length - 1);
  return { sum, min, max, ...marginsProperty({ sumBelow, sumAbove, minAbove, maxBelow }) };
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
