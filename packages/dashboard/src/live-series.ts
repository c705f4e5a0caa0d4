import type { Attributes, FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import { endCounts, type SlotReaches } from '@hdrscope/registry/internal';
import type { FamilyDefinition, HistorySeries, Increase } from './history/history.ts';
import type { FamilyFacts, Row } from './messages.ts';
import { valuesOf } from './row-values.ts';

/** A series of the table. */
export interface LiveSeries extends HistorySeries {
  readonly familyFacts: FamilyFacts;
  /** As in the latest snapshot. */
  latest: SeriesSnapshot;
  reaches: SlotReaches | undefined;
  /** The reaches of its counts in an earlier process, which the history has too. */
  readonly earlierReaches: SlotReaches | undefined;
  weight: number;
  /** What it counted in the last interval; `undefined` when that is nothing, or there is no interval yet. */
  increase: Increase | undefined;
  /** How many values it counted in each second of the last interval. */
  perSecond: number;
  /** The number of the last update that changed the row, from 1. */
  changedAt: number;
  /** The row as JSON, made once for all clients, when one asks for it. */
  rowText: string | undefined;
  /** The number of the update since which clients have the series; `undefined` while it is left out. */
  shownAt: number | undefined;
  /** The time of the first snapshot without the series, in milliseconds since 1970; `undefined` while snapshots have it. */
  endedMs: number | undefined;
  /** The number of the last update whose snapshot has the series. */
  presentAt: number;
  /** Its family in the table. */
  readonly live: LiveFamily;
}

/** A family of the table. */
export interface LiveFamily {
  readonly facts: FamilyFacts;
  readonly definition: FamilyDefinition;
  /** As in the latest snapshot that has it. */
  latest: FamilySnapshot;
  /** By attributes, which are one object in all snapshots of a series. */
  readonly series: Map<Attributes, LiveSeries>;
  /** The series of `latest`, in its order: a family has most of them in the same places in the next snapshot. */
  places: readonly LiveSeries[];
  /** The number of the last update whose snapshot has the family; negative before the first one. */
  presentAt: number;
}

/** Writes the row of a series as JSON, once until the row changes. */
export function writeRowText(one: LiveSeries): string {
  one.rowText ??= JSON.stringify(makeRow(one));
  return one.rowText;
}

/** Makes the row of a series. */
export function makeRow({ facts: { id }, family, latest, reaches, increase, perSecond }: LiveSeries): Row {
  const valuesIn = ({ counts }: Pick<SeriesSnapshot, 'counts'>) =>
    valuesOf(family, endCounts(counts, reaches));
  const last = increase === undefined ? null : valuesIn(increase);
  return [id, latest.counts.total, perSecond, last, valuesIn(latest)];
}
