import { nanosecondsPer, type Slices } from '@hdrscope/kit';
import { AttributeIndex } from './attribute-index.ts';
import { type Attributes, canonicalText, frozenCopy } from './attributes.ts';
import { type ChangesAfter, ChangesChain, noChangesYet } from './changes.ts';
import type { Clock } from './clock.ts';
import { type EndedAfter, EndedList } from './ended.ts';
import { type FamilyOptions, type FamilySettings, familySettings, type Scope } from './family-options.ts';
import { NOTHING_REJECTED, type RejectedCounts, rejectedCount, rejectedTogether } from './rejected.ts';
import { Series, type SeriesSetup } from './series.ts';
import type { SeriesSnapshot } from './series-snapshot.ts';
import { SlotPlans } from './slot-plans.ts';
import { startStopWatch } from './stop-watch.ts';
import { TextTable } from './text-table.ts';
import { familyThresholds } from './thresholds.ts';

/** A family at one moment. Immutable. */
export interface FamilySnapshot extends Omit<FamilySettings, 'cardinalityLimit' | 'expireAfterMs'> {
  /** In the order in which they were made; the overflow series is the last. */
  readonly series: readonly SeriesSnapshot[];
  /**
   * What series rejected that have ended since the family was made. `series` no longer has it, and a tally of the family must not fall. In
   * a difference it is empty: series that ended in between are still among its `series`.
   */
  readonly endedRejected: RejectedCounts;
}

/** The attributes of the series that takes all values beyond the cardinality limit. */
export const OVERFLOW_ATTRIBUTES: Attributes = /* @__PURE__ */ Object.freeze({
  'otel.metric.overflow': true,
});
const OVERFLOW_TEXT = /* @__PURE__ */ canonicalText(OVERFLOW_ATTRIBUTES);

// Enough for every series to be found by a few attributes in a few orders.
const INDEX_NODES_PER_SERIES = 16;

/**
 * The distributions of one instrument: a series for each set of attributes. `Registry.histogram` makes it.
 *
 * Its fields are the options that it was made with, defaults included: see `FamilyOptions`.
 *
 * @example
 * ```ts
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const family = createRegistry().histogram({ name: 'jobs', unit: 's', cardinalityLimit: 1 });
 * family.with({ queue: 'mail' }).record(0.25);
 * family.with({ queue: 'print' }).record(4);
 * family.snapshot().series.map(({ attributes, max }) => [attributes, max]);
 * //=> [[{ queue: 'mail' }, 0.25], [{ 'otel.metric.overflow': true }, 4]]
 * ```
 */
export class Family implements FamilySettings {
  /** Name of the instrument. */
  readonly name: string;
  /** UCUM code of the values, such as `s` or `By`; `''` when they have no unit. */
  readonly unit: string;
  /** For people; `''` when there is no description. */
  readonly description: string;
  /** The library that made the family; `undefined` for a family without a scope. */
  readonly scope: Scope | undefined;
  /** How many series there may be, besides the overflow series: an integer of at least 1. */
  readonly cardinalityLimit: number;
  /** The layout that all histograms share, in ticks of `resolution`. */
  readonly layout: FamilySettings['layout'];
  /** The same layout with bounds in the unit. */
  readonly unitLayout: FamilySettings['unitLayout'];
  /** One tick of the histograms, in the unit. */
  readonly resolution: FamilySettings['resolution'];
  /** Boundaries of explicit buckets, in the unit, ascending; `undefined` when the family was made without. */
  readonly boundaries: readonly number[] | undefined;
  /** All values at which counts are exact, ascending: the boundaries and all thresholds of the options. */
  readonly thresholds: readonly number[];
  /** Those of the option `thresholds`, in the unit, ascending. */
  readonly statedThresholds: readonly number[];
  /** Milliseconds without a value after which a series ends; `undefined` when series do not end by themselves. */
  readonly expireAfterMs: number | undefined;
  readonly #setup: SeriesSetup;
  #index: AttributeIndex<Series>;
  /** How many series have ended since the index was new: it may still lead to them by other orders of their keys. */
  #endedInIndex = 0;
  /** By their place: at most `cardinalityLimit`. */
  #series: Series[] = [];
  readonly #byText = new TextTable<Series>();
  #overflow: Series | undefined;
  /** The series that have changed since their last snapshot, in the order of their changes. */
  readonly #changed = new Set<Series>();
  /** The last snapshot of each series, by its place; the overflow series has none. Series without one come last. */
  #states: SeriesSnapshot[] = [];
  #overflowState: SeriesSnapshot | undefined;
  /** The last snapshot of the family; `undefined` when something has changed since. */
  #last: FamilySnapshot | undefined;
  /** The changes since the last snapshot of the family. */
  #after: ChangesAfter = noChangesYet();
  readonly #chain = new ChangesChain();

