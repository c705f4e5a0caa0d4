import { visible } from '@hdrscope/core/internal';
import { durationText } from '../duration.ts';
import { boundMatcher, quoted, selector, sumBy, type Threshold } from './prometheus.ts';

/** An objective: the share of values of a histogram that must be at most a threshold. */
export interface Slo {
  readonly name: string;
  /** The histogram in Prometheus, without `_bucket`. */
  readonly metric: string;
  readonly threshold: Threshold;
  /** The share of values that may be above the threshold: above 0 and below 1. */
  readonly budget: number;
  /** The time for which the budget lasts, in milliseconds. */
  readonly periodMs: number;
  /** Labels that have an objective of their own for each value. */
  readonly by: readonly string[];
  /** Selectors of series, such as `job="api"`. */
  readonly matchers: readonly string[];
  /** More labels of the alerts. Their values are templates of Prometheus. */
  readonly labels: Readonly<Record<string, string>>;
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
export function burnAlerts(periodMs: number): readonly BurnAlert[] {
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

/** Labels that the rules set. */
export const OWN_LABELS: readonly string[] = ['slo', 'severity', 'window', 'short_window'];

/** The rules of an objective: ratios of errors over each window, then alerts. */
export function rulesOf(slo: Slo): readonly Rule[] {
  const alerts = burnAlerts(slo.periodMs);
  const labels = { slo: slo.name };
  const lengths = alerts.flatMap(({ longMs, shortMs }) => [shortMs, longMs]).sort((a, b) => a - b);
  return [
    { record: BUDGET, expr: `vector(${slo.budget})`, labels },
    ...[...new Set(lengths.map(durationText))].map((window) => ({
      record: RATIO,
      expr: errorRatio(slo, window),
      labels: { ...labels, window },
    })),
    ...uncertainty(slo, durationText(alerts[0]!.longMs)),
    ...alerts.filter((alert) => canFire(slo, alert)).map((alert) => alertRule(slo, alert)),
  ];
}

/** The alerts that no ratio of errors makes fire. */
function impossibleAlerts(slo: Slo): readonly BurnAlert[] {
  return burnAlerts(slo.periodMs).filter((alert) => !canFire(slo, alert));
}

function errorRatio(slo: Slo, window: string): string {
  const { metric, matchers, by, threshold } = slo;
  const rate = (name: string, ...more: string[]): string =>
    sumBy(by, `rate(${selector(name, [...matchers, ...more])}[${window}])`);
  if (threshold.form === 'classic') {
    return `1 - ${rate(`${metric}_bucket`, boundMatcher(threshold.value))}\n  / ${rate(`${metric}_count`)}`;
  }
  return `1 - histogram_fraction(-Inf, ${threshold.value},\n  ${rate(metric)})`;
}

/** The share of values of which nobody knows on which side of the threshold they are. */
function uncertainty({ name, metric, matchers, by, threshold }: Slo, window: string): Rule[] {
  if (threshold.bucket === undefined) return [];
  const rate = sumBy(by, `rate(${selector(metric, matchers)}[${window}])`);
  const expr = `histogram_fraction(${threshold.bucket.join(', ')},\n  ${rate})`;
  return [{ record: UNCERTAIN, expr, labels: { slo: name, window } }];
}

function alertRule(slo: Slo, alert: BurnAlert): Rule {
  const { severity, rate, longMs, shortMs } = alert;
  const [long, short] = [durationText(longMs), durationText(shortMs)];
  const ratio = alertRatio(slo, alert);
  const over = (window: string): string =>
    `${RATIO}{slo=${quoted(slo.name)},window=${quoted(window)}} > ${ratio}`;
  const groups = slo.by.map((label) => `${inTemplate(label)}={{ index $labels ${quoted(label)} }}`).join(' ');
  const period = durationText(slo.periodMs);
  const [name, metric, threshold] = [slo.name, slo.metric, slo.threshold.text].map(inTemplate);
  const speed = rate === 1 ? 'faster than allowed' : `more than ${rate} times as fast as allowed`;
  const budget = `The budget is ${percentText(slo.budget)}.`;
  const end =
    rate === 1
      ? ''
      : ` At ${rate} times the allowed speed, it lasts for ${durationText(slo.periodMs / rate)}.`;
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
export function commentOf(slo: Slo): readonly string[] {
  const { metric, threshold, budget, periodMs, name } = slo;
  const good = percentText(1 - budget);
  return [
    `${name}: ${good} of the values of ${metric} are at most ${threshold.text}, over ${durationText(periodMs)}.`,
    ...precisionOf(slo),
    ...impossibleAlerts(slo).map(
      ({ severity, rate, longMs }) =>
        `There is no ${severity} for ${durationText(longMs)}: with a budget of ${percentText(budget)}, a rate of ${rate} is more than all values.`,
    ),
  ].map((line) => visible(line));
}

function precisionOf({ threshold, metric }: Slo): readonly string[] {
  const { value, form, schema, bucket } = threshold;
  if (bucket !== undefined) {
    const [lower, upper] = bucket;
    return [
      `The threshold ${value} divides a bucket, and Prometheus interpolates in it: a ratio is that of some threshold from ${lower} to ${upper}.`,
      `Its error is at most the share of values in this bucket, which slo:threshold_bucket:ratio records. Buckets of schemas below ${schema} are wider.`,
    ];
  }
  if (form === 'native')
    return [`The threshold ${value} is a bound of a bucket from schema ${schema} on: the ratios are exact.`];
  return [
    `The threshold ${value} is a bound of ${metric}: the ratios are exact where every series has this bound.`,
  ];
}

// YAML.

/** A group of rules as a file for Prometheus. @param comment Lines without line feeds. */
export function rulesYaml(group: string, rules: readonly Rule[], comment: readonly string[]): string {
  const lines = [
    ...comment.map((line) => `# ${line}`),
    'groups:',
    `  - name: ${scalar(group)}`,
    '    rules:',
    ...rules.flatMap(ruleLines),
  ];
  return `${lines.join('\n')}\n`;
}

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
