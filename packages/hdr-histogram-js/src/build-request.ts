import type { BitBucketSize } from './histogram.ts';

/** The options of `build`. */
export interface BuildRequest {
  /** See `BitBucketSize`. @default 32 */
  bitBucketSize?: BitBucketSize;
  /** Whether a value above the range widens it. @default true */
  autoResize?: boolean;
  /** The smallest difference between values that must stay visible, at least 1. @default 1 */
  lowestDiscernibleValue?: number;
  /** The largest value that must fit, at least twice the one above. @default 2 */
  highestTrackableValue?: number;
  /** Decimal digits to which a value keeps its precision, from 0 to 5. @default 3 */
  numberOfSignificantValueDigits?: number;
  /** Makes a `WasmHistogram`, whose `destroy` frees its memory at once. @default false */
  useWebAssembly?: boolean;
}

export const DEFAULT_REQUEST: Required<BuildRequest> = {
  bitBucketSize: 32,
  autoResize: true,
  lowestDiscernibleValue: 1,
  highestTrackableValue: 2,
  numberOfSignificantValueDigits: 3,
  useWebAssembly: false,
};

/** A request with all its defaults. */
export function requestOf(request: BuildRequest): Required<BuildRequest> {
  return { ...DEFAULT_REQUEST, ...request };
}
