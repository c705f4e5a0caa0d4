import type { FamilyFacts, Row, SeriesFacts, TableMessage } from '../src/messages.ts';

/** A series as the page knows it. */
export interface SeriesState {
  readonly facts: SeriesFacts;
  readonly family: FamilyFacts;
  /** What a search looks in, in lower case. */
  readonly searched: string;
  row: Row;
}

/** What the server has told of the table. */
export interface TableState {
  readonly families: Map<number, FamilyFacts>;
  readonly series: Map<number, SeriesState>;
}

export function emptyTable(): TableState {
  return { families: new Map(), series: new Map() };
}

/** Takes what has changed. */
export function applyChanges(state: TableState, message: TableMessage): void {
  if (message.isWhole) {
    state.families.clear();
    state.series.clear();
  }
  for (const family of message.families) state.families.set(family.id, family);
  for (const facts of message.series) {
    const family = state.families.get(facts.family);
    if (family === undefined) continue;
    const searched = `${family.name} ${facts.attributes}`.toLowerCase();
    state.series.set(facts.id, { facts, family, searched, row: [facts.id, 0, 0, null, null] });
  }
  for (const row of message.rows) {
    const series = state.series.get(row[0]);
    if (series !== undefined) series.row = row;
  }
}

/** What a series is called, wherever it has to be found again. */
export function labelOf({ family, facts }: SeriesState): string {
  return facts.attributes === '' ? family.name : `${family.name} ${facts.attributes}`;
}

/** Which values of a row are shown: those of the last interval, or of all. */
export type Span = 'last' | 'all';

export type SortKey = 'name' | 'count' | 'rate' | 0 | 1 | 2 | 3 | 4;

export interface Sorting {
  readonly key: SortKey;
  readonly isDescending: boolean;
}

/** The values of a row, or nothing where there were none. */
export function valuesOf({ row }: SeriesState, span: Span): readonly number[] {
  return (span === 'last' ? row[3] : row[4]) ?? [];
}

/** Those series that have all words of a search, in order. */
export function shownSeries(state: TableState, search: string, sorting: Sorting, span: Span): SeriesState[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [...state.series.values()].filter(({ searched }) =>
    words.every((word) => searched.includes(word)),
  );
  const sign = sorting.isDescending ? -1 : 1;
  return found.sort((a, b) => sign * compare(a, b, sorting.key, span) || byName(a, b));
}

function compare(a: SeriesState, b: SeriesState, key: SortKey, span: Span): number {
  if (key === 'name') return byName(a, b);
  const of = (series: SeriesState): number => {
    if (key === 'count') return series.row[1];
    if (key === 'rate') return series.row[2];
    // What has no values comes after all that has.
    return valuesOf(series, span)[key] ?? -1;
  };
  return of(a) - of(b);
}

const collator = new Intl.Collator('en', { numeric: true });

function byName(a: SeriesState, b: SeriesState): number {
  return (
    collator.compare(a.family.name, b.family.name) || collator.compare(a.facts.attributes, b.facts.attributes)
  );
}
