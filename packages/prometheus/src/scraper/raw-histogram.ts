import type { Exemplar } from '@hdrscope/registry';

// A histogram as an answer has it. Every format is read into this form, and checked in this form.

/** A histogram before it is checked. */
export interface RawHistogram {
  readonly labels: Readonly<Record<string, string>>;
  /** The number of all values. */
  count: number | undefined;
  /** Whether some count is no integer by its form. */
  isFloat: boolean;
  sum: number | undefined;
  /** Upper bounds of classic buckets, in any order. */
  readonly bounds: number[];
  /** For each bound, how many values are at most the bound. */
  readonly cumulative: number[];
  native: RawNative | undefined;
  createdMs: number | undefined;
  timestampMs: number | undefined;
  readonly exemplars: Exemplar[];
  /** The part that came twice, such as `_sum`. */
  repeated: string | undefined;
}

/** Native buckets before they are checked. */
export interface RawNative {
  readonly schema: number;
  readonly zeroThreshold: number;
  readonly zeroCount: number;
  readonly positive: RawSide;
  readonly negative: RawSide;
  /** The upper bounds of the buckets of schema −53. @default the format has no place for them */
  readonly customValues?: readonly number[] | undefined;
}

/** The buckets on one side of 0, as runs: see `Spans`. */
export interface RawSide {
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
  /** The count of each bucket of all runs. */
  readonly counts: readonly number[];
}

export function newRawHistogram(labels: Readonly<Record<string, string>>): RawHistogram {
  return {
    labels,
    count: undefined,
    isFloat: false,
    sum: undefined,
    bounds: [],
    cumulative: [],
    native: undefined,
    createdMs: undefined,
    timestampMs: undefined,
    exemplars: [],
    repeated: undefined,
  };
}

/** The types of families that matter here. All others have numbers. */
export type RawType = 'histogram' | 'gaugehistogram' | 'summary' | 'other';

/** A family before its histograms are checked. */
export interface RawFamily {
  readonly name: string;
  type: RawType;
  help: string;
  /** The unit in words, such as `seconds`; `''` when the answer does not state it. */
  unit: string;
  readonly histograms: RawHistogram[];
}
