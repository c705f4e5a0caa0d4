import type { SummaryValue } from './families.ts';
import { inBraces, numberText } from './text-parts.ts';

/**
 * The lines of a summary in a text format.
 *
 * @param own The labels of the series, as text.
 * @param end The end of each line.
 * @param quantileText Writes a rank.
 */
export function summarySamples(
  name: string,
  own: string,
  { count, sum, quantiles }: SummaryValue,
  end: string,
  quantileText: (quantile: number) => string,
): string {
  const lines = quantiles.map(
    ({ quantile, value }) =>
      `${name}${inBraces(own, `quantile="${quantileText(quantile)}"`)} ${numberText(value)}${end}`,
  );
  const braces = inBraces(own);
  if (sum !== undefined) lines.push(`${name}_sum${braces} ${numberText(sum)}${end}`);
  return `${lines.join('')}${name}_count${braces} ${count}${end}`;
}
