// Entry `@hdrscope/prometheus/scraper`: histograms that others expose, on Node.js.
export type { ScrapeErrorCode } from '../errors.ts';
export { type FetchExpositionOptions, type FetchedExposition, fetchExposition } from './fetch-exposition.ts';
export {
  type IngestPrometheusOptions,
  ingestPrometheus,
  type PrometheusIngestion,
  type ScrapeReport,
} from './ingest-prometheus.ts';
export { readExposition } from './read-exposition.ts';
export type {
  ScrapedFamily,
  ScrapedHistogram,
  ScrapedHistograms,
  ScrapeRefusal,
  ScrapeRefusalReason,
} from './scraped.ts';
