import type { Figures } from '../distribution.ts';
import type { ErrorCount } from './load.ts';

/** The values of an input that have equal labels. */
export interface ValueGroup {
  /** The values of the labels by which values are grouped. */
  readonly labels: Readonly<Record<string, string>>;
  /** In milliseconds. */
  readonly figures: Figures;
  /** The requests of the group that failed. @default the input does not state them */
  readonly errors?: ErrorCount;
}

/** How values are grouped. */
export interface GroupOptions {
  /** The labels that tell groups apart. */
  readonly by: readonly string[];
  /** Only values with these labels. */
  readonly where: Readonly<Record<string, string>>;
  readonly percentiles: readonly number[];
  /** From 0 to 5. */
  readonly significantDigits: number;
}
