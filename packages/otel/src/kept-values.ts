import { placesIn } from '@hdrscope/kit';
import type { FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import { familyKey, type MetricSettings } from './metric-settings.ts';
import type { HistogramValue } from './sdk.ts';

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
 * The values that a cumulative reader collected last. A series that has not changed has the same value again, and that of a
 * series that has changed a little is brought up to date.
 */
export class KeptValues<Value extends HistogramValue> {
  readonly #kind: PointKind<Value>;
  readonly #families = new Map<string, KeptFamily<Value>>();

  constructor(kind: PointKind<Value>) {
    this.#kind = kind;
  }

  /** Begins a collection of a family. Returns what gives the values of its series, which must be asked for in their order. */
  begin(family: FamilySnapshot, settings: MetricSettings): (state: SeriesSnapshot) => Value {
    const key = familyKey(family);
    const kind = this.#kind;
    const packed = (value: Value): Value => kind.packed?.(value) ?? value;
    const { states, values } = this.#families.get(key) ?? NOTHING_KEPT;
    const kept: { states: SeriesSnapshot[]; values: Value[] } = { states: [], values: [] };
    this.#families.set(key, kept);
    // All states of a series share their attributes.
    const placeOf = placesIn(states, ({ attributes }) => attributes);
    const keptValue = (state: SeriesSnapshot): Value | undefined => {
      const place = placeOf(state.attributes);
      if (place === undefined) return undefined;
      const before = states[place]!;
      if (before === state) return values[place];
      return kind.updated?.(values[place]!, before, state, family, settings);
    };
    return (state) => {
      const value = keptValue(state) ?? packed(kind.valueOf(state, family, settings));
      kept.states.push(state);
      kept.values.push(value);
      return value;
    };
  }
}

/** The last states of the series of a family, and their values. */
interface KeptFamily<Value> {
  readonly states: SeriesSnapshot[];
  readonly values: Value[];
}

const NOTHING_KEPT: KeptFamily<never> = { states: [], values: [] };
