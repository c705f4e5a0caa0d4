import { HdrscopeError } from '@hdrscope/core';
import { assertText, exponentialBound, exponentialIndex } from '@hdrscope/core/internal';

/**
 * How Prometheus stores a histogram: `native` with exponential buckets, `counter` like it, with hdrscope's counter of the values within
 * the threshold beside it, `custom` as a native histogram with custom bounds (NHCB), `classic` as series with the label `le`.
 */
export type HistogramForm = 'native' | 'counter' | 'custom' | 'classic';

export const HISTOGRAM_FORMS: readonly HistogramForm[] = ['native', 'counter', 'custom', 'classic'];

/**
 * The buckets of a native histogram that may have values on the wrong side of a value. A slot of hdrscope counts whole in the bucket of
 * its middle, and reaches into one other bucket: so these are the bucket of the value and both beside it, or the two that meet there.
 */
export function bucketsAround(value: number, schema: number): readonly [lower: number, upper: number] {
  const index = exponentialIndex(schema, value);
  const upper = exponentialBound(schema, index + 1);
  return [exponentialBound(schema, upper === value ? index : index - 1), exponentialBound(schema, index + 2)];
}

/** The bounds next to a value that is not one of them: one or two. */
export function neighbours(value: number, bounds: readonly number[]): readonly number[] {
  const sorted = [...bounds].sort((a, b) => a - b);
  const below = sorted.findLast((bound) => bound < value);
  const above = sorted.find((bound) => bound > value);
  return [below, above].filter((bound) => bound !== undefined);
}

// PromQL.

// Names that need no quotes: https://prometheus.io/docs/concepts/data_model/
const METRIC = /^[a-zA-Z_:][\w:]*$/;
const LABEL = /^[a-zA-Z_]\w*$/;

/** A matcher of a label: `job="api"`, `"http.route"!~"/health.*"`. */
const MATCHER =
  /^(?:[a-zA-Z_]\w*|"(?:[^"\\\n]|\\["'\\abfnrtvxuU0-7])+")\s*(?:=~|!~|!=|=)\s*"(?:[^"\\\n]|\\["'\\abfnrtvxuU0-7])*"$/;

export function isMatcher(text: string): boolean {
  return MATCHER.test(text);
}

export function isLabelName(text: string): boolean {
  return LABEL.test(text);
}

/** The selector of a metric. A name with other characters stands between the braces, which takes Prometheus 3. */
export function selector(metric: string, matchers: readonly string[]): string {
  if (!METRIC.test(metric)) return `{${[quoted(metric), ...matchers].join(',')}}`;
  return matchers.length === 0 ? metric : `${metric}{${matchers.join(',')}}`;
}

/** A text of PromQL in quotes. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** `sum by (job) (…)`, or `sum(…)` without labels. */
export function sumBy(labels: readonly string[], expression: string): string {
  if (labels.length === 0) return `sum(${expression})`;
  const names = labels.map((label) => (isLabelName(label) ? label : quoted(label)));
  return `sum by (${names.join(', ')}) (${expression})`;
}

/**
 * The forms in which the label `le` may have a bound: as JavaScript and as Go write the number, and as Prometheus 3 does, which adds
 * `.0` to integers.
 */
export function boundTexts(bound: number): readonly string[] {
  const go = goText(bound);
  return [...new Set([String(bound), go, /[e.]/.test(go) ? go : `${go}.0`])];
}

/** A number as `strconv.FormatFloat(number, 'g', -1, 64)` of Go writes it: with an exponent below -4 or from 6 on. */
function goText(number: number): string {
  const [digits, exponent] = number.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(number);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** The matcher of the label `le` for a bound. */
export function boundMatcher(bound: number): string {
  const texts = boundTexts(bound);
  if (texts.length === 1) return `le=${quoted(texts[0]!)}`;
  return `le=~${quoted(texts.map((text) => text.replace(/[.+]/g, '\\$&')).join('|'))}`;
}

// Boundaries of a scrape.

const BOUND = /[{,]\s*le="([^"]+)"/;

/**
 * Reads the upper bounds of a classic histogram in the text of a scrape, ascending and finite.
 *
 * @param metric The name of the histogram, without `_bucket`.
 * @param name The name of the text, for messages.
 * @throws HdrscopeError `ERR_DECODE` when the text has no buckets of the histogram.
 * @example
 * ```ts
 * import { readScrapedBounds } from '@hdrscope/prometheus/rules';
 *
 * const text = 'rpc_seconds_bucket{le="0.1"} 2\nrpc_seconds_bucket{le="+Inf"} 3\n';
 * readScrapedBounds(text, 'rpc_seconds'); //=> [0.1]
 * readScrapedBounds(text, 'queue_seconds'); //=> throws ERR_DECODE
 * ```
 */
export function readScrapedBounds(text: string, metric: string, name = 'the text'): readonly number[] {
  assertText('the text', text);
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
  throw new HdrscopeError(
    'ERR_DECODE',
    `${name} has no classic buckets of ${metric}${others === '' ? '' : `: it has those of ${others}`}`,
  );
}
