import type { Snapshot } from '@hdrscope/registry';
import { valuesText } from '../../format.ts';
import { leftOutText } from '../../inputs/logged-series.ts';

/** Counts what an import of OTLP leaves out, and what it knows coarsely. */
export class OtlpLosses {
  /** Points of sums, gauges and summaries. */
  others = 0;
  /** Points that were refused, and the reasons for the first of them. */
  refused = 0;
  reasons = '';
  /** Points that do not say their time. */
  timeless = 0;
  /** Values of cumulative points that were counted before the file. */
  before = 0;
  /** Values in buckets without an upper bound. */
  open = 0;
  /** Values that a series cannot count: those below 0, and those beyond its resolution. */
  rejected = 0;
  /** Values that came after the rows of their stretch had been written. */
  late = 0;

  /** Takes note of refused points. */
  refuse(count: number, reasons: string): void {
    this.refused += count;
    if (this.reasons === '') this.reasons = reasons;
  }

  /** Adds the values that the series of a registry have rejected. */
  addRejected(snapshot: Snapshot | undefined): void {
    for (const { series } of snapshot?.families ?? []) {
      for (const { rejected } of series) {
        const { negative, notANumber, tooLarge, overflowing } = rejected;
        this.rejected += negative + notANumber + tooLarge + overflowing;
      }
    }
  }

  /** What is missing, in sentences. */
  get missing(): string[] {
    const { refused, reasons, timeless, before, rejected } = this;
    const sentences: string[] = [];
    if (refused > 0) sentences.push(`${leftOutText(refused, POINTS)}, the first of them because ${reasons}`);
    if (timeless > 0) sentences.push(leftOutText(timeless, TIMELESS)!);
    if (rejected > 0) sentences.push(leftOutText(rejected, REJECTED)!);
    if (before > 0) {
      sentences.push(
        `${valuesText(before)} from before the file ${isOrAre(before)} left out; files that follow each other are imported by one command, the oldest first`,
      );
    }
    return sentences;
  }

  /** What else a person may not expect, in sentences. */
  get remarks(): string[] {
    const { others, open, late } = this;
    const sentences: string[] = [];
    if (others > 0) sentences.push(leftOutText(others, OTHERS)!);
    if (open > 0) {
      sentences.push(
        `${valuesText(open)} ${isOrAre(open)} in buckets without an upper bound, so percentiles there are guesses`,
      );
    }
    if (late > 0)
      sentences.push(
        `${valuesText(late)} came more than an hour late: they count in a later stretch of time`,
      );
    return sentences;
  }
}

const POINTS = ['point', 'points'] as const;
const TIMELESS = ['point without a time', 'points without a time'] as const;
const REJECTED = ['value below 0 or too large', 'values below 0 or too large'] as const;
const OTHERS = ['point that is no histogram', 'points that are no histograms'] as const;

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}
