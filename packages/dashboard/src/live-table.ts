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
import { joinReaches } from '@hdrscope/registry/internal';
import type { FamilyDefinition, HistorySeries, Increase } from './history/history.ts';
import { increaseOf } from './increase-of.ts';
import { type LiveFamily, type LiveSeries, writeRowText } from './live-series.ts';
import type { FamilyFacts, SeriesFacts } from './messages.ts';
import { familyKey, seriesKey } from './past/identity.ts';
import { ShownSeries, type TableChanges } from './shown-series.ts';

/** The next state of a series. */
interface SeriesUpdate {
  readonly one: LiveSeries;
  readonly latest: SeriesSnapshot;
  /** What it counted in the interval; `undefined` when that is nothing. */
  readonly increase: Increase | undefined;
}

/** All that a snapshot changes. It is found in slices, and done at once, so that others never see half of it. */
interface TableUpdate {
  readonly snapshot: Snapshot;
  /** The length of the interval; 0 for the first snapshot. */
  readonly seconds: number;
  readonly families: (readonly [live: LiveFamily, latest: FamilySnapshot])[];
  readonly series: SeriesUpdate[];
  /** Series that this snapshot lacks, and the one before has. */
  readonly ended: LiveSeries[];
  /** Series that ended long ago. */
  leaving: ReadonlySet<LiveSeries>;
  /** The series with the most values; `undefined` when the choice is not due. */
  largest: readonly LiveSeries[] | undefined;
}

/** Options of a table. */
export interface LiveTableOptions {
  /** How long a series stays that has ended, in milliseconds. @default forever */
  readonly keepMs?: number;
  /** How many series clients get: those with the most values. @default 5000 */
  readonly mostShown?: number;
}

/**
 * A row for each series of a registry, updated by its snapshots. It knows which update changed which row. A series that has ended
 * stays for a while, then it is removed. Of very many series, clients get those with the most values.
 */
export class LiveTable {
  readonly #keepMs: number;
  readonly #shown: ShownSeries;
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
  /** The series that have ended and are still there. */
  readonly #ended = new Set<LiveSeries>();
  /** The series that counted something in the last interval. */
  #counted: LiveSeries[] = [];
  #snapshot: Snapshot = EMPTY_SNAPSHOT;
  #startMs = 0;
  #updates = 0;

  constructor({ keepMs = Number.POSITIVE_INFINITY, mostShown }: LiveTableOptions = {}) {
    this.#keepMs = keepMs;
    this.#shown = new ShownSeries(mostShown);
  }

  /** How many series clients do not get. */
  get leftOut(): number {
    return this.#byId.size - this.#shown.all.length;
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
   * Takes a later snapshot. The first snapshot ends no interval, so its series have no rates. Lets other work run meanwhile, which finds the
   * table as it was; only new series are there before they have counted anything. The next call must wait for the end of this one.
   *
   * @returns The ids of series that were removed, because they ended long ago.
   */
  async update(snapshot: Snapshot, slices: Slices = new Slices()): Promise<readonly number[]> {
    const update = await this.#findChanges(snapshot, slices);
    this.#startMs = this.#updates === 0 ? snapshot.timeMs : this.#snapshot.timeMs;
    this.#updates += 1;
    this.#snapshot = snapshot;
    for (const [live, latest] of update.families) {
      live.latest = latest;
      live.presentAt = this.#updates;
    }
    const before = this.#counted;
    this.#counted = [];
    for (const one of update.series) this.#take(one, update.seconds);
    for (const one of before) if (one.changedAt < this.#updates) this.#stop(one);
    for (const one of update.ended) this.#end(one);
    const removed = this.#remove(update.leaving);
    this.#shown.choose(update.largest, this.#updates);
    return removed;
  }

  async #findChanges(snapshot: Snapshot, slices: Slices): Promise<TableUpdate> {
    const seconds = this.#updates === 0 ? 0 : (snapshot.timeMs - this.#snapshot.timeMs) / 1000;
    const update: TableUpdate = {
      ...{ snapshot, seconds, families: [], series: [], ended: [] },
      ...{ leaving: new Set(), largest: undefined },
    };
    const present = new Set<LiveFamily>();
    for (const family of snapshot.families) {
      const live = this.#familyOf(family);
      present.add(live);
      update.families.push([live, family]);
      // Snapshots share a family in which nothing has changed.
      const isSame = live.latest === family && live.presentAt === this.#updates;
      if (!isSame) await this.#findFamilyChanges(live, family, update, slices);
    }
    for (const live of this.#families.values()) {
      if (!present.has(live)) for (const one of live.series.values()) update.ended.push(one);
    }
    update.leaving = this.#findLeaving(update);
    update.largest = await this.#shown.findLargest(this.series, update.leaving, this.#updates + 1, slices);
    return update;
  }

  async #findFamilyChanges(
    live: LiveFamily,
    family: FamilySnapshot,
    update: TableUpdate,
    slices: Slices,
  ): Promise<void> {
    const next = this.#updates + 1;
    const places: LiveSeries[] = [];
    for (const latest of family.series) {
      const { attributes } = latest;
      const before = live.places[places.length];
      const known = before?.attributes === attributes ? before : live.series.get(attributes);
      const one = known ?? this.#add(live, latest);
      one.presentAt = next;
      places.push(one);
      const change = this.#findSeriesChange(one, latest, known !== undefined, update.seconds);
      if (change !== undefined) update.series.push(change);
      if (slices.isOver()) await slices.next();
    }
    live.places = places;
    if (family.series.length === live.series.size) return;
    for (const one of live.series.values()) if (one.presentAt < next) update.ended.push(one);
  }

