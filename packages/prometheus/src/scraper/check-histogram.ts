import type { Budget } from '@hdrscope/kit';
import { type CountedBuckets, malformed, type SeriesProblem, unsupported } from './buckets.ts';
import { countClassic } from './count-classic.ts';
import { countNative } from './count-native.ts';
import type { LayoutPool } from './layout-pool.ts';
import type { RawHistogram, RawNative } from './raw-histogram.ts';
import type { ScrapedHistogram } from './scraped.ts';

/** Checks a histogram that was read, and counts its buckets. Where it has native and classic ones, the native ones count. */
export function checkHistogram(
  raw: RawHistogram,
  layouts: LayoutPool,
  budget: Budget,
): ScrapedHistogram | SeriesProblem {
  const result = countBuckets(raw, layouts, budget);
  if ('reason' in result) return result;
  const { labels, sum, createdMs, timestampMs, exemplars } = raw;
  const { counted, rejected } = result;
  const isKnownSum = sum !== undefined && Number.isFinite(sum);
  const start = createdMs !== undefined && createdMs > 0 ? createdMs : undefined;
  return {
    ...{ labels, counted, sum: isKnownSum ? sum : undefined, createdMs: start },
    ...{ timestampMs, rejected, exemplars },
  };
}

function countBuckets(
  raw: RawHistogram,
  layouts: LayoutPool,
  budget: Budget,
): CountedBuckets | SeriesProblem {
  if (raw.repeated !== undefined) return malformed(`has ${raw.repeated} twice`);
  if (Object.hasOwn(raw.labels, 'vmrange')) return unsupported('has buckets of VictoriaMetrics (vmrange)');
  if (raw.isFloat) return unsupported('has counts that are no integers (a float histogram)');
  return hasNative(raw) ? countNative(raw, layouts, budget) : countClassic(raw, layouts);
}

function hasNative(raw: RawHistogram): raw is RawHistogram & { readonly native: RawNative } {
  return raw.native !== undefined;
}
