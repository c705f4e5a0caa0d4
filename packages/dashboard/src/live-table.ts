import { visible } from '@hdrscope/core/internal';
import { Slices } from '@hdrscope/kit';
import { attributePairs, countedUnitOf } from '@hdrscope/plot';
import {
  type Attributes,
  EMPTY_SNAPSHOT,
  type FamilySnapshot,
  type RejectedCounts,
  type SeriesSnapshot,
  type Snapshot,
} from '@hdrscope/registry';
import { endCounts, joinReaches, type SlotReaches } from '@hdrscope/registry/internal';
import type { FamilyDefinition, HistorySeries, Increase } from './history/history.ts';
import { increaseOf } from './increase-of.ts';
import type { FamilyFacts, Row, SeriesFacts } from './messages.ts';
import { familyKey, seriesKey } from './past/identity.ts';
import { valuesOf } from './row-values.ts';

/** A series of the table. */
export interface LiveSeries extends HistorySeries {
  readonly familyFacts: FamilyFacts;
  /** Its family in the latest snapshot. */
  latestFamily: FamilySnapshot;
  /** As in the latest snapshot. */
  latest: SeriesSnapshot;
  reaches: SlotReaches | undefined;
  /** The reaches of its counts in an earlier process, which the history has too. */
  readonly earlierReaches: SlotReaches | undefined;
  /** What it counted in the last interval; `undefined` when that is nothing, or there is no interval yet. */
  increase: Increase | undefined;
  /** How many values it counted in each second of the last interval. */
  perSecond: number;
  /** The number of the last update that changed the row, from 1. */
  changedAt: number;
  /** The row as JSON, made once for all clients, when one asks for it. */
  rowText: string | undefined;
  /** The number of the update that added the series. */
  readonly addedAt: number;
  /** The time of the first snapshot without the series, in milliseconds since 1970; `undefined` while snapshots have it. */
  endedMs: number | undefined;
}

interface LiveFamily {
  readonly facts: FamilyFacts;
  readonly definition: FamilyDefinition;
  readonly addedAt: number;
  /** By attributes, which are one object in all snapshots of a series. */
  readonly series: Map<Attributes, LiveSeries>;
}

/** The parts of the table that a client has not seen yet, as the texts of JSON arrays. */
export interface TableChanges {
  readonly families: string;
  readonly series: string;
  readonly rows: string;
  readonly removed: string;
}

/** Options of a table. */
export interface LiveTableOptions {
  /** How long a series stays that has ended, in milliseconds. @default forever */
  readonly keepMs?: number;
}

// A client that has missed more of them gets the whole table.
const MOST_REMOVALS = 10_000;

/**
 * A row for each series of a registry, updated by its snapshots. It knows which update changed which row. A series that has ended
 * stays for a while, then it is removed.
 */
export class LiveTable {
  readonly #keepMs: number;
  /** Families by scope and name. */
  readonly #families = new Map<string, LiveFamily>();
  /** By id. */
  readonly #byId = new Map<number, LiveSeries>();
  /** All of `#byId`. */
  #series: readonly LiveSeries[] | undefined;
  #nextFamily = 0;
  #nextSeries = 0;
  /** Ids of families of an earlier process that are not in the table, by `familyKey`. */
  readonly #earlierFamilies = new Map<string, number>();
  /** Series of an earlier process that are not in the table, by `seriesKey`. */
  readonly #earlierSeries = new Map<string, HistorySeries>();
  /** The last removals, oldest first, each with the number of its update. */
  #removals: (readonly [id: number, update: number])[] = [];
  /** Removals up to this update may be forgotten. */
  #forgotten = 0;
  #snapshot: Snapshot = EMPTY_SNAPSHOT;
  #startMs = 0;
  #updates = 0;

  constructor({ keepMs = Number.POSITIVE_INFINITY }: LiveTableOptions = {}) {
    this.#keepMs = keepMs;
  }

  /** The number of updates so far. */
  get updates(): number {
    return this.#updates;
  }

  /** Ascending by id. */
  get series(): readonly LiveSeries[] {
    this.#series ??= [...this.#byId.values()].sort((a, b) => a.facts.id - b.facts.id);
    return this.#series;
  }

