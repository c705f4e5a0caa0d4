import type { Counted } from '@hdrscope/core';
import type { Exemplar, RejectedCounts } from '@hdrscope/registry';

/** The histograms of one answer to a scrape. */
export interface ScrapedHistograms {
  /** The families that have at least one histogram that can be counted, in the order of the answer. */
  readonly families: readonly ScrapedFamily[];
  /** Histograms and families that were left out, each with the reason. */
  readonly refusals: readonly ScrapeRefusal[];
  /** How many families are counters, gauges, infos, state sets or of an unknown type. */
  readonly otherFamilies: number;
}

/** The histograms under one name. */
export interface ScrapedFamily {
  /** The name as it is exposed, such as `http_request_duration_seconds`. */
  readonly name: string;
  /** The description; `''` when there is none. */
  readonly help: string;
  /** The UCUM code of the unit that the answer or the end of the name states, such as `s` or `By`; `''` when neither states a known one. */
  readonly unit: string;
  /** At least one. No set of labels comes twice. */
  readonly histograms: readonly ScrapedHistogram[];
}

/** One histogram: all values since its counting began. */
export interface ScrapedHistogram {
  /** The labels, without `le`. */
  readonly labels: Readonly<Record<string, string>>;
  /** The values, in the unit of the family: native buckets over an exponential layout, others over an explicit one. */
  readonly counted: Counted;
  /** The sum of all values, in the unit of the family; `undefined` when it is unknown. */
  readonly sum: number | undefined;
  /** When the counting began, in milliseconds since 1970; `undefined` when the answer does not state it. */
  readonly createdMs: number | undefined;
  /** The time of the sample, in milliseconds since 1970; `undefined` when it is the time of the scrape. */
  readonly timestampMs: number | undefined;
  /** Values that are in the count and in no bucket: those that are not numbers. `undefined` when there are none. */
  readonly rejected: RejectedCounts | undefined;
  /** Values that stand for others; an empty list when there are none. */
  readonly exemplars: readonly Exemplar[];
}

/**
 * Why a histogram or a family is left out:
 *
 * - `unsupported`: its form cannot be counted, whatever its values are: a summary, a histogram that may fall, counts that are no
 *   integers, or no bounds.
 * - `malformed`: it contradicts itself.
 * - `countTooLarge`: it has a count above 2^53 − 1.
 */
export type ScrapeRefusalReason = 'unsupported' | 'malformed' | 'countTooLarge';

/** A histogram or a family that is left out of an exposition. */
export interface ScrapeRefusal {
  /** The name of the family. */
  readonly family: string;
  /** The labels of the histogram; `undefined` when the whole family is left out. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** The kind of the reason. */
  readonly reason: ScrapeRefusalReason;
  /** The reason as a clause that follows the name: `has no bucket with le="+Inf"`. */
  readonly problem: string;
}
