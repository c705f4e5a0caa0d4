// Entry `@hdrscope/prometheus/scraper`: histograms that others expose, on Node.js.
export { readExposition } from './read-exposition.ts';
export type {
  ScrapedFamily,
  ScrapedHistogram,
  ScrapedHistograms,
  ScrapeRefusal,
  ScrapeRefusalReason,
} from './scraped.ts';
