import { keyOf } from '../src/question.ts';
import { attributeValue, type TableRow } from './state.ts';

/** The columns that distinguish rows: the name of the family, attributes in columns of their own, and a column for the rest. */
export interface Columns {
  /** Whether the rows are of several families, so that each row needs the name of its family. */
  readonly hasFamily: boolean;
  /** The width of the column of families in characters; 0 without it. */
  readonly familyWidth: number;
  /** How many characters at the end of a family's name stay in sight when it is cut. */
  readonly familyTail: number;
  /** The family that all rows share; `undefined` when there are several. */
  readonly family: string | undefined;
  /** The attributes that all rows share: `scheme=http`. */
  readonly common: readonly string[];
  /** The attributes that have a column, the most telling ones. */
  readonly attributes: readonly AttributeColumn[];
  /** The keys of the other attributes that distinguish rows. They share a column. */
  readonly rest: readonly string[];
  /** The namespace that these keys share, which their column leaves out. */
  readonly restPrefix: string;
  /** Whether the columns distinguish as many rows without the rest as with it. */
  readonly isDistinct: boolean;
  /** Whether names need more room than there is, so that they are cut. */
  readonly isCramped: boolean;
}

export interface AttributeColumn {
  readonly key: string;
  /** The key without the namespace that all columns share: `request.method` beside `route`, both of `http`. */
  readonly title: string;
  /** In characters. */
  readonly width: number;
  /** How many characters at the end of a value stay in sight when it is cut. */
  readonly tail: number;
}

/** The room that names have beside the numbers of a row. */
export interface Room {
  /** How many attributes may have a column. */
  readonly most: number;
  /** How many characters have room in all columns of names. */
  readonly characters: number;
}

// A longer text is cut in its middle, so that its begin and its end still distinguish rows.
const LONGEST = 26;
const GAP = 3;
const REST = 14;

/**
 * The columns of some rows. The most telling attributes have columns, as many as there is room for, and at least one. Those that
 * most rows have come first.
 */
export function columnsOf(rows: readonly TableRow[], { most, characters }: Room): Columns {
  const families = [...new Set(rows.map(({ family }) => family.name))];
  const { keys, groupCounts } = byDistinction(rows, distinguishingKeys(rows));
  const hasFamily = families.length > 1 || keys.length === 0;
  const familyWidth = hasFamily ? widthOf('Series', families) : 0;
  const widths = new Map(keys.map((key) => [key, widthOf(key, valuesOfKey(rows, key))]));
  const taken: string[] = [];
  let left = characters - familyWidth;
  for (const key of keys) {
    const width = widths.get(key)!;
    const isLast = taken.length === keys.length - 1;
    if (taken.length > 0 && (taken.length >= most || left < width + (isLast ? 0 : REST))) break;
    taken.push(key);
    left -= width;
  }
  const holders = new Map(taken.map((key) => [key, valuesOfKey(rows, key).filter(Boolean).length]));
  taken.sort((a, b) => holders.get(b)! - holders.get(a)! || (a < b ? -1 : 1));
  const prefix = sharedNamespace(taken);
  const rest = keys.filter((key) => !taken.includes(key)).sort();
  return {
    hasFamily,
    familyWidth,
    familyTail: tailFor(families),
    family: families.length === 1 ? families[0] : undefined,
    common: commonAttributes(rows),
    attributes: taken.map((key) => ({
      key,
      title: key.slice(prefix.length),
      width: widths.get(key)!,
      tail: tailFor(valuesOfKey(rows, key)),
    })),
    rest,
    restPrefix: sharedNamespace(rest),
    isCramped: left < (rest.length > 0 ? REST : 0),
    isDistinct: rest.length === 0 || groupCounts[taken.length - 1] === groupCounts.at(-1),
  };
}

function valuesOfKey(rows: readonly TableRow[], key: string): string[] {
  return rows.map((row) => attributeValue(row, key) ?? '');
}

/** The width of a column in characters. */
function widthOf(title: string, texts: readonly string[]): number {
  // A title wraps after its dots.
  const parts = title.split(/(?<=[._])/);
  let longest = Math.ceil(title.length / 2);
  for (const { length } of parts) longest = Math.max(longest, length);
  for (const { length } of texts) longest = Math.max(longest, length);
  return Math.min(longest, LONGEST) + GAP;
}

// A cut text shows some characters of its beginning, however narrow its column is.
const HEAD = 8;
const TAILS = [7, 10, 13, 16, 20];
const MOST_TAILS = 500;

/** The length of the shortest ends that, with the beginnings, tell texts apart. Names may differ before a last word that they share. */
function tailFor(texts: readonly string[]): number {
  const different = [...new Set(texts)].slice(0, MOST_TAILS);
  let [best, most] = [TAILS[0]!, 0];
  for (const tail of TAILS) {
    const { size } = new Set(different.map((text) => `${text.slice(0, HEAD)} ${text.slice(-tail)}`));
    if (size > most) [best, most] = [tail, size];
  }
  return best;
}

