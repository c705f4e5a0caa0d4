// Entry `@hdrscope/prometheus/internal`: for the other packages of hdrscope only. Names here may change in any release.
export type { ResourceMetricsOptions } from './from-otel.ts';
export { HISTOGRAM_FORMS, isMatcher, neighbours } from './rules/promql.ts';
export { isAlertLabel, isGroupLabel, LEAST_PERIOD_MS, OWN_LABELS } from './rules/slo-rules.ts';
export { unitInName } from './rules/unit-in-name.ts';
export { type AnswerRequest, apiUrl, type GotAnswer, requestAnswer } from './scraper/request-answer.ts';
