import type { Attributes } from '../attributes.ts';
import type { SeriesSnapshot } from '../series-snapshot.ts';
import type { RemoteSeries } from './definitions.ts';

/**
 * Numbers the series of a registry from 0, in the order in which increases name them. Ids of series that have ended are not given
 * again. When most series have ended, another generation begins, in which all ids are new.
 */
export class SeriesIds {
  readonly generation: number;
  /** By id. */
  readonly series: RemoteSeries[] = [];
  /** By number of the family. All states of a series share their attributes, which no other series of the family has. */
  readonly #byFamily: Map<Attributes, number>[] = [];

  constructor(generation: number) {
    this.generation = generation;
  }

  idOf(family: number, { attributes, startTimeMs }: SeriesSnapshot): number {
    this.#byFamily[family] ??= new Map();
    const ids = this.#byFamily[family];
    let id = ids.get(attributes);
    if (id === undefined) {
      id = this.series.push({ family, attributes, startTimeMs }) - 1;
      ids.set(attributes, id);
    }
    return id;
  }
}
