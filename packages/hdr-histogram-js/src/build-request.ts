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
  /**
   * What happens to values that have no slot: negative ones, `NaN`, and those above a fixed range. `'throw'` refuses them; `'discard'`
   * leaves them out. hdr-histogram-js has no such option.
   *
   * @default the variable `HDRSCOPE_DROP_IN_OUT_OF_RANGE` of the environment, else `'throw'`
   */
  outOfRange?: 'throw' | 'discard';
}

/** A request with all its defaults. */
export function requestOf(request: BuildRequest = {}): Required<BuildRequest> {
  return {
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 2,
    numberOfSignificantValueDigits: 3,
    useWebAssembly: false,
    outOfRange: usualPolicy(),
    ...request,
  };
}

/** The policy of histograms without one: programs that cannot be changed set it by their environment. */
export function usualPolicy(): 'throw' | 'discard' {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  };
  return process?.env?.HDRSCOPE_DROP_IN_OUT_OF_RANGE === 'discard' ? 'discard' : 'throw';
}