  readonly #onLimit: (family: Family, attributes: Attributes) => void;
  #hasReachedLimit = false;
  readonly #ended: EndedList;
  #endedRejected: RejectedCounts = NOTHING_REJECTED;

  /**
   * @internal
   * @param onLimit Called once, when the first value goes to the overflow series because of the limit.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
   */
  constructor(
    options: FamilyOptions,
    clock: Clock,
    ended: EndedList = new EndedList(),
    onLimit: (family: Family, attributes: Attributes) => void = () => {},
  ) {
    const settings = familySettings(options);
    const { unit, layout, unitLayout, resolution, cardinalityLimit } = settings;
    this.name = settings.name;
    this.unit = unit;
    this.description = settings.description;
    this.scope = settings.scope;
    this.cardinalityLimit = cardinalityLimit;
    this.layout = layout;
    this.unitLayout = unitLayout;
    this.resolution = resolution;
    this.boundaries = settings.boundaries;
    this.thresholds = settings.thresholds;
    this.statedThresholds = settings.statedThresholds;
    this.expireAfterMs = settings.expireAfterMs;
    this.#ended = ended;
    this.#onLimit = onLimit;
    const thresholds = familyThresholds(settings);
    this.#setup = {
      unit,
      layout,
      unitLayout,
      resolution,
      ticksPerUnit: resolution.ticksPerUnit / resolution.unitsPerTick,
      nsPerUnit: nanosecondsPer(unit),
      thresholds,
      plans: new SlotPlans({ layout, unitLayout, resolution, thresholds }),
      marks: thresholds.marks,
      highestInt: Math.min(this.layout.highestTrackableValue, 2 ** 31 - 1),
      clock,
      expires: settings.expireAfterMs !== undefined,
      onChange: (series) => this.#changed.add(series),
      heirOf: (series) => this.#heirOf(series),
    };
    this.#index = this.#newIndex();
  }

  /**
   * The series with these attributes; the first call makes it. Keep the result where you can: a record then looks
   * nothing up.
   *
   * @param attributes The order of keys does not matter, and a key without a value counts as absent. They are copied.
   * @returns The overflow series when as many series exist as `cardinalityLimit` allows.
   */
  with(attributes: Attributes): Series {
    const known = this.#index.find(attributes);
    return known === undefined || known.hasEnded ? this.#resolve(attributes) : known;
  }

  /**
   * Starts a stop-watch for a value some of whose attributes are known at its end alone, as the status of an answer is. When all are known at the
   * start, `with(attributes).startTimer()` looks nothing up at the end.
   *
   * @param attributes Those that are known at the start. @default none
   * @returns A function that takes further attributes, which win over those of the start, records the time since the start into the series of all
   *   of them, and returns it in the family's unit. Every call records. The series is made at the end.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the family's unit is not a unit of time: `ns`, `us`, `ms`, `s`,
   *   `min` or `h`.
   * @example
   * ```ts
   * import { createRegistry } from '@hdrscope/registry';
   *
   * const requests = createRegistry().histogram({ name: 'http.server.request.duration', unit: 's' });
   * const stop = requests.startTimer({ 'http.route': '/cart' });
   * stop({ 'http.response.status_code': 200 }) >= 0; //=> true
   * requests.snapshot().series.map(({ attributes }) => attributes);
   * //=> [{ 'http.response.status_code': 200, 'http.route': '/cart' }]
   * ```
   */
  startTimer(attributes: Attributes = {}): (more?: Attributes) => number {
    const watch = startStopWatch(this.#setup);
    return (more) => {
      const elapsed = watch();
      this.with(more === undefined ? attributes : { ...attributes, ...more }).record(elapsed);
      return elapsed;
    };
  }

  /** @internal The series with these attributes; `undefined` when there is none. */
  find(attributes: Attributes): Series | undefined {
    return this.#byText.find(canonicalText(attributes));
  }

  /** @internal How many series it has, besides the overflow series. */
  get seriesCount(): number {
    return this.#series.length;
  }

  /**
   * Ends a series: it is in no later snapshot, and its place is free for another one. What it counted since the last collection of
   * a delta reader is in the next one. A record with these attributes begins a new series, at 0 and with a new start, also
   * through a handle that was kept.
   *
   * @returns Whether there was such a series.
   * @example
   * ```ts
   * import { createRegistry } from '@hdrscope/registry';
   *
   * const family = createRegistry().histogram({ name: 'jobs', unit: 's' });
   * family.with({ queue: 'mail' }).record(0.25);
   * family.remove({ queue: 'mail' }); //=> true
   * family.snapshot().series.length; //=> 0
   * ```
   */
  remove(attributes: Attributes): boolean {
    const text = canonicalText(attributes);
    const series = text === OVERFLOW_TEXT ? this.#overflow : this.#byText.find(text);
    if (series !== undefined) this.#end([series]);
    return series !== undefined;
  }

  /** Ends all series: see `remove`. */
  clear(): void {
    this.#end(this.#all());
  }

  /** The state, which later records do not change. Until the next change it is the same object. */
  snapshot(): FamilySnapshot {
    for (const series of this.#changed) this.#take(series);
    this.#endSilent();
    return this.#current();
  }

  /**
   * @internal `snapshot` in slices. Each series shows one moment, and all that was recorded before the call; those of later slices may
   * show what was recorded meanwhile.
   */
  async snapshotIn(slices: Slices): Promise<FamilySnapshot> {
    // Series that change again meanwhile stay for the next snapshot: otherwise this one might never end.
    let left = this.#changed.size;
    for (const series of this.#changed) {
      if (left-- === 0) break;
      this.#take(series);
      if (slices.isOver()) await slices.next();
    }
    this.#endSilent();
    return this.#current();
  }

  /** @internal The attributes of all series, except the overflow series. */
  listAttributes(): Attributes[] {
    return this.#series.map(({ attributes }) => attributes);
  }

  /** @internal See `FamilySnapshot.endedRejected`. */
  get endedRejected(): RejectedCounts {
    return this.#endedRejected;
  }

  /** @internal All series, for a reader that takes their current states at once. The overflow series is the last. */
  listSeries(): readonly Series[] {
    this.#endSilent();
    // Without snapshots, nobody asks for the last states of series that have ended.
    if (this.#after.changes.length > 0) this.#beginChanges();
    return this.#all().slice();
  }

  /** Begins the list of the next changes, to which the one before leads. */
  #beginChanges(): ChangesAfter {
    const after = noChangesYet();
    this.#after.next = after;
    this.#after = after;
    return after;
  }

  #take(series: Series): void {
    this.#changed.delete(series);
    const state = series.snapshot();
    series.noteActivity();
    const isOverflow = series === this.#overflow;
    const before = isOverflow ? this.#overflowState : this.#states[series.place];
    if (isOverflow) this.#overflowState = state;
    else this.#states[series.place] = state;
    this.#after.changes.push({ place: this.#placeOf(series), before, now: state });
    this.#last = undefined;
  }

  #current(): FamilySnapshot {
    this.#last ??= this.#snapshotNow();
    return this.#last;
  }

  #snapshotNow(): FamilySnapshot {
    const snapshot = Object.freeze({
      name: this.name,
      unit: this.unit,
      description: this.description,
      scope: this.scope,
      resolution: this.resolution,
      layout: this.layout,
      unitLayout: this.unitLayout,
      boundaries: this.boundaries,
      thresholds: this.thresholds,
      statedThresholds: this.statedThresholds,
      series: Object.freeze(
        this.#overflowState === undefined ? this.#states.slice() : [...this.#states, this.#overflowState],
      ),
      endedRejected: this.#endedRejected,
    });
    // In one step with the states: a series is in the snapshot or has ended before it, and never both or neither.
    const after = this.#beginChanges();
    origins.set(snapshot, { family: this, ended: this.#ended.tail, after });
    this.#chain.add(after, snapshot);
    return snapshot;
  }

  #resolve(attributes: Attributes): Series {
    const text = canonicalText(attributes);
    let series = this.#byText.find(text);
    if (series === undefined) {
      if (this.#series.length >= this.cardinalityLimit || text === OVERFLOW_TEXT) {
        if (!this.#hasReachedLimit && text !== OVERFLOW_TEXT) {
          this.#hasReachedLimit = true;
          this.#onLimit(this, attributes);
        }
        // A copy, as all states of one series, and of no other, share their attributes.
        this.#overflow ??= this.#made(Object.freeze({ ...OVERFLOW_ATTRIBUTES }));
        return this.#overflow;
      }
      series = this.#made(frozenCopy(attributes));
      this.#series.push(series);
      this.#byText.add(text, series);
    }
    this.#index.learn(attributes, series);
    return series;
  }

  #made(attributes: Attributes): Series {
    const series = new Series(attributes, this.#setup, this.#series.length);
    this.#changed.add(series);
    return series;
  }

  #newIndex(): AttributeIndex<Series> {
    return new AttributeIndex(this.cardinalityLimit * INDEX_NODES_PER_SERIES);
  }

  /** The overflow series is the last. */
  #placeOf(series: Series): number {
    return series === this.#overflow ? Number.POSITIVE_INFINITY : series.place;
  }

  #all(): Series[] {
    return this.#overflow === undefined ? this.#series : [...this.#series, this.#overflow];
  }

  #endSilent(): void {
    const { expireAfterMs } = this;
    if (expireAfterMs === undefined) return;
    const sinceMs = this.#setup.clock.monotonicMs() - expireAfterMs;
    const silent = this.#all().filter(
      (series) => (series.activeMs ?? sinceMs) < sinceMs && (series.isRead || !this.#changed.has(series)),
    );
    if (silent.length > 0) this.#end(silent);
  }

  #end(ended: readonly Series[]): void {
    for (const series of ended) {
      const last = series.end();
      this.#changed.delete(series);
      const isOverflow = series === this.#overflow;
      const before = isOverflow ? this.#overflowState : this.#states[series.place];
      if (last !== before) this.#after.changes.push({ place: this.#placeOf(series), before, now: last });
      if (isOverflow) {
        this.#overflow = undefined;
        this.#overflowState = undefined;
      } else {
        this.#byText.remove(canonicalText(series.attributes), series);
        this.#index.forget(series.attributes);
      }
      if (last.counts.total + rejectedCount(last.rejected) > 0) this.#ended.add(this, last);
      if (rejectedCount(last.rejected) > 0)
        this.#endedRejected = rejectedTogether(this.#endedRejected, last.rejected);
    }
    const gone = new Set(ended);
    this.#states = this.#states.filter((_, place) => !gone.has(this.#series[place]!));
    this.#series = this.#series.filter((series) => !gone.has(series));
    for (const [place, series] of this.#series.entries()) series.place = place;
    this.#endedInIndex += ended.length;
    if (this.#endedInIndex > this.#series.length) {
      this.#index = this.#newIndex();
      this.#endedInIndex = 0;
    }
    this.#last = undefined;
  }

  /** The series that counts what an ended one is given: another one of these attributes, or itself from the start. */
  #heirOf(series: Series): Series {
    const text = canonicalText(series.attributes);
    if (text === OVERFLOW_TEXT) {
      if (this.#overflow !== undefined) return this.#overflow;
    } else {
      const other = this.#byText.find(text);
      if (other !== undefined) return other;
      if (this.#series.length >= this.cardinalityLimit) return this.with(series.attributes);
    }
    series.restart(this.#series.length);
    if (text === OVERFLOW_TEXT) this.#overflow = series;
    else {
      this.#series.push(series);
      this.#byText.add(text, series);
    }
    this.#changed.add(series);
    return series;
  }
}

/** The series of a family with these attributes; `undefined` when there is none. Unlike `Family.with`, it makes none. */
export function findSeries(family: Family, attributes: Attributes): Series | undefined {
  return family.find(attributes);
}

/** How many series a family has, besides the overflow series. */
export function countSeries(family: Family): number {
  return family.seriesCount;
}

/** The origin of a family snapshot. */
export interface FamilyOrigin {
  readonly family: Family;
  /** The moment until which series had ended. */
  readonly ended: EndedAfter;
  /** The changes after the snapshot. */
  readonly after: ChangesAfter;
}

/** The origins of snapshots that a family has made. */
export const origins: WeakMap<FamilySnapshot, FamilyOrigin> = new WeakMap();
