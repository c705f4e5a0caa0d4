import { SHARED_HEADER_BYTES } from '../counts/shared.ts';
import { mostSparseBytes } from '../counts/sparse.ts';
import { wordsFor } from '../counts/words.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { HdrLayout, type HdrLayoutOptions } from '../layout/hdr.ts';
import { assertOptions, type OptionsOwner } from '../options.ts';

/** A range, and either the digits or a goal for them. */
export interface AdviseOptions extends HdrLayoutOptions {
  /** The largest acceptable `worstRelativeError.bound`: above 0. The advice has the fewest digits within it. */
  readonly maxRelativeError?: number;
  /** The largest acceptable `denseBytes`: above 0. Without `maxRelativeError` the advice has the most digits within it. */
  readonly maxBytes?: number;
}

/** The size and the precision of an HDR histogram with some options. */
export interface Advice {
  /** For `new Histogram(options)`. */
  readonly options: Required<HdrLayoutOptions>;
  /** How many slots, so how many different values it can report. */
  readonly slotCount: number;
  /** `byteLength` with dense storage: 4 bytes a slot, in pages of 64; twice as many after a count exceeds 2^31. */
  readonly denseBytes: number;
  /** `byteLength` with shared storage: 64 bytes, and 8 a slot, in pages of 64. */
  readonly sharedBytes: number;
  /**
   * `byteLength` with sparse storage at most, with all slots used while no count exceeds 2^31 − 1. Up to 64 values take
   * two bytes each, in layouts of up to 65,536 slots. Then memory comes in pages of 64 bytes: `ceil(slotCount / 4096)` pages for a
   * table, one for each page of slots in use, and up to a
   * sixteenth more. Counts above 255 need the same again for their pages, and for each further digit in base 255. A second table
   * of 4 bytes for each page of slots is added from 256 pages on.
   */
  readonly sparseBytes: number;
  /** The width of the narrowest slots. */
  readonly unit: number;
  /** Below this value all slots are one unit wide, and above it wider. At most one above the largest value. */
  readonly unitBelow: number;
  /**
   * The largest `|reported - value| / value` over all integers of the range from `unitBelow / 2` on. The reported value is the
   * upper bound of the slot, as for percentiles, or its midpoint. Below `unitBelow / 2` values are known to the unit, and with
   * a unit of 1 exactly.
   */
  readonly worstRelativeError: { readonly bound: number; readonly midpoint: number };
}

const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const MOST_DIGITS = 5;

const OWNER: OptionsOwner<AdviseOptions> = {
  name: 'advise',
  names: {
    lowestDiscernibleValue: true,
    highestTrackableValue: true,
    significantDigits: true,
    maxRelativeError: true,
    maxBytes: true,
  },
  call: 'advise({ highestTrackableValue: 3_600_000_000, maxRelativeError: 0.01 })',
};

/**
 * The size and precision of a histogram before there is one; or the digits that stay within an error or a number of bytes.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it, when both digits and a goal are
 *   given, or when no digits reach the goal.
 * @example
 * ```ts
 * import { advise } from '@hdrscope/core';
 *
 * const oneHourInMicroseconds = 3_600_000_000;
 * const { options, denseBytes } = advise({ highestTrackableValue: oneHourInMicroseconds, maxRelativeError: 0.01 });
 * options.significantDigits; //=> 2
 * denseBytes; //=> 13312
 *
 * const small = advise({ highestTrackableValue: oneHourInMicroseconds, maxBytes: 4096 });
 * small.options.significantDigits; //=> 1
 * small.worstRelativeError.midpoint; //=> 0.03125
 * ```
 */
export function advise(options: AdviseOptions): Advice {
  assertOptions(options, OWNER);
  const { maxRelativeError, maxBytes, ...range } = options;
  if (maxRelativeError === undefined && maxBytes === undefined) return adviceFor(range);
  assertGoal('maxRelativeError', maxRelativeError);
  assertGoal('maxBytes', maxBytes);
  if (range.significantDigits !== undefined) {
    const allowed = 'absent when maxRelativeError or maxBytes decides';
    throw mustBe('ERR_INVALID_OPTION', 'significantDigits', allowed, range.significantDigits);
  }
  const fitting = candidates(range).filter(
    ({ worstRelativeError, denseBytes }) =>
      worstRelativeError.bound <= (maxRelativeError ?? Number.POSITIVE_INFINITY) &&
      denseBytes <= (maxBytes ?? Number.POSITIVE_INFINITY),
  );
  const best = maxRelativeError === undefined ? fitting.at(-1) : fitting[0];
  if (best === undefined) {
    const goals = [
      ...(maxRelativeError === undefined
        ? []
        : [`a relative error of ${maxRelativeError} (maxRelativeError)`]),
      ...(maxBytes === undefined ? [] : [`${maxBytes} bytes (maxBytes)`]),
    ];
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      `advise: no significantDigits from 0 to 5 keep to ${goals.join(' and ')} up to ${range.highestTrackableValue}`,
    );
  }
  return best;
}

/** The advice for all digits that the range allows, ascending. */
function candidates(range: HdrLayoutOptions): Advice[] {
  const advice = [adviceFor({ ...range, significantDigits: 0 })];
  for (let significantDigits = 1; significantDigits <= MOST_DIGITS; significantDigits++) {
    try {
      advice.push(adviceFor({ ...range, significantDigits }));
    } catch (error) {
      // A large unit leaves no room for many digits.
      if (error instanceof HdrscopeError) break;
      throw error;
    }
  }
  return advice;
}

function adviceFor(range: HdrLayoutOptions): Advice {
  const layout = new HdrLayout(range);
  const { lowestDiscernibleValue = 1, highestTrackableValue } = range;
  const { slotCount, significantDigits, subBucketCount, unitMagnitude } = layout;
  const words = wordsFor(slotCount);
  const unit = 2 ** unitMagnitude;
  return {
    options: { lowestDiscernibleValue, highestTrackableValue, significantDigits },
    slotCount,
    denseBytes: words * WORD_BYTES,
    sharedBytes: SHARED_HEADER_BYTES + 2 * words * WORD_BYTES,
    sparseBytes: mostSparseBytes(slotCount),
    unit,
    unitBelow: subBucketCount * unit,
    worstRelativeError: worstRelativeErrorOf(layout),
  };
}

/** Within a slot the lowest value has the largest error, and within the last bucket the lowest slot. */
function worstRelativeErrorOf(layout: HdrLayout): Advice['worstRelativeError'] {
  const slot = layout.slotCount - layout.subBucketCount / 2;
  const lower = layout.lower(slot);
  return { bound: (layout.upper(slot) - lower) / lower, midpoint: (layout.midpoint(slot) - lower) / lower };
}

function assertGoal(name: string, goal: number | undefined): void {
  if (goal !== undefined && !(typeof goal === 'number' && goal > 0)) {
    throw mustBe('ERR_INVALID_OPTION', name, 'a number above 0', goal);
  }
}