  /** @returns `undefined` when the series stays as it is, but for its rate. */
  #findSeriesChange(
    one: LiveSeries,
    now: SeriesSnapshot,
    isKnown: boolean,
    seconds: number,
  ): SeriesUpdate | undefined {
    const { latest: before } = one;
    if (!isKnown) {
      // All values of a new series are of the last interval, unless there was no interval.
      const hasCounted = seconds > 0 && now.counts.total > 0;
      return { one, latest: now, increase: hasCounted ? increaseOf(one, now, undefined) : undefined };
    }
    // Snapshots share what has not changed.
    if (now === before && one.endedMs === undefined) return undefined;
    const hasCounted = now.counts.total !== before.counts.total;
    // A series that has not changed keeps its snapshot, and with it what was made of it.
    const latest = !hasCounted && isSame(now.rejected, before.rejected) ? before : now;
    return { one, latest, increase: hasCounted ? increaseOf(one, now, before) : undefined };
  }

  /** The series that ended so long ago that the table removes them. */
  #findLeaving({ snapshot: { timeMs }, ended }: TableUpdate): ReadonlySet<LiveSeries> {
    const leaving = new Set<LiveSeries>();
    for (const one of [...this.#ended, ...ended]) {
      const isBack = one.presentAt > this.#updates;
      if (!isBack && timeMs - (one.endedMs ?? timeMs) >= this.#keepMs) leaving.add(one);
    }
    return leaving;
  }

  #remove(leaving: ReadonlySet<LiveSeries>): readonly number[] {
    const removed: number[] = [];
    for (const one of leaving) {
      const { facts, attributes, live } = one;
      this.#ended.delete(one);
      live.series.delete(attributes);
      this.#byId.delete(facts.id);
      removed.push(facts.id);
    }
    for (const [key, live] of this.#families) {
      if (live.series.size === 0 && live.presentAt < this.#updates) this.#families.delete(key);
    }
    if (removed.length > 0) this.#series = undefined;
    this.#shown.remove(leaving, this.#updates);
    return removed;
  }

  /** Writes the rows that the last update has changed, for `changesSince`. Lets other work run meanwhile. */
  async writeRows(): Promise<void> {
    const slices = new Slices();
    for (const one of this.#shown.all) {
      if (one.changedAt !== this.#updates && one.shownAt !== this.#updates) continue;
      writeRowText(one);
      if (slices.isOver()) await slices.next();
    }
  }

  /** Sends series to clients with the next update, and for a minute or so: somebody has named them. */
  show(ids: Iterable<number>): void {
    const named = [...ids].map((id) => this.#byId.get(id)).filter((one) => one !== undefined);
    this.#shown.show(named, this.#updates);
  }

  /** Whether the changes after an update are known. If not, a client needs the whole table. */
  knowsChangesSince(update: number): boolean {
    return this.#shown.knowsChangesSince(update);
  }

  /** The changes after an update; everything after update 0. */
  changesSince(update: number): TableChanges {
    return this.#shown.changesSince(update);
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
      places: [],
      presentAt: Number.NEGATIVE_INFINITY,
    };
    this.#families.set(key, added);
    return added;
  }

  #add(live: LiveFamily, latest: SeriesSnapshot): LiveSeries {
    const { attributes } = latest;
    const key = seriesKey({ facts: { family: live.facts.id }, attributes });
    const earlier = this.#earlierSeries.get(key);
    this.#earlierSeries.delete(key);
    const id = earlier?.facts.id ?? this.#nextSeries++;
    const earlierReaches = earlier?.reaches;
    // No spread: it would make objects whose fields are found by hashes, and each update looks at all of them.
    const added: LiveSeries = {
      facts: seriesFacts(id, live.facts.id, attributes),
      family: live.definition,
      attributes,
      reaches: joinReaches(earlierReaches, latest.reaches),
      earlierReaches,
      weight: Math.max(earlier?.weight ?? 1, latest.weight ?? 1),
      familyFacts: live.facts,
      latest,
      increase: undefined,
      perSecond: 0,
      changedAt: 0,
      rowText: undefined,
      shownAt: undefined,
      endedMs: undefined,
      presentAt: 0,
      live,
    };
    live.series.set(attributes, added);
    this.#byId.set(id, added);
    this.#series = undefined;
    return added;
  }

  #take({ one, latest, increase }: SeriesUpdate, seconds: number): void {
    if (one.endedMs !== undefined) {
      one.endedMs = undefined;
      this.#ended.delete(one);
    }
    one.latest = latest;
    const isNew = one.changedAt === 0;
    if (increase === undefined && !isNew) {
      this.#stop(one);
      return;
    }
    one.reaches = joinReaches(one.earlierReaches, latest.reaches);
    one.weight = Math.max(one.weight, latest.weight ?? 1);
    one.increase = increase;
    if (increase !== undefined) {
      one.perSecond = increase.counts.total / seconds;
      this.#counted.push(one);
    }
    this.#show(one);
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

function isSame(a: RejectedCounts, b: RejectedCounts): boolean {
  return (
    a.notANumber === b.notANumber &&
    a.negative === b.negative &&
    a.tooLarge === b.tooLarge &&
    a.overflowing === b.overflowing
  );
}
