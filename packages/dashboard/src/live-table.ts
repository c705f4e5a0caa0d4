import type { ReadonlyHistogram } from '@hdrscope/core';
import { attributePairs, countedUnitOf } from '@hdrscope/plot';
import type { Attributes, FamilySnapshot, SeriesSnapshot, Snapshot } from '@hdrscope/registry';
import { EMPTY_SNAPSHOT, type Rejected, valuesAtPercentiles } from '@hdrscope/registry';
import { histogramSince } from './histogram-since.ts';
import { type FamilyFacts, ROW_PERCENTILES, type Row, type RowValues, type SeriesFacts } from './messages.ts';

/** A series of the table. */
export interface LiveSeries {
  readonly facts: SeriesFacts;
  /** As in the latest snapshot. */
  family: FamilySnapshot;
  /** As in the latest snapshot. */
  latest: SeriesSnapshot;
  row: Row;
  /** The number of the last update that changed the row, from 1. */
  changedAt: number;
  /** The row as JSON, made once for all clients. */
  rowText: string;
  /** The number of the update that added the series. */
  readonly addedAt: number;
}

interface LiveFamily {
  readonly facts: FamilyFacts;
  readonly addedAt: number;
  /** By attributes, which are one object in all snapshots of a series. */
  readonly series: Map<Attributes, LiveSeries>;
}

/** The parts of the table that a client has not seen yet, as the texts of JSON arrays. */
export interface TableChanges {
  readonly families: string;
  readonly series: string;
  readonly rows: string;
}

/** A row for each series of a registry, updated by its snapshots. It knows which update changed which row. */
export class LiveTable {
  /** Families by scope and name. */
  readonly #families = new Map<string, LiveFamily>();
  /** Series by id. */
  readonly #series: LiveSeries[] = [];
  #snapshot: Snapshot = EMPTY_SNAPSHOT;
  #updates = 0;

  /** The number of updates so far. */
  get updates(): number {
    return this.#updates;
  }

  /** Series by id. */
  get series(): readonly LiveSeries[] {
    return this.#series;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Takes a later snapshot. The first snapshot ends no interval, so its series have no rates. */
  update(snapshot: Snapshot): void {
    const seconds = this.#updates === 0 ? 0 : (snapshot.timeMs - this.#snapshot.timeMs) / 1000;
    this.#updates += 1;
    this.#snapshot = snapshot;
    for (const family of snapshot.families) {
      const live = this.#familyOf(family);
      const shown = new Set<Attributes>();
      for (const series of family.series) {
        shown.add(series.attributes);
        const known = live.series.get(series.attributes);
        if (known === undefined) this.#add(live, family, series, seconds);
        else this.#update(known, family, series, seconds);
      }
      if (shown.size === live.series.size) continue;
      // A series that has ended counts nothing any more.
      for (const [attributes, one] of live.series) if (!shown.has(attributes)) this.#stop(one);
    }
  }

  /** The changes after an update; everything after update 0. */
  changesSince(update: number): TableChanges {
    const families = [...this.#families.values()].filter(({ addedAt }) => addedAt > update);
    const series = this.#series.filter(({ addedAt }) => addedAt > update);
    const rows = this.#series.filter(({ changedAt }) => changedAt > update);
    return {
      families: JSON.stringify(families.map(({ facts }) => facts)),
      series: JSON.stringify(series.map(({ facts }) => facts)),
      rows: `[${rows.map(({ rowText }) => rowText).join()}]`,
    };
  }

  #familyOf(family: FamilySnapshot): LiveFamily {
    const key = JSON.stringify([family.scope, family.name]);
    const known = this.#families.get(key);
    if (known !== undefined) return known;
    const { name, unit, description } = family;
    const added: LiveFamily = {
      facts: { id: this.#families.size, name, description, counted: countedUnitOf(family), unit },
      addedAt: this.#updates,
      series: new Map(),
    };
    this.#families.set(key, added);
    return added;
  }

  #add(live: LiveFamily, family: FamilySnapshot, latest: SeriesSnapshot, seconds: number): void {
    const id = this.#series.length;
    const facts: SeriesFacts = { id, family: live.facts.id, attributes: attributePairs(latest.attributes) };
    const all = valuesOf(family, latest.histogram);
    // All values of a new series are of the last interval, unless there was no interval.
    const count = latest.histogram.totalCount;
    const row: Row = [id, count, seconds > 0 ? count / seconds : 0, seconds > 0 ? all : null, all];
    const added: LiveSeries = {
      ...{ facts, family, latest, row },
      rowText: JSON.stringify(row),
      changedAt: this.#updates,
      addedAt: this.#updates,
    };
    live.series.set(latest.attributes, added);
    this.#series.push(added);
  }

  #update(known: LiveSeries, family: FamilySnapshot, now: SeriesSnapshot, seconds: number): void {
    const before = known.latest;
    const count = now.histogram.totalCount;
    const newCount = count - before.histogram.totalCount;
    known.family = family;
    // A series that has not changed keeps its snapshot, so that checkpoints share its counts.
    known.latest = newCount === 0 && isSame(now.rejected, before.rejected) ? before : now;
    if (newCount === 0) {
      this.#stop(known);
      return;
    }
    const last = valuesOf(family, histogramSince(now.histogram, before.histogram));
    this.#show(known, [known.facts.id, count, newCount / seconds, last, valuesOf(family, now.histogram)]);
  }

  /** Shows that a series has counted nothing in the last interval. */
  #stop(one: LiveSeries): void {
    const [id, count, rate, , all] = one.row;
    if (rate !== 0) this.#show(one, [id, count, 0, null, all]);
  }

  #show(one: LiveSeries, row: Row): void {
    one.row = row;
    one.rowText = JSON.stringify(row);
    one.changedAt = this.#updates;
  }
}

function isSame(a: Rejected, b: Rejected): boolean {
  return (
    a.notANumber === b.notANumber &&
    a.negative === b.negative &&
    a.tooLarge === b.tooLarge &&
    a.overflowing === b.overflowing
  );
}

function valuesOf(family: FamilySnapshot, histogram: ReadonlyHistogram): RowValues {
  return histogram.totalCount === 0 ? null : valuesAtPercentiles(family, { histogram }, ROW_PERCENTILES);
}