function commonAttributes(rows: readonly TableRow[]): readonly string[] {
  let common = new Set(rows[0]?.attributes);
  for (const { attributes } of rows) {
    if (common.size === 0) break;
    common = new Set(attributes.filter((attribute) => common.has(attribute)));
  }
  return [...common];
}

/** The keys in which rows of one family differ. An attribute that all rows of a family have adds nothing to the family's name. */
function distinguishingKeys(rows: readonly TableRow[]): string[] {
  const families = new Map<string, Map<string, Occurrence>>();
  const sizes = new Map<string, number>();
  for (const { family, attributes } of rows) {
    sizes.set(family.name, (sizes.get(family.name) ?? 0) + 1);
    const seen = families.get(family.name) ?? new Map<string, Occurrence>();
    families.set(family.name, seen);
    for (const attribute of attributes) {
      const key = keyOf(attribute);
      const known = seen.get(key);
      if (known === undefined) seen.set(key, { attribute, count: 1, differs: false });
      else {
        known.count += 1;
        known.differs ||= known.attribute !== attribute;
      }
    }
  }
  const keys = new Set<string>();
  for (const [name, seen] of families) {
    for (const [key, { differs, count }] of seen) {
      if (differs || count < sizes.get(name)!) keys.add(key);
    }
  }
  return [...keys];
}

interface Occurrence {
  /** The first one. */
  readonly attribute: string;
  count: number;
  differs: boolean;
}

// More rows hardly change the order of the columns.
const MOST_ROWS = 500;
// More keys never have columns.
const MOST_KEYS = 12;

/**
 * Keys in an order in which each distinguishes as many rows as possible together with those before it.
 *
 * @returns The keys, and for each the number of different rows by it and those before it.
 */
function byDistinction(
  all: readonly TableRow[],
  keys: readonly string[],
): { readonly keys: string[]; readonly groupCounts: number[] } {
  const rows = all.slice(0, MOST_ROWS);
  const values = new Map(keys.map((key) => [key, valuesOfKey(rows, key)]));
  const left = [...keys].sort();
  const sorted: string[] = [];
  const groupCounts: number[] = [];
  let groups = rows.map(({ family }) => family.name);
  while (left.length > 0 && sorted.length < MOST_KEYS) {
    const groupsBy = (key: string): string[] => groups.map((group, i) => `${group}\n${values.get(key)![i]}`);
    let [best = '', most] = [left[0], 0];
    for (const key of left) {
      const { size } = new Set(groupsBy(key));
      if (size > most) [best, most] = [key, size];
    }
    left.splice(left.indexOf(best), 1);
    sorted.push(best);
    groupCounts.push(most);
    groups = numbered(groupsBy(best));
  }
  return { keys: [...sorted, ...left], groupCounts };
}

/** Each text as a short name of its own. */
function numbered(texts: readonly string[]): string[] {
  const numbers = new Map<string, string>();
  return texts.map((text) => {
    const known = numbers.get(text) ?? String(numbers.size);
    numbers.set(text, known);
    return known;
  });
}

/** The beginning that keys share, up to a dot: `http.` of `http.route` and `http.request.method`. A single key shares nothing. */
function sharedNamespace(keys: readonly string[]): string {
  const [first = '', ...others] = keys;
  if (others.length === 0) return '';
  let end = first.lastIndexOf('.') + 1;
  while (end > 0 && !others.every((key) => key.startsWith(first.slice(0, end)))) {
    end = first.lastIndexOf('.', end - 2) + 1;
  }
  return first.slice(0, end);
}

/** Remembers the columns of the last rows: most updates change values only. */
export class ColumnsMemo {
  #labels: ReadonlySet<string> = new Set();
  #count = 0;
  #room: Room | undefined;
  #columns: Columns | undefined;

  /** The order of rows makes no difference. */
  of(rows: readonly TableRow[], room: Room): Columns {
    // A sort of thousands of labels would take several milliseconds at each update.
    const labels = new Set(rows.map(({ label }) => label));
    const isSame =
      this.#room?.most === room.most &&
      this.#room.characters === room.characters &&
      rows.length === this.#count &&
      labels.size === this.#labels.size &&
      rows.every(({ label }) => this.#labels.has(label));
    if (isSame && this.#columns !== undefined) return this.#columns;
    const columns = columnsOf(rows, room);
    this.#labels = labels;
    this.#count = rows.length;
    this.#room = room;
    // The table lays itself out again for other columns only.
    if (JSON.stringify(columns) !== JSON.stringify(this.#columns)) this.#columns = columns;
    return this.#columns!;
  }
}
