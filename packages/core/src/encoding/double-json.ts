import type { DenseCounts } from '../counts/dense.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { HdrscopeError, malformed } from '../errors.ts';
import { DoubleRange, smallestDouble } from '../histogram/double-range.ts';
import {
  booleanOf,
  type CountsJson,
  countsOf,
  countsToJson,
  integerOf,
  integerToJson,
  jsonFields,
  type Notes,
  type NotesJson,
  notesOf,
  notesToJson,
  smallIntegerOf,
} from './json-fields.ts';

/**
 * A `DoubleHistogram` as plain data: what `JSON.stringify` writes, and what `structuredClone` copies. It has everything but
 * the storage and the policy for values out of range.
 */
export interface DoubleHistogramJson extends NotesJson {
  /** Marks the class: `fromJSON` of `DoubleHistogram` takes no other text. */
  readonly type: 'double';
  /** Version of this shape. Readers refuse any other number. */
  readonly version: 1;
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. */
  readonly significantDigits: number;
  /** An integer, or, above 2^53 − 1, a string of its digits. */
  readonly highestToLowestValueRatio: number | string;
  /** `log2` of `currentLowestTrackableNonZeroValue`: an integer. */
  readonly lowestExponent: number;
  /** Whether a value beyond the range widens it. */
  readonly autoResize: boolean;
  /** How many octaves the counts moved upwards in the slots, when they moved. */
  readonly movedOctaves?: number;
  /** The used slots and their counts, ascending. */
  readonly counts: CountsJson;
}

/** The parts of a histogram of doubles that JSON describes. */
export interface DecodedDoubleJson extends Notes {
  readonly range: DoubleRange;
  readonly counts: DenseCounts;
}

/** The histogram as plain data. */
export function doubleToJson(range: DoubleRange, counts: ReadonlyCounts, notes: Notes): DoubleHistogramJson {
  return {
    type: 'double',
    version: 1,
    significantDigits: range.significantDigits,
    highestToLowestValueRatio: integerToJson(range.highestToLowestRatio),
    lowestExponent: range.octave,
    autoResize: range.autoResize,
    ...notesToJson(notes),
    ...(range.moved !== 0 && { movedOctaves: range.moved }),
    counts: countsToJson(counts),
  };
}

/**
 * Reads the result of `doubleToJson`, maybe after `JSON.parse`.
 *
 * @throws HdrscopeError `ERR_DECODE` when `json` is anything else; the message names the place and the fault.
 */
export function doubleFromJson(json: unknown): DecodedDoubleJson {
  const fields = jsonFields(json, 'double');
  const significantDigits = smallIntegerOf(fields, 'significantDigits', [0, 5]);
  const highestToLowestRatio = integerOf(fields, 'highestToLowestValueRatio');
  if (highestToLowestRatio < 2n || highestToLowestRatio > 2n ** 62n) {
    throw malformed('json.highestToLowestValueRatio', 'from 2 to 2^62', highestToLowestRatio);
  }
  const octave = smallIntegerOf(fields, 'lowestExponent', [-1022, 1022]);
  const autoResize = booleanOf(fields, 'autoResize');
  const range = new DoubleRange({ significantDigits, highestToLowestRatio, autoResize, octave });
  range.moved = smallIntegerOf(fields, 'movedOctaves', [-2044, 2044], true);
  if (range.low < smallestDouble(range) || range.halfBits + range.octaves > 63) {
    throw new HdrscopeError(
      'ERR_DECODE',
      `the range in json must fit into doubles: ${range.octaves} octaves from 2^${octave} with ${significantDigits} digits`,
    );
  }
  return { range, ...notesOf(fields), counts: countsOf(fields, range.layout.slotCount) };
}
