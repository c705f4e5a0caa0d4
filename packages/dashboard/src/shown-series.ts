import type { Slices } from '@hdrscope/kit';
import { type LiveSeries, writeRowText } from './live-series.ts';

// A browser sorts and draws so many rows within a fifth of a second.
const MOST_SHOWN = 5000;

// Series rarely overtake others, and those that come and go are drawn anew.
const CHOICE_UPDATES = 10;

// Updates for which a series stays that somebody has named.
const NAMED_UPDATES = 60;

// A client that has missed more of them gets the whole table.
const MOST_REMOVALS = 10_000;

/** The parts of the table that a client has not seen yet, as the texts of JSON arrays. */
export interface TableChanges {
  readonly families: string;
  readonly series: string;
  readonly rows: string;
  readonly removed: string;
}

/** The series that clients get: of very many, those with the most values, and those that somebody has named. */
export class ShownSeries {
  readonly #mostShown: number;
  /** Ascending by id. */
  #shown: readonly LiveSeries[] = [];
  /** The update that chooses them anew. */
  #choiceAt = 0;
  /** Series that clients get whatever their counts, each with the update that named it last. */
  readonly #named = new Map<LiveSeries, number>();
  /** The last removals, oldest first, each with the number of its update. */
  #removals: (readonly [id: number, update: number])[] = [];
  /** Removals up to this update may be forgotten. */
  #forgotten = 0;

  /** @param mostShown How many series clients get, besides those that somebody has named. */
  constructor(mostShown: number = MOST_SHOWN) {
    this.#mostShown = mostShown;
  }

  /** Ascending by id. */
  get all(): readonly LiveSeries[] {
    return this.#shown;
  }

  /**
   * The series that have counted the most values; the earlier of equal ones. Lets other work run meanwhile.
   *
   * @param series All series, ascending by id.
   * @param leaving Those that the next update removes.
   * @param update The number of the next update.
   * @returns `undefined` when the choice is not due.
   */
  async findLargest(
    series: readonly LiveSeries[],
    leaving: ReadonlySet<LiveSeries>,
    update: number,
    slices: Slices,
  ): Promise<readonly LiveSeries[] | undefined> {
    const all: LiveSeries[] = [];
    const most = this.#mostShown;
    const isDue = series.length - leaving.size <= most || update >= this.#choiceAt;
    if (!isDue) return undefined;
    const counts: number[] = [];
    for (const one of series) {
      if (slices.isOver()) await slices.next();
      if (leaving.has(one)) continue;
      all.push(one);
      counts.push(one.latest.counts.total);
    }
    if (all.length <= most) return all;
    const least = Float64Array.from(counts).sort()[counts.length - most]!;
    const larger: LiveSeries[] = [];
    const equal: LiveSeries[] = [];
    for (const [at, one] of all.entries()) {
      if (slices.isOver()) await slices.next();
      if (counts[at]! > least) larger.push(one);
      else if (counts[at] === least) equal.push(one);
    }
    return [...larger, ...equal.slice(0, most - larger.length)];
  }

  /**
   * Chooses the series that clients get from an update on.
   *
   * @param largest The series with the most values; `undefined` when the choice is not due.
   */
  choose(largest: readonly LiveSeries[] | undefined, update: number): void {
    if (largest === undefined) return;
    this.#choiceAt = update + CHOICE_UPDATES;
    for (const [one, at] of this.#named) if (update - at > NAMED_UPDATES) this.#named.delete(one);
    const chosen = new Set([...this.#named.keys(), ...largest]);
    for (const one of this.#shown) if (!chosen.has(one)) this.#hide(one, update);
    for (const one of chosen) one.shownAt ??= update;
    this.#shown = [...chosen].sort((a, b) => a.facts.id - b.facts.id);
    this.#forgetRemovals();
  }

  /** Takes series that an update has removed from the table from clients. */
  remove(removed: ReadonlySet<LiveSeries>, update: number): void {
    if (removed.size === 0) return;
    for (const one of removed) {
      this.#named.delete(one);
      if (one.shownAt !== undefined) this.#hide(one, update);
    }
    this.#shown = this.#shown.filter((one) => !removed.has(one));
    this.#forgetRemovals();
  }

  #hide(one: LiveSeries, update: number): void {
    one.shownAt = undefined;
    this.#removals.push([one.facts.id, update]);
  }

  /**
   * Sends series to clients with the next update, and for a minute or so: somebody has named them.
   *
   * @param update The number of the last update.
   */
  show(series: Iterable<LiveSeries>, update: number): void {
    for (const one of series) {
      this.#named.set(one, update);
      if (one.shownAt !== undefined) continue;
      one.shownAt = update + 1;
      this.#shown = [...this.#shown, one].sort((a, b) => a.facts.id - b.facts.id);
    }
  }

  #forgetRemovals(): void {
    const tooMany = this.#removals.length - MOST_REMOVALS;
    if (tooMany > 0) this.#forgotten = this.#removals.splice(0, tooMany).at(-1)![1];
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
      rows: `[${rows.map(writeRowText).join()}]`,
      removed: JSON.stringify(removed.map(([id]) => id)),
    };
  }
}
