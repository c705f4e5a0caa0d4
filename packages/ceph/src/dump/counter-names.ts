import type { Attributes, FamilySnapshot } from '@hdrscope/registry';

/** The suffix that attributes add to the name of a logger. */
export function attributesText(attributes: Attributes): string {
  const pairs = Object.entries(attributes).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '' : `-${pairs.sort().join(',')}`;
}

/**
 * The names that families have as counters, in their order. Families of different scopes can share a name: the second and later ones get a
 * number, which they keep in loggers where the first one has no series.
 *
 * @param countersOf The names of the counters that a family of a name has.
 */
export function counterNames(
  families: readonly FamilySnapshot[],
  countersOf: (name: string) => readonly string[],
): string[] {
  const taken = new Set<string>();
  return families.map(({ name }) => {
    const own = firstFree(name, countersOf, taken);
    for (const counter of countersOf(own)) taken.add(counter);
    return own;
  });
}

/** The name, or the first of `NAME-2`, `NAME-3` and so on, of whose counters none is taken. */
export function firstFree(
  name: string,
  countersOf: (name: string) => readonly string[],
  taken: { has(counter: string): boolean },
): string {
  let free = name;
  for (let number = 2; countersOf(free).some((counter) => taken.has(counter)); number++) {
    free = `${name}-${number}`;
  }
  return free;
}
