import type { Slices } from '@hdrscope/kit';
import type { FamilyDefinition, HistorySeries } from '../history/history.ts';
import { keyOf } from '../question.ts';
import { countsErrors, isErrorKey } from './errors.ts';
import { keptAttributes } from './groups.ts';
import { chooseLargest, type TwoTimes } from './series-changes.ts';
import type { ExplainedFamily } from './why.ts';

/** A row that is ranked: series of equal attributes, those that ended and those after them. */
export interface RankedRow {
  readonly family: FamilyDefinition;
  /** The attributes that keep the row apart: `route=/search`. */
  readonly attributes: readonly string[];
  /** Ascending by id. */
  readonly members: readonly HistorySeries[];
  /** Whether values of a member may lie in other slots than their own. */
  readonly isWide: boolean;
  /** The largest weight of its members. */
  readonly weight: number;
  /** Those of `members` that count errors. */
  readonly errors: readonly HistorySeries[];
  /** Those of `members` whose attributes say how requests ended. */
  readonly ended: readonly HistorySeries[];
  /** The number of the group of rows that differ in how requests ended only. */
  readonly group: number;
}

/** The rows of a family. */
export interface RankedFamily {
  readonly family: FamilyDefinition;
  /** In the order of their first series. */
  readonly rows: readonly RankedRow[];
  /** How many groups the rows have. */
  readonly groupCount: number;
}

/** Lists the rows of families for one time after another. */
export class RankedRows {
  readonly #families: readonly ExplainedFamily[];
  readonly #by: readonly string[] | undefined;
  /** Families whose rows are the same at all times. */
  readonly #known = new Map<ExplainedFamily, RankedFamily>();

  /** @param by The keys that keep rows apart. Left out: all keys. */
  constructor(families: readonly ExplainedFamily[], by?: readonly string[]) {
    this.#families = families;
    this.#by = by;
  }

  /** The most slots that a family has. */
  get slotCount(): number {
    return this.#families.reduce((most, { family }) => Math.max(most, family.layout.slotCount), 0);
  }

  /** In the order of the families. Of very many series, those that counted the most in these times have rows, and the others one. */
  async list(times: TwoTimes, slices: Slices): Promise<readonly RankedFamily[]> {
    const all: RankedFamily[] = [];
    for (const one of this.#families) {
      const known = this.#known.get(one);
      const alone = known === undefined ? await chooseLargest(one.series, times, slices) : undefined;
      const ranked = known ?? (await joinRows(one, { by: this.#by, alone }, slices));
      if (alone === undefined) this.#known.set(one, ranked);
      all.push(ranked);
    }
    return all;
  }
}

/** The most values that one stands for, of several series or rows. */
export function largestWeight(all: readonly Pick<HistorySeries, 'weight'>[]): number {
  return all.reduce((most, { weight }) => Math.max(most, weight), 1);
}

async function joinRows(
  { family, series }: ExplainedFamily,
  {
    by,
    alone,
  }: { readonly by: readonly string[] | undefined; readonly alone: ReadonlySet<number> | undefined },
  slices: Slices,
): Promise<RankedFamily> {
  const joined = new Map<
    string,
    { readonly attributes: readonly string[]; readonly members: HistorySeries[] }
  >();
  for (const one of [...series].sort((a, b) => a.facts.id - b.facts.id)) {
    const attributes = alone === undefined || alone.has(one.facts.id) ? keptAttributes(one.facts, by) : [];
    const key = attributes.join('\n');
    const row = joined.get(key) ?? { attributes, members: [] };
    joined.set(key, row);
    row.members.push(one);
    if (slices.isOver()) await slices.next();
  }
  const groups = new Map<string, number>();
  const rows: RankedRow[] = [];
  for (const row of joined.values()) {
    const key = row.attributes.filter((pair) => !isErrorKey(keyOf(pair))).join('\n');
    const group = groups.get(key) ?? groups.size;
    groups.set(key, group);
    rows.push({
      ...{ family, ...row, group },
      isWide: row.members.some(({ reaches }) => reaches !== undefined),
      weight: largestWeight(row.members),
      errors: row.members.filter(({ facts }) => countsErrors(facts.attributes)),
      ended: row.members.filter(({ facts }) => facts.attributes.some((pair) => isErrorKey(keyOf(pair)))),
    });
    if (slices.isOver()) await slices.next();
  }
  return { family, rows, groupCount: groups.size };
}