  /** The series of an id; `undefined` when it does not exist, or no longer. */
  find(id: number): LiveSeries | undefined {
    return this.#byId.get(id);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** When the last interval began: at the time of the snapshot before, in milliseconds since 1970. */
  get startMs(): number {
    return this.#startMs;
  }

  /**
   * Lets series go on that an earlier process had: the same attributes in the same family have the same id. A family with another layout is
   * another family. Call it before the first update. Lets other work run meanwhile.
   */
  async restore(series: Iterable<HistorySeries>): Promise<void> {
    const slices = new Slices();
    const families = new Set<number>();
    for (const one of series) {
      const { id, family } = one.facts;
      if (!families.has(family)) this.#earlierFamilies.set(familyKey(one.family), family);
      families.add(family);
      this.#earlierSeries.set(seriesKey(one), one);
      if (slices.isOver()) await slices.next();
      this.#nextFamily = Math.max(this.#nextFamily, family + 1);
      this.#nextSeries = Math.max(this.#nextSeries, id + 1);
    }
  }

  /** What each series counted in the last interval. */
  *increases(): Generator<Increase, void> {
    for (const { increase } of this.#byId.values()) if (increase !== undefined) yield increase;
  }

  /**
   * Takes a later snapshot. The first snapshot ends no interval, so its series have no rates.
   *
   * @returns The ids of series that were removed, because they ended long ago.
   */
  update(snapshot: Snapshot): readonly number[] {
    const seconds = this.#updates === 0 ? 0 : (snapshot.timeMs - this.#snapshot.timeMs) / 1000;
    this.#startMs = this.#updates === 0 ? snapshot.timeMs : this.#snapshot.timeMs;
    this.#updates += 1;
    this.#snapshot = snapshot;
    const present = new Set<LiveFamily>();
    for (const family of snapshot.families) {
      const live = this.#familyOf(family);
      present.add(live);
      const shown = new Set<Attributes>();
      for (const series of family.series) {
        shown.add(series.attributes);
        const known = live.series.get(series.attributes);
        if (known === undefined) this.#add(live, family, series, seconds);
        else this.#update(known, family, series, seconds);
      }
      if (shown.size === live.series.size) continue;
      for (const [attributes, one] of live.series) if (!shown.has(attributes)) this.#end(one);
    }
    for (const live of this.#families.values()) {
      if (!present.has(live)) for (const one of live.series.values()) this.#end(one);
    }
    return this.#removeEnded(present);
  }

  #removeEnded(present: ReadonlySet<LiveFamily>): readonly number[] {
    const removed: number[] = [];
    for (const [key, live] of this.#families) {
      for (const [attributes, { endedMs, facts }] of live.series) {
        if (endedMs === undefined || this.#snapshot.timeMs - endedMs < this.#keepMs) continue;
        live.series.delete(attributes);
        this.#byId.delete(facts.id);
        removed.push(facts.id);
      }
      if (live.series.size === 0 && !present.has(live)) this.#families.delete(key);
    }
    if (removed.length === 0) return removed;
    this.#series = undefined;
    for (const id of removed) this.#removals.push([id, this.#updates]);
    const tooMany = this.#removals.length - MOST_REMOVALS;
    if (tooMany > 0) this.#forgotten = this.#removals.splice(0, tooMany).at(-1)![1];
    return removed;
  }

  /** Writes the rows that the last update has changed, for `changesSince`. Lets other work run meanwhile. */
  async writeRows(): Promise<void> {
    const slices = new Slices();
    for (const one of this.series) {
      if (one.changedAt !== this.#updates) continue;
      rowTextOf(one);
      if (slices.isOver()) await slices.next();
    }
  }

  /** Whether the changes after an update are known. If not, a client needs the whole table. */
  knowsChangesSince(update: number): boolean {
    return update > 0 && update >= this.#forgotten;
  }

  /** The changes after an update; everything after update 0. */
  changesSince(update: number): TableChanges {
    const series = this.series.filter(({ addedAt }) => addedAt > update);
    // A client forgets a family without series, so it gets the family with each new one.
    const needed = new Set(series.map(({ facts }) => facts.family));
    const families = [...this.#families.values()].filter(
      ({ addedAt, facts }) => addedAt > update || needed.has(facts.id),
    );
    const rows = this.series.filter(({ changedAt }) => changedAt > update);
    const removed = update === 0 ? [] : this.#removals.filter(([, at]) => at > update);
    return {
      families: JSON.stringify(families.map(({ facts }) => facts)),
      series: JSON.stringify(series.map(({ facts }) => facts)),
      rows: `[${rows.map(rowTextOf).join()}]`,
      removed: JSON.stringify(removed.map(([id]) => id)),
    };
  }

  #familyOf(family: FamilySnapshot): LiveFamily {
    const key = JSON.stringify([family.scope, family.name]);
    const known = this.#families.get(key);
    if (known !== undefined) return known;
    const { series: _, ...definition } = family;
    const earlier = familyKey(definition);
    const id = this.#earlierFamilies.get(earlier) ?? this.#nextFamily++;
    this.#earlierFamilies.delete(earlier);
    const added: LiveFamily = {
      definition,
      facts: familyFacts(id, definition),
      addedAt: this.#updates,
      series: new Map(),
    };
    this.#families.set(key, added);
    return added;
  }

  #add(live: LiveFamily, latestFamily: FamilySnapshot, latest: SeriesSnapshot, seconds: number): void {
    const { attributes } = latest;
    const key = seriesKey({ facts: { family: live.facts.id }, attributes });
    const earlier = this.#earlierSeries.get(key);
    this.#earlierSeries.delete(key);
    const id = earlier?.facts.id ?? this.#nextSeries++;
    const facts = seriesFacts(id, live.facts.id, attributes);
    const earlierReaches = earlier?.reaches;
    const reaches = joinReaches(earlierReaches, latest.reaches);
    const series: HistorySeries = { facts, family: live.definition, attributes, reaches };
    // All values of a new series are of the last interval, unless there was no interval.
    const hasCounted = seconds > 0 && latest.counts.total > 0;
    const added: LiveSeries = {
      ...series,
      ...{ familyFacts: live.facts, latestFamily, latest, earlierReaches },
      increase: hasCounted ? increaseOf(series, latest, undefined) : undefined,
      perSecond: hasCounted ? latest.counts.total / seconds : 0,
      changedAt: this.#updates,
      rowText: undefined,
      addedAt: this.#updates,
      endedMs: undefined,
    };
    live.series.set(latest.attributes, added);
    this.#byId.set(id, added);
    this.#series = undefined;
  }

  #update(known: LiveSeries, family: FamilySnapshot, now: SeriesSnapshot, seconds: number): void {
    const before = known.latest;
    const newCount = now.counts.total - before.counts.total;
    known.latestFamily = family;
    known.endedMs = undefined;
    // A series that has not changed keeps its snapshot, and with it what was made of it.
    known.latest = newCount === 0 && isSame(now.rejected, before.rejected) ? before : now;
    if (newCount === 0) {
      this.#stop(known);
      return;
    }
    known.reaches = joinReaches(known.earlierReaches, now.reaches);
    known.increase = increaseOf(known, now, before);
    known.perSecond = known.increase.counts.total / seconds;
    this.#show(known);
  }

