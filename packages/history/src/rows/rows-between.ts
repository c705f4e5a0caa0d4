import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, fromTicks, mustBe, type OptionsOwner, usedSlots } from '@hdrscope/core/internal';
import {
  type Attributes,
  EMPTY_SNAPSHOT,
  type FamilySnapshot,
  type SeriesSnapshot,
  type Snapshot,
} from '@hdrscope/registry';
import { attributeTexts, wellFormed } from './attribute-texts.ts';
import { FORMAT_VERSION, type HistoryRow } from './row.ts';
import { bitsOf, slotOfTick } from './slots.ts';
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
  const { layout, counts, sum, min, max, startTimeMs } = series;
  const bits = bitsOf(layout);
  const k: number[] = [];
  const c: number[] = [];
  for (const [slot, count] of usedSlots(counts)) {
    // Exact above 2^53 too: a lower bound has no more bits than a slot number.
    k.push(slotOfTick(layout.lower(slot), bits));
    c.push(count);
  }
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
    min: valueInTicks(min, family.resolution),
    max: valueInTicks(max, family.resolution),
    scale: fromTicks(family.resolution, 1),
    bits,
    k,
    c,
    version: FORMAT_VERSION,
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
