/** The length of the longest text; 0 without texts. It takes any number of texts, which arguments of a function cannot be. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}
