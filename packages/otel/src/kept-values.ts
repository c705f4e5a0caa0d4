import type { FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import type { MetricSettings } from './metric-settings.ts';
import type { HistogramValue } from './sdk.ts';

/** How the points of one kind of histogram are computed. */
export interface PointKind<Value extends HistogramValue = HistogramValue> {
  /** Of `DataPointType`. */
  readonly type: number;
  valueOf(state: SeriesSnapshot, family: FamilySnapshot, settings: MetricSettings): Value;
  /** The value of `now`, from that of an earlier state, where that is possible and takes less time. */
  updated?(
    earlier: Value,
    before: SeriesSnapshot,
    now: SeriesSnapshot,
    family: FamilySnapshot,
    settings: MetricSettings,
  ): Value | undefined;
}

/**
 * The values that a cumulative reader collected last. A series that has not changed has the same value again, and that of a
 * series that has changed a little is brought up to date.
 */
export class KeptValues<Value extends HistogramValue> {
  readonly #kind: PointKind<Value>;
  /** By the place of the series in their family. */
  readonly #families = new Map<string, KeptFamily<Value>>();

  constructor(kind: PointKind<Value>) {
    this.#kind = kind;
  }

  /** Begins a collection of a family. Returns what gives the values of its series, which must be asked for in their order. */
  begin(family: FamilySnapshot, settings: MetricSettings): (state: SeriesSnapshot) => Value {
    const key = JSON.stringify([family.name, family.scope]);
    const { states, values } = this.#families.get(key) ?? { states: [], values: [] };
    this.#families.set(key, { states, values });
    // Series that have ended leave fewer places.
    states.length = Math.min(states.length, family.series.length);
    values.length = states.length;
    const kind = this.#kind;
    let place = 0;
    return (state) => {
      const at = place++;
      const before = states[at];
      if (before === state) return values[at]!;
      const isSameSeries = before?.attributes === state.attributes;
      const updated = isSameSeries ? kind.updated?.(values[at]!, before, state, family, settings) : undefined;
      const value = updated ?? kind.valueOf(state, family, settings);
      states[at] = state;
      values[at] = value;
      return value;
    };
  }
}

/** The last states of the series of a family, and their values. */
interface KeptFamily<Value> {
  readonly states: SeriesSnapshot[];
  readonly values: Value[];
}
