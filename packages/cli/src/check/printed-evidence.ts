import type { Bounds } from '@hdrscope/core';
import { percentileTitle } from '../format.ts';
import type { LoadSummary } from '../inputs/load-tools/load-summary.ts';
import type { Evidence } from './evidence.ts';

/** What a summary knows: the percentiles that it prints, and no value between them. */
export class PrintedEvidence implements Evidence {
  readonly count: number;
  readonly #summary: LoadSummary;

  constructor(summary: LoadSummary, count: number) {
    this.count = count;
    this.#summary = summary;
  }

  percentile(percentile: number): Bounds | string {
    const { tool, percentiles, cure } = this.#summary;
    const found = percentiles.find((one) => one.percentile === percentile);
    if (found !== undefined) return found;
    const printed = percentiles
      .map((one) => one.percentile)
      .sort((a, b) => a - b)
      .map((one) => percentileTitle(one))
      .join(', ');
    return `the summary of ${tool} has no ${percentileTitle(percentile)}, only ${printed}: ${cure}`;
  }

  within(threshold: number): Bounds {
    let [lower, upper] = [0, this.count];
    for (const one of this.#summary.percentiles) {
      if (one.upper <= threshold) lower = Math.max(lower, one.atOrBelow);
      // The bounds of a rounded value are its own, and those of the next one.
      if (one.lower > threshold) upper = Math.min(upper, one.below);
    }
    return { lower, upper: Math.max(lower, upper) };
  }

  interval(): undefined {
    return undefined;
  }
}
