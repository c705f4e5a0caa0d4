import { visible } from '@hdrscope/core/internal';
import { durationText } from '../duration.ts';
import { impossibleAlerts, percentText } from './rule-groups.ts';
import type { Slo } from './slo.ts';

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
