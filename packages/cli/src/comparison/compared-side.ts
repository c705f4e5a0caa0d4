import type { LogHistogram } from '@hdrscope/interval-log';
import type { BoundedHistogram } from '@hdrscope/interval-log/internal';

/** One side of a comparison. */
export interface ComparedSide {
  readonly name: string;
  readonly values: LogHistogram | BoundedHistogram;
  readonly totalCount: number;
}
