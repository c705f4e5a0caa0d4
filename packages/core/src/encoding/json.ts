import type { Counted } from '../counted.ts';
import type { DenseCounts } from '../counts/dense.ts';
import { HdrscopeError, malformed } from '../errors.ts';
import { HdrLayout } from '../layout/hdr.ts';
import {
  booleanOf,
  type CountsJson,
  countsOf,
  countsToJson,
  integerOf,
  integerToJson,
  type JsonFields,
  jsonFields,
  type Notes,
  type NotesJson,
  notesOf,
  notesToJson,
  smallIntegerOf,
} from './json-fields.ts';

/**
 * A histogram as plain data: what `JSON.stringify` writes, and what `structuredClone` copies. It has everything but the
 * storage and the policy for values out of range.
 */
export interface HistogramJson extends HdrLayoutJson, NotesJson {
  /** Marks the class: `fromJSON` of `Histogram` takes no other text. */
  readonly type: 'hdr';
  /** Version of this shape. Readers refuse any other number. */
  readonly version: 1;
  /** Whether a value above the range widens it. */
  readonly autoResize: boolean;
  /** How many slots the counts were shifted by, when they were. */
  readonly normalizingOffset?: number;
  /** The used slots and their counts, ascending. */
  readonly counts: CountsJson;
}

/** An `HdrLayout` as plain data. */
export interface HdrLayoutJson {
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. */
  readonly significantDigits: number;
  /** An integer, or, above 2^53 − 1, a string of its digits. */
  readonly lowestDiscernibleValue: number | string;
  /** An integer, or, above 2^53 − 1, a string of its digits. */
  readonly highestTrackableValue: number | string;
}

/** The members of a histogram that JSON has. */
export interface JsonSource extends Counted<HdrLayout>, Notes {
  readonly autoResize: boolean;
}

/** The parts of a histogram that JSON describes. */
export interface DecodedJson extends JsonSource {
  readonly counts: DenseCounts;
  readonly normalizingOffset: number;
}

/** The histogram as plain data. */
export function histogramToJson(source: JsonSource, normalizingOffset: number): HistogramJson {
  return {
    type: 'hdr',
    version: 1,
    ...hdrLayoutToJson(source.layout),
    autoResize: source.autoResize,
    ...notesToJson(source),
    ...(normalizingOffset !== 0 && { normalizingOffset }),
    counts: countsToJson(source.counts),
  };
}

/**
 * Reads the result of `histogramToJson`, maybe after `JSON.parse`.
 *
 * @throws HdrscopeError `ERR_DECODE` when `json` is anything else; the message names the place and the fault.
 */
export function histogramFromJson(json: unknown): DecodedJson {
  const fields = jsonFields(json, 'hdr');
  const autoResize = booleanOf(fields, 'autoResize');
  const layout = hdrLayoutOf(fields);
  return {
    layout,
    autoResize,
    ...notesOf(fields),
    normalizingOffset: smallIntegerOf(fields, 'normalizingOffset', INT32, true),
    counts: countsOf(fields, layout.slotCount),
  };
}

const INT32 = [-(2 ** 31), 2 ** 31 - 1, 'an integer of 32 bits'] as const;

export function hdrLayoutToJson(layout: HdrLayout): HdrLayoutJson {
  return {
    significantDigits: layout.significantDigits,
    lowestDiscernibleValue: integerToJson(layout.lowestDiscernibleBigInt),
    highestTrackableValue: integerToJson(layout.highestTrackableBigInt),
  };
}

/**
 * @throws HdrscopeError `ERR_DECODE` when the members are missing, or no layout has them.
 */
export function hdrLayoutOf(fields: JsonFields): HdrLayout {
  const { significantDigits } = fields;
  if (typeof significantDigits !== 'number') {
    throw malformed('json.significantDigits', 'an integer from 0 to 5', significantDigits);
  }
  const lowestDiscernibleValue = integerOf(fields, 'lowestDiscernibleValue');
  const highestTrackableValue = integerOf(fields, 'highestTrackableValue');
  try {
    return new HdrLayout({ significantDigits, lowestDiscernibleValue, highestTrackableValue });
  } catch (cause) {
    throw new HdrscopeError('ERR_DECODE', `the range in json is impossible: ${(cause as Error).message}`, {
      cause,
    });
  }
}
