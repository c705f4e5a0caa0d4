import type { SummaryValue } from './families.ts';
import { numberText, openSeriesText, seriesText } from './text-parts.ts';

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
  const start = `${openSeriesText(name, own)}quantile="`;
  const lines = quantiles.map(
    ({ quantile, value }) => `${start}${quantileText(quantile)}"} ${numberText(value)}${end}`,
  );
  if (sum !== undefined) lines.push(`${seriesText(`${name}_sum`, own)} ${numberText(sum)}${end}`);
  return `${lines.join('')}${seriesText(`${name}_count`, own)} ${count}${end}`;
}
