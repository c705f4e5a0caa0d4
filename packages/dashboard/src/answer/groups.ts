import type { Slices } from '@hdrscope/kit';
import type { SlotReaches } from '@hdrscope/registry/internal';
import type { FamilyDefinition, HistorySeries } from '../history/history.ts';
import { keyOf, type Question } from '../question.ts';

/** A row of an answer: a series, or several of one family that are merged. */
export interface Group {
  /** Differs from those of all other groups of all questions. */
  readonly key: string;
  /** The name of the family and the attributes: see `Question.pick`. */
  readonly label: string;
  /** The id of the family. */
  readonly familyId: number;
  readonly family: FamilyDefinition;
  /** The attributes that keep it apart from the other groups of its family. */
  readonly attributes: readonly string[];
  /** The ids of its series. */
  readonly ids: readonly number[];
  /** Where the values of its series may lie, by id: only of those with values that may lie in other slots than their own. */
  readonly reaches: ReadonlyMap<number, SlotReaches>;
  /** The largest weight of its series. */
  readonly weight: number;
}

/** The rows that a question asks for, in the order of their first series. Runs in slices. */
export async function listGroups(
  series: readonly HistorySeries[],
  { by, where }: Pick<Question, 'by' | 'where'>,
  slices: Slices,
): Promise<readonly Group[]> {
  const groups = new Map<
    string,
    Group & { readonly ids: number[]; readonly reaches: Map<number, SlotReaches>; weight: number }
  >();
  const isAsked = filterOf(where);
  for (const { facts, family, reaches, weight } of series) {
    if (slices.isOver()) await slices.next();
    if (!isAsked(facts.attributes)) continue;
    const attributes = keptAttributes(facts, by);
    // Two libraries may have families of one name.
    const key = JSON.stringify(
      by === undefined ? [facts.family, facts.id] : [facts.family, attributes, by, where],
    );
    const label = labelOf(family.name, attributes);
    const group = groups.get(key) ?? {
      ...{ key, label, familyId: facts.family, family, attributes },
      ...{ ids: [], reaches: new Map<number, SlotReaches>(), weight: 1 },
    };
    groups.set(key, group);
    group.ids.push(facts.id);
    if (reaches !== undefined) group.reaches.set(facts.id, reaches);
    group.weight = Math.max(group.weight, weight);
  }
  return [...groups.values()];
}

/** The series whose rows have one of some labels. It takes a tenth of the time that all groups take. Runs in slices. */
export async function findLabelled(
  series: readonly HistorySeries[],
  by: Question['by'],
  labels: ReadonlySet<string>,
  slices: Slices,
): Promise<readonly HistorySeries[]> {
  const found: HistorySeries[] = [];
  for (const one of series) {
    if (labels.has(labelOf(one.family.name, keptAttributes(one.facts, by)))) found.push(one);
    if (slices.isOver()) await slices.next();
  }
  return found;
}

/** The attributes of a series that keep its row apart. */
export function keptAttributes(
  { attributes }: HistorySeries['facts'],
  by: Question['by'],
): readonly string[] {
  return by === undefined ? attributes : attributes.filter((pair) => by.includes(keyOf(pair)));
}

/** The label of a row. */
export function labelOf(family: string, attributes: readonly string[]): string {
  return `${family} ${attributes.join(', ')}`.trim();
}

/** Whether a series has one of the wanted attributes of each key. */
export function filterOf(where: readonly string[]): (attributes: readonly string[]) => boolean {
  const wanted = new Map<string, Set<string>>();
  for (const pair of where) {
    const key = keyOf(pair);
    wanted.set(key, (wanted.get(key) ?? new Set()).add(pair));
  }
  return (attributes) =>
    [...wanted.values()].every((anyOf) => attributes.some((attribute) => anyOf.has(attribute)));
}