  /** A series that has ended counts nothing any more. */
  #end(one: LiveSeries): void {
    one.endedMs ??= this.#snapshot.timeMs;
    this.#stop(one);
  }

  /** Shows that a series has counted nothing in the last interval. */
  #stop(one: LiveSeries): void {
    one.increase = undefined;
    if (one.perSecond === 0) return;
    one.perSecond = 0;
    this.#show(one);
  }

  #show(one: LiveSeries): void {
    one.rowText = undefined;
    one.changedAt = this.#updates;
  }
}

/** The facts of a family, as clients get them. */
export function familyFacts(id: number, family: FamilyDefinition): FamilyFacts {
  const { name, unit, description, layout } = family;
  return {
    id,
    name: visible(name),
    description: visible(description),
    counted: countedUnitOf(family),
    digits: layout.significantDigits,
    unit,
  };
}

/** The facts of a series, as clients get them. */
export function seriesFacts(id: number, family: number, attributes: Attributes): SeriesFacts {
  return { id, family, attributes: attributePairs(attributes).map((pair) => visible(pair)) };
}

function rowTextOf(one: LiveSeries): string {
  one.rowText ??= JSON.stringify(rowOf(one));
  return one.rowText;
}

/** The row of a series. */
export function rowOf({ facts: { id }, family, latest, reaches, increase, perSecond }: LiveSeries): Row {
  const valuesIn = ({ counts }: Pick<SeriesSnapshot, 'counts'>) =>
    valuesOf(family, endCounts(counts, reaches));
  const last = increase === undefined ? null : valuesIn(increase);
  return [id, latest.counts.total, perSecond, last, valuesIn(latest)];
}

function isSame(a: RejectedCounts, b: RejectedCounts): boolean {
  return (
    a.notANumber === b.notANumber &&
    a.negative === b.negative &&
    a.tooLarge === b.tooLarge &&
    a.overflowing === b.overflowing
  );
}
