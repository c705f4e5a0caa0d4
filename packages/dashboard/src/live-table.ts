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
  /** The number of the update since which clients have the series; `undefined` while it is left out. */
  shownAt: number | undefined;
  /** The time of the first snapshot without the series, in milliseconds since 1970; `undefined` while snapshots have it. */
  endedMs: number | undefined;
  /** The number of the last update whose snapshot has the series. */
  presentAt: number;
  /** Its family in the table. */
  readonly live: LiveFamily;
}

interface LiveFamily {
  readonly facts: FamilyFacts;
  readonly definition: FamilyDefinition;
  /** As in the latest snapshot that has it. */
  latest: FamilySnapshot;
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
  /** How many series clients get: those with the most values. @default 5000 */
  readonly mostShown?: number;
}

// A browser sorts and draws so many rows within a fifth of a second.
const MOST_SHOWN = 5000;

// Series rarely overtake others, and those that come and go are drawn anew.
const CHOICE_UPDATES = 10;

// Updates for which a series stays that somebody has named.
const NAMED_UPDATES = 60;

// A client that has missed more of them gets the whole table.
const MOST_REMOVALS = 10_000;

/**
 * A row for each series of a registry, updated by its snapshots. It knows which update changed which row. A series that has ended
 * stays for a while, then it is removed. Of very many series, clients get those with the most values.
 */
export class LiveTable {
  readonly #keepMs: number;
  readonly #mostShown: number;
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
  /** The series that have ended and are still there. */
  readonly #ended = new Set<LiveSeries>();
  /** The series that counted something in the last interval. */
  #counted: LiveSeries[] = [];
  #snapshot: Snapshot = EMPTY_SNAPSHOT;
  #startMs = 0;
  #updates = 0;

  /** The series that clients get, ascending by id. */
  #shown: readonly LiveSeries[] = [];
  /** The update that chooses them anew. */
  #choiceAt = 0;
  /** Series that clients get whatever their counts, each with the update that named it last. */
  readonly #named = new Map<LiveSeries, number>();

  constructor({ keepMs = Number.POSITIVE_INFINITY, mostShown = MOST_SHOWN }: LiveTableOptions = {}) {
    this.#keepMs = keepMs;
    this.#mostShown = mostShown;
  }

