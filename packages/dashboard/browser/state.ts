import type { FamilyFacts, Row, SeriesFacts, TableMessage } from '../src/messages.ts';

/** All series of one family. */
interface Siblings {
  count: number;
  /** The attributes that all of them share. */
  common: ReadonlySet<string>;
}

/** A series of the page. */
export interface SeriesState {
  readonly facts: SeriesFacts;
  readonly family: FamilyFacts;
  readonly siblings: Siblings;
  /** The family's name and all attributes, by which a series is found again after a restart of the server. */
  readonly label: string;
  /** The text that a search looks in, in lower case. */
  readonly searched: string;
  row: Row;
}

/** The table as the server has sent it. */
export interface TableState {
  readonly families: Map<number, FamilyFacts>;
  /** By the id of the family. */
  readonly siblings: Map<number, Siblings>;
  readonly series: Map<number, SeriesState>;
}

export function emptyTable(): TableState {
  return { families: new Map(), siblings: new Map(), series: new Map() };
}

/** Applies the changes of a message. */
export function applyChanges(state: TableState, message: TableMessage): void {
  if (message.isWhole) {
    state.families.clear();
    state.siblings.clear();
    state.series.clear();
  }
  remove(state, message.removed);
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

/** Removes series, and families that are left without series. */
function remove({ families, siblings, series }: TableState, ids: readonly number[]): void {
  const changed = new Set<number>();
  for (const id of ids) {
    const family = series.get(id)?.family.id;
    if (family === undefined) continue;
    series.delete(id);
    changed.add(family);
  }
  const left = [...series.values()].filter(({ family }) => changed.has(family.id));
  for (const id of changed) {
    const ofFamily = left.filter(({ family }) => family.id === id).map(({ facts }) => facts.attributes);
    const known = siblings.get(id);
    if (known === undefined || ofFamily.length === 0) {
      siblings.delete(id);
      families.delete(id);
      continue;
    }
    known.count = ofFamily.length;
    const [first = [], ...others] = ofFamily;
    const sets = others.map((attributes) => new Set(attributes));
    known.common = new Set(first.filter((attribute) => sets.every((one) => one.has(attribute))));
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

/** The attributes of a series that not all of its family have; all attributes of a series that is alone in its family. */
export function distinguishingAttributes({ facts, siblings }: SeriesState): readonly string[] {
  if (siblings.count === 1) return facts.attributes;
  return facts.attributes.filter((attribute) => !siblings.common.has(attribute));
}

/** Which values of a row are shown: of the last interval, or since the start. */
export type Span = 'last' | 'all';

export type SortKey = 'name' | 'count' | 'rate' | 0 | 1 | 2 | 3 | 4;

export interface Sorting {
  readonly key: SortKey;
  readonly isDescending: boolean;
}

/** The values of a row; empty when nothing was counted. */
export function valuesOf({ row }: SeriesState, span: Span): readonly number[] {
  return (span === 'last' ? row[3] : row[4]) ?? [];
}

/** The series that have all words of a search, sorted. */
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
    // A series without values is smaller than every other one.
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
