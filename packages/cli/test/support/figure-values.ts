/** Parses a document, with the value of each figure in its place: without its bounds. */
export function parseValues(text: string) {
  return JSON.parse(text, (_, one) => {
    if (one === null || typeof one !== 'object' || !('value' in one && 'lower' in one)) return one;
    const { value, lower, upper, ...others } = one;
    return Object.keys(others).length === 0 ? value : { ...others, value };
  });
}
