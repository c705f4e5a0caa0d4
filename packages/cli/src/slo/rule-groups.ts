import { durationText } from '../duration.ts';
import { alertRatio, type BurnAlert, burnAlerts, canFire } from './burn-rates.ts';
import { boundMatcher, quoted, selector, sumBy } from './promql.ts';
import type { Slo } from './slo.ts';

/** A rule of Prometheus: https://prometheus.io/docs/prometheus/latest/configuration/recording_rules/#rule */
export interface Rule {
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
export function impossibleAlerts(slo: Slo): readonly BurnAlert[] {
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
export function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(12))} %`;
}
