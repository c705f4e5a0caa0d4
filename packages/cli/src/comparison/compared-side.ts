import type { BoundedHistogram, LogHistogram } from '@hdrscope/interval-log';

/** One side of a comparison. */
export interface ComparedSide {
  readonly name: string;
  readonly values: LogHistogram | BoundedHistogram;
  readonly totalCount: number;
}
