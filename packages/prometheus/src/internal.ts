// Entry `@hdrscope/prometheus/internal`: for the other packages of hdrscope only. Names here may change in any release.
export type { ResourceMetricsOptions } from './from-otel.ts';
export type { Proof, ProvingServer } from './migrate/ask-claims.ts';
export type { GeneratedQuestion } from './migrate/generated/prove-generated.ts';
export type { FoundQuery } from './migrate/migrate-queries.ts';
export type { QueryVerdict, RefusedQuery, RewrittenQuery } from './migrate/query-verdict.ts';
export type { QueryUse } from './migrate/terms.ts';
export { HISTOGRAM_FORMS, isMatcher, neighbours } from './rules/promql.ts';
export { isAlertLabel, isGroupLabel, LEAST_PERIOD_MS, OWN_LABELS } from './rules/slo-rules.ts';
export { unitInName } from './rules/unit-in-name.ts';
export { type AnswerRequest, apiUrl, type GotAnswer, requestAnswer } from './scraper/request-answer.ts';

/** Loads what rewrites queries: the parser of PromQL takes 20 ms, and few programs need it. */
export function loadMigration(): Promise<typeof import('./migrate/index.ts')> {
  return import('./migrate/index.ts');
}
