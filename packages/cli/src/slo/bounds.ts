import { Refusal } from '../command.ts';

const BOUND = /[{,]\s*le="([^"]+)"/;

/**
 * The bounds of a classic histogram in the text of a scrape.
 *
 * @param name Names the text in errors.
 * @throws Refusal when the text has no buckets of the histogram.
 */
export function boundsInScrape(text: string, metric: string, name: string): readonly number[] {
  const bounds = new Set<number>();
  const histograms = new Set<string>();
  for (const line of text.split('\n')) {
    const [, plain, quoted] =
      /^(?:([a-zA-Z_:][\w:]*)_bucket\{|\{\s*"((?:[^"\\]|\\.)*)_bucket"\s*,)/.exec(line) ?? [];
    const histogram = plain ?? quoted;
    if (histogram === undefined) continue;
    histograms.add(histogram);
    const [, bound] = BOUND.exec(line) ?? [];
    if (histogram === metric && Number.isFinite(Number(bound))) bounds.add(Number(bound));
  }
  if (bounds.size > 0) return [...bounds].sort((a, b) => a - b);
  const others = [...histograms].slice(0, 5).join(', ');
  throw new Refusal(
    `${name} has no classic buckets of ${metric}${others === '' ? '' : `: it has those of ${others}`}`,
  );
}
