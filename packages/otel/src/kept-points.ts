import type { SlotRange } from '@hdrscope/core/internal';
import type { SeriesSnapshot } from '@hdrscope/registry';
import {
  type CurrentState,
  countInexact,
  countsWithin,
  type FamilyFacts,
  findChangedSlots,
  isLive,
  readState,
  readVersion,
  type Shown,
} from '@hdrscope/registry/internal';
import type { HrTime } from '@opentelemetry/api';
import { familyKey, type MetricSettings } from './metric-settings.ts';
import { hrTime, pointFrom, shownValue } from './point.ts';
import type { HistogramValue, Point } from './sdk.ts';

/** How the points of one kind of histogram are computed. */
export interface PointKind<Value extends HistogramValue = HistogramValue> {
  /** A `DataPointType`. */
  readonly type: number;
  valueOf(state: CurrentState, family: FamilyFacts, settings: MetricSettings): Value;
  /**
   * The packed value of a state, from that of an earlier one, where that is possible and takes less time.
   *
   * @param changed Slots among which are all that have changed since the earlier state.
   */
  updated?(
    earlier: Value,
    state: CurrentState,
    changed: SlotRange,
    family: FamilyFacts,
    settings: MetricSettings,
  ): Value | undefined;
  /** The same value in a form that takes less memory. @default the value as it is */
  packed?(value: Value): Value;
}

/** Makes the points of the series of a family, which are asked for one after the other. */
export interface Showing<Value extends HistogramValue> {
  /** The point of the series at a place, from 0; `undefined` when it has no values. */
  pointAt(place: number, shown: Shown, endTime: HrTime): Point<Value> | undefined;
  /** The counts within each threshold that the family states, of the series that was asked for last. */
  withinAt(place: number): readonly number[];
  /** See `countInexact`. */
  inexactAt(place: number): number;
  /** Ends the collection, after so many places. */
  end(count: number): void;
}

/**
 * The points that a cumulative reader collected last, without their end. A series that has not changed has the same point again
 * with a new end, and the value of a series that has changed a little is brought up to date.
 */
export class KeptPoints<Value extends HistogramValue> {
  readonly #kind: PointKind<Value>;
  readonly #families = new Map<string, KeptFamily<Value>>();

  constructor(kind: PointKind<Value>) {
    this.#kind = kind;
  }

  /** Begins a collection of a family: of all of its series. */
  begin(family: FamilyFacts, settings: MetricSettings): Showing<Value> {
    const key = familyKey(family);
    const kept = this.#families.get(key) ?? new KeptFamily(this.#kind);
    this.#families.set(key, kept);
    kept.begin(family, settings);
    return kept;
  }
}

interface Kept<Value> {
  readonly shown: Shown;
  readonly version: number;
  readonly value: Value;
}

/** The last states of the series of a family, and the parts of their points. */
class KeptFamily<Value extends HistogramValue> implements Showing<Value> {
  readonly #kind: PointKind<Value>;
  declare private family: FamilyFacts;
  declare private settings: MetricSettings;
  // A list for each part: to read ten thousand parts one after the other takes a third of the time of a look at each state.
  readonly #shown: Shown[] = [];
  /** See `readVersion`. */
  readonly #versions: number[] = [];
  readonly #values: Value[] = [];
  /** `undefined` for a series without values. */
  readonly #startTimes: (HrTime | undefined)[] = [];
  /** All states of a series share their attributes. */
  readonly #attributes: SeriesSnapshot['attributes'][] = [];
  readonly #exemplars: SeriesSnapshot['exemplars'][] = [];
  readonly #within: (readonly number[])[] = [];
  readonly #inexact: number[] = [];
  /** The number of series in the last collection that has ended. */
  #count = 0;
  /** The series of the last collection from the first one on that has another place now, by their attributes. */
  #moved: Map<SeriesSnapshot['attributes'], Kept<Value>> | undefined;

  constructor(kind: PointKind<Value>) {
    this.#kind = kind;
  }

  begin(family: FamilyFacts, settings: MetricSettings): void {
    const parts = [
      this.#shown,
      this.#versions,
      this.#values,
      this.#startTimes,
      this.#attributes,
      this.#exemplars,
      this.#within,
      this.#inexact,
    ];
    for (const part of parts) part.length = Math.min(part.length, this.#count);
    this.family = family;
    this.settings = settings;
    this.#moved = undefined;
  }

  end(count: number): void {
    this.#count = count;
  }

  pointAt(place: number, shown: Shown, endTime: HrTime): Point<Value> | undefined {
    const version = readVersion(shown);
    if (this.#shown[place] !== shown || this.#versions[place] !== version) this.#renew(place, shown, version);
    const startTime = this.#startTimes[place];
    if (startTime === undefined) return undefined;
    return pointFrom(
      startTime,
      endTime,
      this.#attributes[place]!,
      this.#values[place]!,
      this.#exemplars[place]!,
    );
  }

  withinAt(place: number): readonly number[] {
    return this.#within[place]!;
  }

  inexactAt(place: number): number {
    return this.#inexact[place]!;
  }

  #renew(place: number, shown: Shown, version: number): void {
    const { family, settings } = this;
    const state = readState(shown);
    const value = shownValue(this.#valueOf(place, shown, state, version), settings);
    this.#shown[place] = shown;
    this.#versions[place] = version;
    this.#values[place] = value;
    this.#startTimes[place] = value.count === 0 ? undefined : hrTime(state.startTimeMs);
    this.#attributes[place] = state.attributes;
    this.#exemplars[place] = state.exemplars;
    this.#within[place] = family.statedThresholds.length === 0 ? NONE : countsWithin(family, state);
    this.#inexact[place] = countInexact(state);
    if (isLive(shown)) shown.markRead();
  }

  #valueOf(place: number, shown: Shown, state: CurrentState, version: number): Value {
    const kind = this.#kind;
    const before = this.#before(place, state);
    if (before?.shown === shown && before.version === version) return before.value;
    const changed = before && findChangedSlots(before, shown);
    const updated = changed && kind.updated?.(before.value, state, changed, this.family, this.settings);
    if (updated !== undefined) return updated;
    const value = kind.valueOf(state, this.family, this.settings);
    return kind.packed?.(value) ?? value;
  }

  /** What was shown of a series before. */
  #before(place: number, { attributes }: CurrentState): Kept<Value> | undefined {
    const [shown, versions, values] = [this.#shown, this.#versions, this.#values];
    if (this.#moved === undefined && this.#attributes[place] === attributes) {
      return { shown: shown[place]!, version: versions[place]!, value: values[place]! };
    }
    // Later places are overwritten from here on. Those that an overlapping collection has not reached yet are holes, which `flatMap`
    // skips.
    this.#moved ??= new Map(
      this.#attributes.slice(place).flatMap((known, i) => {
        const at = place + i;
        return [[known, { shown: shown[at]!, version: versions[at]!, value: values[at]! }] as const];
      }),
    );
    return this.#moved.get(attributes);
  }
}

const NONE: readonly number[] = /* @__PURE__ */ Object.freeze([]);
