import { keyOf, type Question } from '../src/question.ts';
import type { TableRow } from './state.ts';

/** An attribute key of the table. */
export interface AttributeKey {
  readonly key: string;
  /** How many values it has. */
  readonly valueCount: number;
}

/** All attribute keys of some rows, in order. */
export function attributeKeys(rows: Iterable<TableRow>): AttributeKey[] {
  const values = new Map<string, Set<string>>();
  for (const { attributes } of rows) {
    for (const attribute of attributes) {
      const key = keyOf(attribute);
      const known = values.get(key);
      if (known === undefined) values.set(key, new Set([attribute]));
      else known.add(attribute);
    }
  }
  return [...values]
    .map(([key, { size }]) => ({ key, valueCount: size }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

type Keys = Question['by'];

/** Whether the page merges rows that differ in a key only. */
export function isMerged(by: Keys, key: string): boolean {
  return by !== undefined && !by.includes(key);
}

/** Merges rows that differ in a key only, or separates them again; `undefined` when nothing is merged any more. */
export function withMerged(by: Keys, key: string, merged: boolean, all: readonly AttributeKey[]): Keys {
  const keys = all.map((one) => one.key);
  const before = by ?? keys;
  const after = merged ? before.filter((one) => one !== key) : [...before, key].sort();
  return keys.every((one) => after.includes(one)) ? undefined : after;
}

/** The filter `attribute` in addition to the others. */
export function withFilter(where: readonly string[], attribute: string): readonly string[] {
  return where.includes(attribute) ? where : [...where, attribute].sort();
}

export function withoutFilter(where: readonly string[], attribute: string): readonly string[] {
  return where.filter((one) => one !== attribute);
}

/**
 * The row that takes the place of a picked one after a merge or its end: the row of the same family that shares most attributes with
 * it, and in which no attribute has another value. `undefined` when the family has no such row.
 */
export function successorOf(
  rows: readonly TableRow[],
  label: string,
  attributes: readonly string[] = [],
): TableRow | undefined {
  const values = new Map(attributes.map((attribute) => [keyOf(attribute), attribute]));
  let best: TableRow | undefined;
  let most = -1;
  for (const row of rows) {
    if (label !== row.family.name && !label.startsWith(`${row.family.name} `)) continue;
    const known = row.attributes.filter((attribute) => values.has(keyOf(attribute)));
    const isOfIt = known.every((attribute) => values.get(keyOf(attribute)) === attribute);
    if (!isOfIt || known.length <= most) continue;
    best = row;
    most = known.length;
  }
  return best;
}
