import type { FamilyFacts, Row, SeriesFacts, TableMessage } from '../src/messages.ts';

/** The series of a family, taken together. */
interface Siblings {
  count: number;
  /** The attributes that all of them have. */
  common: ReadonlySet<string>;
}

/** A series as the page knows it. */
export interface SeriesState {
  readonly facts: SeriesFacts;
  readonly family: FamilyFacts;
  readonly siblings: Siblings;
  /** What it is called, wherever it has to be found again: its family's name and all of its attributes. */
  readonly label: string;
  /** What a search looks in, in lower case. */
  readonly searched: string;
  row: Row;
}

/** What the server has told of the table. */
export interface TableState {
  readonly families: Map<number, FamilyFacts>;
  /** By the id of the family. */
  readonly siblings: Map<number, Siblings>;
  readonly series: Map<number, SeriesState>;
}

export function emptyTable(): TableState {
  return { families: new Map(), siblings: new Map(), series: new Map() };
}

/** Takes what has changed. */
export function applyChanges(state: TableState, message: TableMessage): void {
  if (message.isWhole) {
    state.families.clear();
    state.siblings.clear();
    state.series.clear();
  }
  for (const family of message.families) state.families.set(family.id, family);
  for (const facts of message.series) {
    const family = state.families.get(facts.family);
    if (family === undefined) continue;
    const siblings = withSibling(state, facts);
    const label = `${family.name} ${attributesOf(facts)}`.trim();
    const row: Row = [facts.id, 0, 0, null, null];
    state.series.set(facts.id, { facts, family, siblings, label, searched: label.toLowerCase(), row });
  }
  for (const row of message.rows) {
    const series = state.series.get(row[0]);
    if (series !== undefined) series.row = row;
  }
}

function withSibling({ siblings }: TableState, { family, attributes }: SeriesFacts): Siblings {
  const known = siblings.get(family);
  if (known === undefined) {
    const alone: Siblings = { count: 1, common: new Set(attributes) };
    siblings.set(family, alone);
    return alone;
  }
  known.count += 1;
  known.common = new Set(attributes.filter((attribute) => known.common.has(attribute)));
  return known;
}

/** All attributes of a series: `method=GET, route=/search`. */
export function attributesOf({ attributes }: SeriesFacts): string {
  return attributes.join(', ');
}

/** Those attributes that tell a series from its siblings; all of them where it has none. */
export function tellingAttributes({ facts, siblings }: SeriesState): readonly string[] {
  if (siblings.count === 1) return facts.attributes;
  return facts.attributes.filter((attribute) => !siblings.common.has(attribute));
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
    collator.compare(a.family.name, b.family.name) ||
    collator.compare(attributesOf(a.facts), attributesOf(b.facts))
  );
}
