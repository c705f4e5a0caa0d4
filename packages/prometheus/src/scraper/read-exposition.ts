import { assertFollows, custom, type OptionRule, oneOf } from '@hdrscope/core/internal';
import { atOnce, type Budget, type Steps } from '@hdrscope/kit';
import { readUnitWords, unitOfName } from '@hdrscope/registry/internal';
import type { ExpositionFormat } from '../render.ts';
import { unsupported } from './buckets.ts';
import { checkHistogram } from './check-histogram.ts';
import { LayoutPool } from './layout-pool.ts';
import { answerBudget } from './limits.ts';
import type { RawFamily } from './raw-histogram.ts';
import { readProtobuf } from './read-protobuf.ts';
import { readText } from './read-text.ts';
import type { ScrapedFamily, ScrapedHistogram, ScrapedHistograms, ScrapeRefusal } from './scraped.ts';

const bytesRule: OptionRule<Uint8Array> = custom('a Uint8Array', (value) => value instanceof Uint8Array);
const FORMATS: readonly ExpositionFormat[] = ['text', 'text1', 'openmetrics', 'openmetrics2', 'protobuf'];

/**
 * Reads the histograms of an answer to a scrape. A histogram that contradicts itself is left out with the reason, and the others are not
 * affected. Where a histogram has native and classic buckets, the native ones are taken. Summaries, histograms that may fall, and counts
 * that are no integers are left out: they cannot be added up.
 *
 * @param bytes The body of the answer, decompressed.
 * @throws HdrscopeError `ERR_DECODE` when the bytes are not of the format, or are cut off; `ERR_TOO_LARGE` when they have a line above
 *   1 MiB or more than 3,000,000 elements: a line is one, a histogram or a family ten, and a field of protobuf a quarter; `ERR_INVALID_OPTION` when an argument is of another type.
 * @example
 * ```ts
 * import { readExposition } from '@hdrscope/prometheus/scraper';
 *
 * const text = `# TYPE job_duration_seconds histogram
 * job_duration_seconds_bucket{le="0.5"} 7
 * job_duration_seconds_bucket{le="+Inf"} 9
 * job_duration_seconds_sum 4.5
 * job_duration_seconds_count 9
 * `;
 * const { families } = readExposition(new TextEncoder().encode(text), 'text');
 * const [family] = families;
 * const { layout, counts } = family!.histograms[0]!.counted;
 * [family!.unit, layout.upper(0), counts.total]; //=> ['s', 0.5, 9]
 * ```
 */
export function readExposition(bytes: Uint8Array, format: ExpositionFormat): ScrapedHistograms {
  assertFollows('bytes', bytesRule, bytes);
  assertFollows('format', oneOf(FORMATS), format);
  return atOnce(expositionSteps(bytes, format, new LayoutPool()));
}

/** The work of `readExposition`, in steps. Answers of one target share their layouts. */
export function* expositionSteps(
  bytes: Uint8Array,
  format: ExpositionFormat,
  layouts: LayoutPool,
): Steps<ScrapedHistograms> {
  const budget = answerBudget();
  const raws =
    format === 'protobuf'
      ? yield* readProtobuf(bytes, budget)
      : yield* readText(bytes, { isOpenMetrics: format.startsWith('openmetrics') }, budget);
  const families: ScrapedFamily[] = [];
  const refusals: ScrapeRefusal[] = [];
  let otherFamilies = 0;
  for (const raw of raws) {
    if (raw.type === 'other') otherFamilies++;
    else if (raw.type !== 'histogram')
      refusals.push({ family: raw.name, labels: undefined, ...UNSUPPORTED[raw.type] });
    else {
      const histograms = yield* checkHistograms(raw, layouts, budget, refusals);
      if (histograms.length === 0) continue;
      const { name, help } = raw;
      families.push({ name, help, unit: chooseUnit(raw), histograms });
    }
  }
  return { families, refusals, otherFamilies };
}

const UNSUPPORTED = {
  summary: unsupported('is a summary: quantiles of several summaries cannot be added up'),
  gaugehistogram: unsupported('is a gauge histogram: its counts may fall, so increases are unknown'),
};

function* checkHistograms(
  { name, histograms }: RawFamily,
  layouts: LayoutPool,
  budget: Budget,
  refusals: ScrapeRefusal[],
): Steps<ScrapedHistogram[]> {
  const checked: ScrapedHistogram[] = [];
  for (const raw of histograms) {
    yield;
    const result = checkHistogram(raw, layouts, budget);
    if ('reason' in result) refusals.push({ family: name, labels: raw.labels, ...result });
    else checked.push(result);
  }
  return checked;
}

/** The unit that the answer states, or that the name ends with. */
export function chooseUnit({ name, unit }: Pick<RawFamily, 'name' | 'unit'>): string {
  return (unit === '' ? undefined : readUnitWords(unit)) ?? unitOfName(name);
}