  /** How many series clients do not get. */
  get leftOut(): number {
    return this.#byId.size - this.#shown.length;
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

  /** The families of the series, as in the latest snapshots that have them. */
  get families(): readonly FamilySnapshot[] {
    return [...this.#families.values()].map(({ latest }) => latest);
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
    for (const { increase } of this.#counted) if (increase !== undefined) yield increase;
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
    this.#counted = [];
    const present = new Set<LiveFamily>();
    for (const family of snapshot.families) {
      const live = this.#familyOf(family);
      live.latest = family;
      present.add(live);
      for (const series of family.series) {
        const known = live.series.get(series.attributes);
        if (known === undefined) this.#add(live, series, seconds);
        else this.#update(known, series, seconds);
      }
      if (family.series.length === live.series.size) continue;
      for (const one of live.series.values()) if (one.presentAt < this.#updates) this.#end(one);
    }
    for (const live of this.#families.values()) {
      if (!present.has(live)) for (const one of live.series.values()) this.#end(one);
    }
    const removed = this.#removeEnded(present);
    this.#choose();
    return removed;
  }

  /** Chooses the series that clients get. */
  #choose(): void {
    const all = this.series;
    if (all.length > this.#mostShown && this.#updates < this.#choiceAt) {
      this.#shown = this.#shown.filter(({ facts }) => this.#byId.has(facts.id));
      return;
    }
    this.#choiceAt = this.#updates + CHOICE_UPDATES;
    for (const [one, at] of this.#named) if (this.#updates - at > NAMED_UPDATES) this.#named.delete(one);
    const chosen = new Set([...this.#named.keys(), ...listLargest(all, this.#mostShown)]);
    for (const one of this.#shown) {
      if (chosen.has(one) || !this.#byId.has(one.facts.id)) continue;
      one.shownAt = undefined;
      this.#removals.push([one.facts.id, this.#updates]);
    }
    for (const one of chosen) one.shownAt ??= this.#updates;
    this.#shown = all.filter((one) => chosen.has(one));
    this.#forgetRemovals();
  }

  /** Sends series to clients with the next update, and for a minute or so: somebody has named them. */
  show(ids: Iterable<number>): void {
    for (const id of ids) {
      const one = this.#byId.get(id);
      if (one === undefined) continue;
      this.#named.set(one, this.#updates);
      if (one.shownAt !== undefined) continue;
      one.shownAt = this.#updates + 1;
      this.#shown = [...this.#shown, one].sort((a, b) => a.facts.id - b.facts.id);
    }
  }

  #removeEnded(present: ReadonlySet<LiveFamily>): readonly number[] {
    const removed: number[] = [];
    for (const one of this.#ended) {
      const { facts, latest, live } = one;
      if (this.#snapshot.timeMs - one.endedMs! < this.#keepMs) continue;
      this.#ended.delete(one);
      live.series.delete(latest.attributes);
      if (one.shownAt !== undefined) this.#removals.push([facts.id, this.#updates]);
      this.#byId.delete(facts.id);
      removed.push(facts.id);
    }
    for (const [key, live] of this.#families) {
      if (live.series.size === 0 && !present.has(live)) this.#families.delete(key);
    }
    if (removed.length > 0) this.#series = undefined;
    this.#forgetRemovals();
    return removed;
  }

  #forgetRemovals(): void {
    const tooMany = this.#removals.length - MOST_REMOVALS;
    if (tooMany > 0) this.#forgotten = this.#removals.splice(0, tooMany).at(-1)![1];
  }

  /** Writes the rows that the last update has changed, for `changesSince`. Lets other work run meanwhile. */
  async writeRows(): Promise<void> {
    const slices = new Slices();
    for (const one of this.#shown) {
      if (one.changedAt !== this.#updates && one.shownAt !== this.#updates) continue;
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
    const series = this.#shown.filter(({ shownAt }) => shownAt! > update);
    // A client forgets a family without series, so it gets the family with each new one.
    const families = new Map(series.map(({ familyFacts }) => [familyFacts.id, familyFacts]));
    const rows = this.#shown.filter(({ changedAt, shownAt }) => changedAt > update || shownAt! > update);
    const removed = update === 0 ? [] : this.#removals.filter(([, at]) => at > update);
    return {
      families: JSON.stringify([...families.values()]),
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
      latest: family,
      series: new Map(),
    };
    this.#families.set(key, added);
    return added;
  }

  #add(live: LiveFamily, latest: SeriesSnapshot, seconds: number): void {
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
      ...{ familyFacts: live.facts, latest, earlierReaches },
      increase: hasCounted ? increaseOf(series, latest, undefined) : undefined,
      perSecond: hasCounted ? latest.counts.total / seconds : 0,
      changedAt: this.#updates,
      rowText: undefined,
      shownAt: undefined,
      endedMs: undefined,
      ...{ presentAt: this.#updates, live },
    };
    if (hasCounted) this.#counted.push(added);
    live.series.set(latest.attributes, added);
    this.#byId.set(id, added);
    this.#series = undefined;
  }

  #update(known: LiveSeries, now: SeriesSnapshot, seconds: number): void {
    known.presentAt = this.#updates;
    const before = known.latest;
    // Snapshots share what has not changed.
    if (now === before && known.perSecond === 0 && known.endedMs === undefined) return;
    const newCount = now.counts.total - before.counts.total;
    if (known.endedMs !== undefined) {
      known.endedMs = undefined;
      this.#ended.delete(known);
    }
    // A series that has not changed keeps its snapshot, and with it what was made of it.
    known.latest = newCount === 0 && isSame(now.rejected, before.rejected) ? before : now;
    if (newCount === 0) {
      this.#stop(known);
      return;
    }
    known.reaches = joinReaches(known.earlierReaches, now.reaches);
    known.increase = increaseOf(known, now, before);
    known.perSecond = known.increase.counts.total / seconds;
    this.#counted.push(known);
    this.#show(known);
  }

  /** A series that has ended counts nothing any more. */
  #end(one: LiveSeries): void {
    one.endedMs ??= this.#snapshot.timeMs;
    this.#ended.add(one);
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

/** The series that have counted the most values; the earlier of equal ones. */
function listLargest(all: readonly LiveSeries[], most: number): readonly LiveSeries[] {
  if (all.length <= most) return all;
  const counts = Float64Array.from(all, ({ latest }) => latest.counts.total).sort();
  const least = counts[counts.length - most]!;
  const larger = all.filter(({ latest }) => latest.counts.total > least);
  const equal = all.filter(({ latest }) => latest.counts.total === least);
  return [...larger, ...equal.slice(0, most - larger.length)];
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
