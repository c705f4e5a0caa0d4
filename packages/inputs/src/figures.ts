import { DoubleHistogram, HdrscopeError, Histogram } from '@hdrscope/core';
import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import { isObject } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { readText, type TextBytes } from './bytes.ts';
import { decodeEncoded, isEncoded, READ_ENCODED_NAMES, type ReadEncodedOptions } from './encoded.ts';
import { parsedJson } from './numbers/number-texts.ts';
import { NUMBER_UNITS, type NumberUnit, ticksPerUnit, unitsPer } from './numbers/number-unit.ts';

/** A distribution with its unit, as `hdrscope record --format json` and `log convert --format ndjson` have written it. */
export interface RecordedFigures {
  /** The sum of all histograms. */
  readonly histogram: Histogram | DoubleHistogram;
  /** The unit in which the figures are shown. */
  readonly unit: CountedUnit;
  /** The step of the histogram in the unit: 0.000001 for nanoseconds that are shown in milliseconds. */
  readonly resolution: number;
}

/**
 * Reads figures with their encoded histograms: a document of JSON, or one per line, which are added up.
 *
 * @throws HdrscopeError `ERR_DECODE` when a document has no histogram, or a damaged one; `ERR_INCOMPATIBLE` when the histograms have
 *   several units or resolutions; `ERR_TOO_LARGE` when the text has more than 64 MiB; the reason of the signal.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { readFigures } from '@hdrscope/inputs';
 *
 * const encoded = new Histogram().toBase64();
 * const text = JSON.stringify({ unit: 'ms', resolution: 0.001, encoded });
 * const { histogram, unit, resolution } = await readFigures(new TextEncoder().encode(text));
 * [histogram.totalCount, unit, resolution]; //=> [0, 'ms', 0.001]
 * ```
 */
export async function readFigures(
  bytes: TextBytes,
  options: ReadEncodedOptions = {},
): Promise<RecordedFigures> {
  assertOptions(options, READ_FIGURES);
  const { name = 'the text' } = options;
  const documents = documentsOf(await readText(bytes, 'JSON', options), name);
  const figures = documents.map((document) => figuresOf(document, name));
  const [first] = figures;
  if (first === undefined) throw new HdrscopeError('ERR_DECODE', `${name} has no histograms`);
  const { unit, resolution } = first;
  const other = figures.find((one) => one.unit !== unit || one.resolution !== resolution);
  if (other !== undefined) {
    throw new HdrscopeError(
      'ERR_INCOMPATIBLE',
      `${name} has histograms in ${unit} and in ${other.unit}, or of other resolutions, which cannot be added up`,
    );
  }
  const encoded = figures.map((one) => one.encoded).join('\n');
  return { histogram: await decodeEncoded(encoded, options), unit, resolution };
}

function documentsOf(text: string, name: string): unknown[] {
  const whole = parsedJson(text);
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, at) => {
    const document = parsedJson(line);
    if (document === undefined) {
      throw new HdrscopeError('ERR_DECODE', `${name}: document ${at + 1} is not JSON`);
    }
    return document;
  });
}

function figuresOf(
  document: unknown,
  name: string,
): Omit<RecordedFigures, 'histogram'> & { encoded: string } {
  const { encoded, unit, resolution } = isObject(document) ? document : {};
  const known = NUMBER_UNITS.find((one) => one === unit);
  const isRecorded = typeof resolution === 'number' && resolution > 0;
  if (!isRecorded || known === undefined || typeof encoded !== 'string' || !isEncoded(encoded)) {
    throw new HdrscopeError(
      'ERR_DECODE',
      `${name} has a document without its histogram: encoded, unit and resolution`,
    );
  }
  return { encoded, unit: known, resolution };
}

/**
 * Makes the histogram of figures with values in the steps of a unit. When the steps differ, all values of a slot are counted at its middle.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when the unit measures something else.
 */
export function scaleFigures(
  wanted: NumberUnit,
  { histogram, unit, resolution }: RecordedFigures,
  name: string,
): Histogram | DoubleHistogram {
  const perUnit = unitsPer(unit, wanted.unit);
  if (perUnit === undefined) {
    throw new HdrscopeError('ERR_INCOMPATIBLE', `${name} is in ${unit}, and the others in ${wanted.unit}`);
  }
  const factor = Number((resolution * perUnit * ticksPerUnit(wanted)).toPrecision(12));
  if (factor === 1) return histogram;
  const isOfDoubles = histogram instanceof DoubleHistogram;
  const scaled = isOfDoubles
    ? new DoubleHistogram({ significantDigits: histogram.significantDigits })
    : new Histogram({ significantDigits: histogram.layout.significantDigits });
  for (const { valueIteratedTo, countAddedInThisIterationStep } of histogram.recordedValues()) {
    const value = histogram.medianEquivalentValue(valueIteratedTo) * factor;
    scaled.record(isOfDoubles ? value : Math.round(value), countAddedInThisIterationStep);
  }
  return scaled;
}

// The beginning of figures.

/** Finds the unit of figures in their beginning; `undefined` when it is not there. */
export function figuresUnit(beginning: string): CountedUnit | undefined {
  const [, name] = /"unit"\s*:\s*"(\w+)"/.exec(beginning) ?? [];
  return NUMBER_UNITS.find((unit) => unit === name);
}

/** Finds the step of figures in their beginning, in a unit; `Infinity` when it is not there. */
export function figuresStep(beginning: string, unit: CountedUnit): number {
  const [, text] = /"resolution"\s*:\s*([\d.e-]+)/.exec(beginning) ?? [];
  const perUnit = unitsPer(figuresUnit(beginning) ?? unit, unit);
  const step = perUnit === undefined ? Number.NaN : Number((Number(text) * perUnit).toPrecision(12));
  return step > 0 ? step : Number.POSITIVE_INFINITY;
}

const READ_FIGURES: OptionsOwner<ReadEncodedOptions> = {
  name: 'readFigures',
  names: READ_ENCODED_NAMES,
  call: "readFigures(bytes, { name: 'figures.json' })",
};
