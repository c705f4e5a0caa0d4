export { type HistogramForm, readScrapedBounds } from './promql.ts';
export { type PrometheusSlo, prometheusRules } from './slo-rules.ts';
