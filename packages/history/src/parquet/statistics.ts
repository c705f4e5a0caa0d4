import type { Statistics } from 'hyparquet';

/** The bounds of texts, in the order of their bytes in UTF-8. */
export function boundsOfTexts(texts: Iterable<string>): Statistics {
  const [first, ...rest] = [...new Set(texts)].map((text) => Buffer.from(text));
  let [min_value, max_value] = [first!, first!];
  for (const text of rest) {
    if (Buffer.compare(text, min_value) < 0) min_value = text;
    if (Buffer.compare(text, max_value) > 0) max_value = text;
  }
  return { min_value, max_value, null_count: 0n };
}

/** The bounds of integers. */
export function boundsOfIntegers(integers: Iterable<number>): Statistics {
  let [min_value, max_value] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const integer of integers) {
    if (integer < min_value) min_value = integer;
    if (integer > max_value) max_value = integer;
  }
  return { min_value, max_value, null_count: 0n };
}
