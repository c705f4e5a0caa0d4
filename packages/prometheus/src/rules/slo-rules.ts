import {
  assertFollows,
  custom,
  filledText,
  integer,
  listOf,
  mustBe,
  number,
  object,
  oneOf,
  optional,
  readOptions,
  type SettingsOf,
  text,
  visible,
  withDefault,
} from '@hdrscope/core/internal';
import { formatDurationParts } from '@hdrscope/kit';
import {
  boundMatcher,
  bucketsAround,
  HISTOGRAM_FORMS,
  type HistogramForm,
  isLabelName,
  isMatcher,
  neighbours,
  quoted,
  selector,
  sumBy,
} from './promql.ts';

/** An objective that Prometheus watches: the share of values of a histogram that must be at most a threshold. */
export interface PrometheusSlo {
  /** The label `slo` of all series and alerts. @default the metric and the threshold */
  readonly name?: string | undefined;
  /** The name of the histogram in Prometheus, without `_bucket`. */
  readonly metric: string;
  /** The largest good value, in the unit of the histogram: above 0. */
  readonly threshold: number;
  /** The threshold for people, such as `300ms`. @default the number */
  readonly thresholdText?: string | undefined;
  /** The share of values that may be above the threshold: above 0 and below 1. 0.001 is an objective of 99.9 %. */
  readonly budget: number;
  /** The time for which the budget lasts, in milliseconds: at least 8,640,000. @default 30 days */
  readonly periodMs?: number;
  /**
   * How Prometheus stores the histogram: `native` with exponential buckets, `counter` like it, with the counter `x_within_total` of the
   * values within the threshold beside it, which hdrscope exports for the `thresholds` of a view or a family, `custom` as a native
   * histogram with custom bounds (NHCB), `classic` as series with the label `le`. @default 'native'
   */
  readonly histogram?: HistogramForm;
  /** The coarsest schema of a native histogram, for the error of a ratio: from -4 to 8. @default 3, with buckets of 9 % */
  readonly schema?: number;
  /**
   * The upper bounds of a histogram that is `custom` or `classic`, in the unit of the histogram. The threshold must be one of them.
   * @default none, for the other forms
   */
  readonly bounds?: readonly number[] | undefined;
  /** Labels that have an objective of their own for each value. @default none */
  readonly by?: readonly string[];
  /** Selectors of series, such as `job="api"`. @default all series */
  readonly matchers?: readonly string[];
  /** More labels of the alerts. Their values are templates of Prometheus. @default none */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Writes a file of rules for Prometheus that watch objectives. Recording rules keep the ratio of errors, values above the threshold, over
 * windows of several lengths. Alerts fire when the error budget burns too fast over a long window, and still does over one of a
 * twelfth: pages for 2 % of the budget in 1/720 of its time and 5 % in 1/120, tickets for 10 % in 1/30 and in 1/10. Comments say
 * how exact the ratios are.
 *
 * Source: https://sre.google/workbook/alerting-on-slos/#6-multiwindow-multi-burn-rate-alerts
 *
 * @returns YAML, with a group for each objective.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a field is outside its range, or a threshold is none of the bounds of its histogram.
 * @example
 * ```ts
 * import { prometheusRules } from '@hdrscope/prometheus/rules';
 *
 * const yaml = prometheusRules([{ metric: 'rpc_seconds', threshold: 0.25, budget: 0.001, by: ['job'] }]);
 * yaml.includes('1 - histogram_fraction(-Inf, 0.25,\n            sum by (job) (rate(rpc_seconds[5m])))'); //=> true
 * ```
 */
export function prometheusRules(slos: readonly PrometheusSlo[]): string {
  assertFollows('slos', listOf<PrometheusSlo>(object(), 'objectives'), slos);
  const read = slos.map(readSlo);
  const lines = [
    ...read.flatMap(commentOn).map((line) => `# ${line}`),
    'groups:',
    ...read.flatMap((slo) => [
      `  - name: ${scalar(`slo: ${slo.name}`)}`,
      '    rules:',
      ...listRules(slo).flatMap(ruleLines),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

// Fields.

const DAY_MS = 86_400_000;

/** Labels that the rules set. */
export const OWN_LABELS: readonly string[] = ['slo', 'severity', 'window', 'short_window'];

/** Whether rules can group by a label: not by theirs, and not by the bound of a bucket. */
export function isGroupLabel(label: string): boolean {
  // A name may have any characters: Prometheus 3 takes them in quotes.
  return !['', 'le', ...OWN_LABELS].includes(label) && !/["\\\n]/.test(label);
}

/** Whether an alert can have a label besides those that the rules set. */
export function isAlertLabel(label: string): boolean {
  return isLabelName(label) && !OWN_LABELS.includes(label);
}

const RULES = {
  name: optional(text),
  metric: filledText('the name of a histogram'),
  threshold: number({ above: 0 }),
  thresholdText: optional(text),
  budget: number({ above: 0, below: 1 }),
  periodMs: withDefault(custom<number>('at least 8640000 milliseconds', isPeriod), 30 * DAY_MS),
  histogram: withDefault(oneOf(HISTOGRAM_FORMS), 'native'),
  schema: withDefault(integer({ from: -4, to: 8 }), 3),
  bounds: optional(listOf(number(), 'numbers')),
  by: withDefault(
    listOf(
      custom<string>(
        `the name of a label other than le, ${OWN_LABELS.join(', ')}`,
        (one) => typeof one === 'string' && isGroupLabel(one),
      ),
      'names of labels',
    ),
    [],
  ),
  matchers: withDefault(
    listOf(
      custom<string>(
        'a matcher of PromQL, such as job="api"',
        (one) => typeof one === 'string' && isMatcher(one),
      ),
      'matchers of PromQL',
    ),
    [],
  ),
  labels: withDefault(object<Readonly<Record<string, string>>>(), {}),
};

const TABLE = {
  name: 'prometheusRules',
  rules: RULES,
  call: "prometheusRules([{ metric: 'rpc_seconds', threshold: 0.25, budget: 0.001 }])",
};

function isPeriod(value: unknown): boolean {
  return typeof value === 'number' && value >= LEAST_PERIOD_MS && Number.isFinite(value);
}

/** An objective whose fields are checked. */
interface Slo extends SettingsOf<PrometheusSlo, typeof RULES> {
  readonly name: string;
  readonly thresholdText: string;
  /**
   * The bounds of the buckets of a native histogram that may have values on both sides of the threshold: the share of values in them
   * bounds the error of a ratio. `undefined` for other forms.
   */
  readonly unsure: readonly [lower: number, upper: number] | undefined;
}

function readSlo(given: PrometheusSlo): Slo {
  const slo = readOptions(given, TABLE);
  const { metric, threshold, histogram, schema, bounds, labels } = slo;
  const hasBounds = histogram === 'custom' || histogram === 'classic';
  const wrongLabel = Object.entries(labels).find(
    ([name, value]) => !isAlertLabel(name) || typeof value !== 'string',
  );
  if (wrongLabel !== undefined) {
    const allowed = `texts by names of labels other than ${OWN_LABELS.join(', ')}`;
    throw mustBe('ERR_INVALID_OPTION', 'labels', allowed, wrongLabel[0]);
  }
  if (histogram === 'counter' && slo.by.includes(THRESHOLD_LABEL))
    throw mustBe('ERR_INVALID_OPTION', 'by', `without ${THRESHOLD_LABEL}, which the counter has`, slo.by);
  if (hasBounds && !bounds?.includes(threshold)) {
    const nearest = neighbours(threshold, bounds ?? []).join(' and ');
    const allowed = `a bound of ${metric}${nearest === '' ? ', which bounds states' : `, such as ${nearest}`}`;
    throw mustBe('ERR_INVALID_OPTION', 'threshold', allowed, threshold);
  }
  const thresholdText = slo.thresholdText ?? String(threshold);
  return {
    ...slo,
    name: slo.name ?? `${metric} ${thresholdText}`,
    thresholdText,
    unsure: histogram === 'native' ? bucketsAround(threshold, schema) : undefined,
  };
}

// Burn rates.

/** A condition of an alert: the budget burns faster than allowed over a long window, and still does over a short one. */
interface BurnAlert {
  readonly severity: 'page' | 'ticket';
  /** How many times faster than at a rate that lasts for the whole period. */
  readonly rate: number;
  readonly longMs: number;
  readonly shortMs: number;
}

// Source: https://sre.google/workbook/alerting-on-slos/#6-multiwindow-multi-burn-rate-alerts. For 30 days these are 1 h, 6 h, 1 d and
// 3 d. The rate follows: 2 % of the budget in 1/720 of the period is a rate of 14.4.
const ALERTS = [
  { severity: 'page', share: 0.02, partOfPeriod: 1 / 720 },
  { severity: 'page', share: 0.05, partOfPeriod: 1 / 120 },
  { severity: 'ticket', share: 0.1, partOfPeriod: 1 / 30 },
  { severity: 'ticket', share: 0.1, partOfPeriod: 1 / 10 },
] as const;
const SHORT_PART = 1 / 12;

/** The shortest period: its shortest window is a second. */
export const LEAST_PERIOD_MS: number = 1000 / (SHORT_PART * ALERTS[0].partOfPeriod);

/** The alerts of a period, fastest first. */
function burnAlerts(periodMs: number): readonly BurnAlert[] {
  return ALERTS.map(({ severity, share, partOfPeriod }) => ({
    severity,
    rate: Number((share / partOfPeriod).toPrecision(12)),
    longMs: periodMs * partOfPeriod,
    shortMs: periodMs * partOfPeriod * SHORT_PART,
  }));
}

/** The ratio of errors above which an alert fires. */
function alertRatio({ budget }: Slo, { rate }: BurnAlert): number {
  return Number((rate * budget).toPrecision(12));
}

/** Whether an alert can fire: no ratio of errors is above 1. */
function canFire(slo: Slo, alert: BurnAlert): boolean {
  return alertRatio(slo, alert) < 1;
}

// Rules.

/** A rule of Prometheus: https://prometheus.io/docs/prometheus/latest/configuration/recording_rules/#rule */
interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

// The names of recorded series.
const RATIO = 'slo:error_ratio:rate';
const BUDGET = 'slo:error_budget:ratio';
const UNCERTAIN = 'slo:threshold_bucket:ratio';

const ALERT = 'SloErrorBudgetBurn';

/** The label of hdrscope's counters of the values within a threshold. */
const THRESHOLD_LABEL = 'threshold';

/** Lists the rules of an objective: ratios of errors over each window, then alerts. */
function listRules(slo: Slo): readonly Rule[] {
  const alerts = burnAlerts(slo.periodMs);
  const labels = { slo: slo.name };
  const lengths = alerts.flatMap(({ longMs, shortMs }) => [shortMs, longMs]).sort((a, b) => a - b);
  return [
    { record: BUDGET, expr: `vector(${slo.budget})`, labels },
    ...[...new Set(lengths.map(formatDurationParts))].map((window) => ({
      record: RATIO,
      expr: errorRatio(slo, window),
      labels: { ...labels, window },
    })),
    ...uncertainty(slo, formatDurationParts(alerts[0]!.longMs)),
    ...alerts.filter((alert) => canFire(slo, alert)).map((alert) => alertRule(slo, alert)),
  ];
}

/** The alerts that no ratio of errors makes fire. */
function impossibleAlerts(slo: Slo): readonly BurnAlert[] {
  return burnAlerts(slo.periodMs).filter((alert) => !canFire(slo, alert));
}

function errorRatio(slo: Slo, window: string): string {
  const { metric, matchers, by, threshold, histogram } = slo;
  const rate = (name: string, ...more: string[]): string =>
    sumBy(by, `rate(${selector(name, [...matchers, ...more])}[${window}])`);
  if (histogram === 'classic') {
    return `1 - ${rate(`${metric}_bucket`, boundMatcher(threshold))}\n  / ${rate(`${metric}_count`)}`;
  }
  if (histogram === 'counter') {
    const within = rate(`${metric}_within_total`, `${THRESHOLD_LABEL}=${quoted(String(threshold))}`);
    return `1 - ${within}\n  / histogram_count(${rate(metric)})`;
  }
  return `1 - histogram_fraction(-Inf, ${threshold},\n  ${rate(metric)})`;
}

/** The share of values of which nobody knows on which side of the threshold they are. */
function uncertainty({ name, metric, matchers, by, unsure }: Slo, window: string): Rule[] {
  if (unsure === undefined) return [];
  const rate = sumBy(by, `rate(${selector(metric, matchers)}[${window}])`);
  const expr = `histogram_fraction(${unsure.join(', ')},\n  ${rate})`;
  return [{ record: UNCERTAIN, expr, labels: { slo: name, window } }];
}

function alertRule(slo: Slo, alert: BurnAlert): Rule {
  const { severity, rate, longMs, shortMs } = alert;
  const [long, short] = [formatDurationParts(longMs), formatDurationParts(shortMs)];
  const ratio = alertRatio(slo, alert);
  const over = (window: string): string =>
    `${RATIO}{slo=${quoted(slo.name)},window=${quoted(window)}} > ${ratio}`;
  const groups = slo.by.map((label) => `${inTemplate(label)}={{ index $labels ${quoted(label)} }}`).join(' ');
  const period = formatDurationParts(slo.periodMs);
  const [name, metric, threshold] = [slo.name, slo.metric, slo.thresholdText].map(inTemplate);
  const speed = rate === 1 ? 'faster than allowed' : `more than ${rate} times as fast as allowed`;
  const budget = `The budget is ${percentText(slo.budget)}.`;
  const end =
    rate === 1
      ? ''
      : ` At ${rate} times the allowed speed, it lasts for ${formatDurationParts(slo.periodMs / rate)}.`;
  return {
    alert: ALERT,
    expr: `${over(long)}\nand ignoring (window)\n${over(short)}`,
    labels: { ...slo.labels, slo: name!, severity, window: long, short_window: short },
    annotations: {
      summary: `${name}${groups === '' ? '' : ` (${groups})`}: the error budget of ${period} burns ${speed}`,
      description: `{{ $value | humanizePercentage }} of the values of ${metric} were above ${threshold} in ${long}, and too many still are in ${short}. ${budget}${end}`,
    },
  };
}

/** A text in a label or an annotation of an alert, which are templates of Go. */
function inTemplate(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

/** A share in percent: `0.1 %`. */
function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(12))} %`;
}

// The comment above the rules.

/** Comments at the beginning of the rules: the objective, how exact its ratios are, and alerts that are left out. */
function commentOn(slo: Slo): readonly string[] {
  const { metric, thresholdText, budget, periodMs, name } = slo;
  const good = percentText(1 - budget);
  return [
    `${name}: ${good} of the values of ${metric} are at most ${thresholdText}, over ${formatDurationParts(periodMs)}.`,
    ...precisionOf(slo),
    ...impossibleAlerts(slo).map(
      ({ severity, rate, longMs }) =>
        `There is no ${severity} for ${formatDurationParts(longMs)}: with a budget of ${percentText(budget)}, a rate of ${rate} is more than all values.`,
    ),
  ].map((line) => visible(line));
}

function precisionOf({ threshold, histogram, schema, unsure, metric }: Slo): readonly string[] {
  if (unsure !== undefined) {
    const [lower, upper] = unsure;
    return [
      `The buckets around the threshold ${threshold} may have values on both sides of it: a ratio is that of some threshold from ${lower} to ${upper}.`,
      `Its error is at most the share of values between these, which slo:threshold_bucket:ratio records. Buckets of schemas below ${schema} are wider.`,
      `For exact ratios of hdrscope's own histograms, state thresholds: [${threshold}] in the view or the family, and use the form counter.`,
    ];
  }
  if (histogram === 'counter')
    return [
      `The ratios are exact for recorded values: ${metric}_within_total counts those up to ${threshold}. A view or a family must state thresholds: [${threshold}].`,
      'Values that came to hdrscope in wide buckets may be on the wrong side: hdrscope_inexact_values is at least their number.',
    ];
  return [
    `The threshold ${threshold} is a bound of ${metric}. hdrscope counts at it exactly where the view or the family states it, in boundaries or thresholds.`,
  ];
}

// YAML.

function ruleLines({ record, alert, expr, labels, annotations }: Rule): string[] {
  return [
    record === undefined ? `      - alert: ${scalar(alert!)}` : `      - record: ${scalar(record)}`,
    '        expr: |-',
    ...expr.split('\n').map((line) => `          ${line}`),
    ...mapLines('labels', labels),
    ...(annotations === undefined ? [] : mapLines('annotations', annotations)),
  ];
}

function mapLines(key: string, map: Readonly<Record<string, string>>): string[] {
  return [
    `        ${key}:`,
    ...Object.entries(map).map(([name, value]) => `          ${scalar(name)}: ${scalar(value)}`),
  ];
}

/** A text of YAML. Quoted texts are those of JSON; a plain one is a text in every version of YAML. */
function scalar(text: string): string {
  const isPlain = /^[a-zA-Z][\w:-]*\w$/.test(text) && !/^(true|false|yes|no|on|off|null)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
