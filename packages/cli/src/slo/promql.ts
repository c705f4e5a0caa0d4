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
