import type { FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import type { HrTime } from '@opentelemetry/api';
import { familyKey, type MetricSettings } from './metric-settings.ts';
import { hrTime, pointFrom, shownValue } from './point.ts';
import type { HistogramValue, Point } from './sdk.ts';

/** How the points of one kind of histogram are computed. */
export interface PointKind<Value extends HistogramValue = HistogramValue> {
  /** A `DataPointType`. */
  readonly type: number;
  valueOf(state: SeriesSnapshot, family: FamilySnapshot, settings: MetricSettings): Value;
  /** The packed value of `now`, from that of an earlier state, where that is possible and takes less time. */
  updated?(
    earlier: Value,
    before: SeriesSnapshot,
    now: SeriesSnapshot,
    family: FamilySnapshot,
    settings: MetricSettings,
  ): Value | undefined;
  /** The same value in a form that takes less memory. @default the value as it is */
  packed?(value: Value): Value;
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

  /**
   * Begins a collection of a family. Returns what makes the points of all of its series, one after the other; `undefined` stands
   * for a series without values.
   */
  begin(
    family: FamilySnapshot,
    settings: MetricSettings,
    endTime: HrTime,
  ): (state: SeriesSnapshot) => Point<Value> | undefined {
    const key = familyKey(family);
    const kept = this.#families.get(key) ?? new KeptFamily(this.#kind);
    this.#families.set(key, kept);
    kept.begin(family.series.length);
    let place = 0;
    return (state) => kept.pointAt(place++, state, family, settings, endTime);
  }
}

interface Kept<Value> {
  readonly state: SeriesSnapshot;
  readonly value: Value;
}

/** The last states of the series of a family, and the parts of their points. */
class KeptFamily<Value extends HistogramValue> {
  readonly #kind: PointKind<Value>;
  // A list for each part: to read ten thousand parts one after the other takes a third of the time of a look at each state.
  readonly #states: SeriesSnapshot[] = [];
  readonly #values: Value[] = [];
  /** `undefined` for a series without values. */
  readonly #startTimes: (HrTime | undefined)[] = [];
  readonly #attributes: SeriesSnapshot['attributes'][] = [];
  readonly #exemplars: SeriesSnapshot['exemplars'][] = [];
  /** The number of series in this collection. Later places hold those of the last collection until the next one begins. */
  #count = 0;
  /** The series of the last collection from the first one on that has another place now, by their attributes. */
  #moved: Map<SeriesSnapshot['attributes'], Kept<Value>> | undefined;

  constructor(kind: PointKind<Value>) {
    this.#kind = kind;
  }

  begin(count: number): void {
    const lists = [this.#states, this.#values, this.#startTimes, this.#attributes, this.#exemplars];
    for (const list of lists) list.length = this.#count;
    this.#count = count;
    this.#moved = undefined;
  }

  /** The point of the series at a place. Places are asked for in ascending order. */
  pointAt(
    place: number,
    state: SeriesSnapshot,
    family: FamilySnapshot,
    settings: MetricSettings,
    endTime: HrTime,
  ): Point<Value> | undefined {
    if (this.#states[place] !== state) {
      const value = shownValue(this.#renewed(place, state, family, settings), settings);
      this.#states[place] = state;
      this.#values[place] = value;
      this.#startTimes[place] = value.count === 0 ? undefined : hrTime(state.startTimeMs);
      this.#attributes[place] = state.attributes;
      this.#exemplars[place] = state.exemplars;
    }
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

  #renewed(place: number, state: SeriesSnapshot, family: FamilySnapshot, settings: MetricSettings): Value {
    const kind = this.#kind;
    const before = this.#before(place, state);
    if (before?.state === state) return before.value;
    const updated = before && kind.updated?.(before.value, before.state, state, family, settings);
    if (updated !== undefined) return updated;
    const value = kind.valueOf(state, family, settings);
    return kind.packed?.(value) ?? value;
  }

  /** An earlier state of a series, and its value. All states of a series share their attributes. */
  #before(place: number, { attributes }: SeriesSnapshot): Kept<Value> | undefined {
    const [states, values] = [this.#states, this.#values];
    if (this.#moved === undefined && states[place]?.attributes === attributes) {
      return { state: states[place]!, value: values[place]! };
    }
    // Later places are overwritten from here on. Those that an overlapping collection has not reached yet are holes, which `flatMap`
    // skips.
    this.#moved ??= new Map(
      states
        .slice(place)
        .flatMap((state, i) => [[state.attributes, { state, value: values[place + i]! }] as const]),
    );
    return this.#moved.get(attributes);
  }
}
