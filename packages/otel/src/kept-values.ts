import type { FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import type { HistogramValue } from './sdk.ts';

/** The values that a cumulative reader collected last: a series that has not changed has the same value again. */
export class KeptValues {
  #families = new Map<string, KeptFamily>();

  /** The values of a family. */
  of({ name, scope }: FamilySnapshot): KeptFamily {
    const key = JSON.stringify([name, scope]);
    const family = this.#families.get(key) ?? new KeptFamily();
    this.#families.set(key, family);
    return family;
  }
}

/** The last values of the series of a family, by their place in its snapshot. */
export class KeptFamily {
  readonly #states: SeriesSnapshot[] = [];
  readonly #values: HistogramValue[] = [];

  /** The value of a state: the last one when the state is the same, otherwise a new one. */
  valueAt(
    place: number,
    state: SeriesSnapshot,
    convert: (state: SeriesSnapshot) => HistogramValue,
  ): HistogramValue {
    if (this.#states[place] === state) return this.#values[place]!;
    const value = convert(state);
    this.#states[place] = state;
    this.#values[place] = value;
    return value;
  }
}
