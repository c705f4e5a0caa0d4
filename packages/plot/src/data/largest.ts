/** The largest of any number of values, and at least `least`. */
export function largestOf(values: readonly number[], least: number = Number.NEGATIVE_INFINITY): number {
  return values.reduce((a, b) => Math.max(a, b), least);
}

/** The length of the longest of any number of texts; 0 without texts. */
export function longestOf(texts: readonly string[]): number {
  return texts.reduce((longest, { length }) => Math.max(longest, length), 0);
}
