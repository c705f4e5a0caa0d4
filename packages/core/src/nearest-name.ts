/**
 * The name that a misspelt word most likely means, or `undefined` when it is like none of them. Up to half of its letters
 * may be wrong, and case does not matter.
 *
 * @example
 * ```ts
 * import { nearestName } from '@hdrscope/core/internal';
 *
 * nearestName('timeoutMillis', ['host', 'port', 'timeoutMs']); //=> 'timeoutMs'
 * nearestName('colour', ['host', 'port']); //=> undefined
 * ```
 */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 2)) + 1;
  for (const name of names) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance < least) [nearest, least] = [name, distance];
  }
  return nearest;
}

/** How many letters must be inserted, removed or replaced. Levenshtein's distance, one row of the table at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
