import { DoubleHistogram, HdrscopeError, Histogram } from '@hdrscope/core';
import type { LogHistogram } from '@hdrscope/interval-log';
import { isObject } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { Refusal } from '../command.ts';
import { NUMBER_UNITS, type NumberUnit, ticksPerUnit } from '../numbers/number-unit.ts';
import { unitsPer } from '../numbers/quantity.ts';
import type { Input } from './open-inputs.ts';
import { wholeText } from './whole-text.ts';

/** What `hdrscope record --format json` and `log convert --format ndjson` have written. */
export interface Recorded {
  /** The sum of all histograms. */
  readonly histogram: LogHistogram;
  readonly unit: CountedUnit;
  /** The unit's part that one of the histogram is. */
  readonly resolution: number;
}

/**
 * Reads figures with their encoded histograms: a document, or one per line, which are added up.
 *
 * @throws Refusal
 */
export async function readRecorded(input: Input, onBytes?: (bytes: number) => void): Promise<Recorded> {
  const { name } = input;
  const documents = documentsOf(await wholeText(input, 'JSON', onBytes), name);
  const [first, ...others] = documents.map((document) => recordedOf(document, name));
  if (first === undefined) throw new Refusal(`${name} has no histograms`);
  const { histogram, unit, resolution } = first;
  for (const other of others) {
    if (other.unit !== unit || other.resolution !== resolution) {
      throw new Refusal(
        `${name} has histograms in ${unit} and in ${other.unit}, or of other resolutions, which cannot be added up`,
      );
    }
    try {
      if (histogram instanceof DoubleHistogram) histogram.add(other.histogram as DoubleHistogram);
      else histogram.add(other.histogram as Histogram);
    } catch (error) {
      throw refused(name, error);
    }
  }
  return first;
}

function documentsOf(text: string, name: string): unknown[] {
  const whole = parsed(text);
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, at) => {
    const document = parsed(line);
    if (document === undefined) throw new Refusal(`${name}: document ${at + 1} is not JSON`);
    return document;
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function recordedOf(document: unknown, name: string): Recorded {
  const { encoded, unit, resolution } = isObject(document) ? document : {};
  const known = NUMBER_UNITS.find((one) => one === unit);
  const isRecorded = typeof encoded === 'string' && typeof resolution === 'number' && resolution > 0;
  if (!isRecorded || known === undefined) {
    throw new Refusal(`${name} has a document without its histogram: encoded, unit and resolution`);
  }
  try {
    const histogram = encoded.startsWith('D') ? DoubleHistogram.decode(encoded) : Histogram.decode(encoded);
    return { histogram, unit: known, resolution };
  } catch (error) {
    throw refused(name, error);
  }
}

function refused(name: string, error: unknown): unknown {
  if (!(error instanceof HdrscopeError)) return error;
  return new Refusal(`${name}: ${error.message}`, { cause: error });
}

/**
 * The histogram with values in the steps of a unit. Where the steps differ, slots round as recording does.
 *
 * @throws Refusal when the unit measures something else.
 */
export function inStepsOf(
  wanted: NumberUnit,
  { histogram, unit, resolution }: Recorded,
  name: string,
): LogHistogram {
  const perUnit = unitsPer(unit, wanted.unit);
  if (perUnit === undefined) throw new Refusal(`${name} is in ${unit}, and the others in ${wanted.unit}`);
  const factor = Number((resolution * perUnit * ticksPerUnit(wanted)).toPrecision(12));
  if (factor === 1 || histogram instanceof DoubleHistogram) return histogram;
  const scaled = new Histogram({ significantDigits: histogram.layout.significantDigits });
  for (const { valueIteratedTo, countAddedInThisIterationStep } of histogram.recordedValues()) {
    const middle = histogram.medianEquivalentValue(valueIteratedTo);
    scaled.record(Math.round(middle * factor), countAddedInThisIterationStep);
  }
  return scaled;
}
