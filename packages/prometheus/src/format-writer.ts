import type { ExponentialBuckets } from '@hdrscope/core/internal';
import type { Metric } from './families.ts';
import type { FamilyFacts } from './lazy-family.ts';

/** Writes one exposition in a format, metric by metric. */
export interface FormatWriter {
  /**
   * Adds a metric to the bytes that `finish` returns. They depend on the name and the type of its family only.
   *
   * @param earlier Where `keepsLabels` is true, a metric whose labels stand for those of this one.
   */
  add(family: FamilyFacts, metric: Metric, earlier?: WrittenMetric): void;
  /** The bytes of the metrics that were added since the last call. */
  finish(): MetricBytes;
  /**
   * The bytes around the metrics of a family. Call it after `finish`.
   *
   * @param metricsLength The number of bytes of all its metrics.
   */
  frame(family: FamilyFacts, metricsLength: number): { readonly head: Uint8Array; readonly tail: Uint8Array };
  /** Whether it shows native buckets where a metric has them. */
  readonly hasNative: boolean;
  /** Whether labels are copied from earlier bytes. @default false */
  readonly keepsLabels?: boolean;
  /** The positive native buckets of a metric that this format has written; left out when it writes none, or as text. */
  readBuckets?(metric: WrittenMetric): ExponentialBuckets | undefined;
  /** The bytes after all families. */
  readonly end: Uint8Array;
}

/** The bytes of neighbouring metrics. */
export interface MetricBytes {
  readonly bytes: Uint8Array;
  /** Where the bytes of each metric end. */
  readonly ends: readonly number[];
}

/** A metric in the bytes of a block. */
export interface WrittenMetric {
  readonly bytes: Uint8Array;
  /** Where it begins. */
  readonly at: number;
}

export const NO_BYTES: Uint8Array = /* @__PURE__ */ new Uint8Array();

/** A text as UTF-8. */
function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * Makes the writer of a format that is text.
 *
 * @param samples The lines of a metric.
 * @param comments The lines before the metrics of a family.
 * @param end The lines after all families.
 * @param hasNative Whether the lines of a metric show its native buckets.
 */
export function textFormat(
  samples: (family: FamilyFacts, metric: Metric) => string,
  comments: (family: FamilyFacts) => string,
  end: string,
  hasNative = false,
): FormatWriter {
  let texts: string[] = [];
  return {
    add: (family, metric) => void texts.push(samples(family, metric)),
    finish() {
      const bytes = utf8(texts.join(''));
      let at = 0;
      const ends = texts.map((text) => {
        at += Buffer.byteLength(text);
        return at;
      });
      texts = [];
      return { bytes, ends };
    },
    frame: (family) => ({ head: utf8(comments(family)), tail: NO_BYTES }),
    end: utf8(end),
    hasNative,
  };
}
