import { exponentialBound, exponentialIndex } from '@hdrscope/core/internal';
import { Refusal } from '../command.ts';

/**
 * How Prometheus stores a histogram: `native` with exponential buckets, `custom` as a native histogram with custom bounds (NHCB),
 * `classic` as series with the label `le`.
 */
export type HistogramForm = 'native' | 'custom' | 'classic';

export const HISTOGRAM_FORMS: readonly HistogramForm[] = ['native', 'custom', 'classic'];

/** A threshold in the unit of a histogram, and how the histogram answers it. */
export interface Threshold {
  readonly value: number;
  /** The threshold as the person wrote it. */
  readonly text: string;
  readonly form: HistogramForm;
  /** The coarsest schema of a native histogram. */
  readonly schema: number;
  /**
   * The bounds of the bucket that holds the threshold, if the threshold is not one of them: the share of values in this bucket bounds
   * the error of a ratio. `undefined` when ratios are exact.
   */
  readonly bucket: readonly [lower: number, upper: number] | undefined;
}

/** The bucket of a native histogram that a value divides. `undefined` when the value is the upper bound of its bucket. */
export function dividedBucket(
  value: number,
  schema: number,
): readonly [lower: number, upper: number] | undefined {
  const index = exponentialIndex(schema, value);
  const upper = exponentialBound(schema, index + 1);
  return upper === value ? undefined : [exponentialBound(schema, index), upper];
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
