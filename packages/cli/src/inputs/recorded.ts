import { DoubleHistogram, Histogram } from '@hdrscope/core';
import type { LogHistogram } from '@hdrscope/interval-log';
import { isObject } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { Refusal } from '../command.ts';
import { type NumberOptions, type UnitOfNumbers, unitOfNumbers } from '../numbers/number-plan.ts';
import { parsedJson } from '../numbers/number-texts.ts';
import { NUMBER_UNITS, type NumberUnit, stepOf, ticksPerUnit, unitsPer } from '../numbers/number-unit.ts';
import { decodeEncoded, isEncoded } from './encoded-histogram.ts';
import type { Input } from './open-inputs.ts';
import { wholeText } from './whole-text.ts';

/** What `hdrscope record --format json` and `log convert --format ndjson` have written. */
interface Recorded {
  /** The sum of all histograms. */
  readonly histogram: LogHistogram;
  readonly unit: CountedUnit;
  /** The step of the histogram in the unit: 0.000001 for nanoseconds that are shown in milliseconds. */
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
  const figures = documents.map((document) => figuresOf(document, name));
  const [first] = figures;
  if (first === undefined) throw new Refusal(`${name} has no histograms`);
  const { unit, resolution } = first;
  const other = figures.find((one) => one.unit !== unit || one.resolution !== resolution);
  if (other !== undefined) {
    throw new Refusal(
      `${name} has histograms in ${unit} and in ${other.unit}, or of other resolutions, which cannot be added up`,
    );
  }
  const encoded = figures.map((one) => one.encoded).join('\n');
  return { histogram: await decodeEncoded(encoded, name, () => onBytes?.(0)), unit, resolution };
}

function documentsOf(text: string, name: string): unknown[] {
  const whole = parsedJson(text);
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, at) => {
    const document = parsedJson(line);
    if (document === undefined) throw new Refusal(`${name}: document ${at + 1} is not JSON`);
    return document;
  });
}

function figuresOf(document: unknown, name: string): Omit<Recorded, 'histogram'> & { encoded: string } {
  const { encoded, unit, resolution } = isObject(document) ? document : {};
  const known = NUMBER_UNITS.find((one) => one === unit);
  const isRecorded = typeof resolution === 'number' && resolution > 0;
  if (!isRecorded || known === undefined || typeof encoded !== 'string' || !isEncoded(encoded)) {
    throw new Refusal(`${name} has a document without its histogram: encoded, unit and resolution`);
  }
  return { encoded, unit: known, resolution };
}

/**
 * The histogram with values in the steps of a unit. When the steps differ, all values of a slot are counted at its middle.
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

// Units.

/**
 * The unit of texts of numbers and of recorded figures. What the command line states is for numbers; figures have their unit in
 * the file, and their step.
 *
 * @throws UsageError when a text has no such field or column.
 */
export function unitOfInputs(
  inputs: readonly Input[],
  stated: CountedUnit | undefined,
  numbers: NumberOptions,
): UnitOfNumbers {
  const texts = inputs.filter(({ kind }) => kind === 'numbers');
  const found = unitOfNumbers(texts, stated, numbers);
  if (texts.length > 0) return found;
  const recorded = inputs.filter(({ kind }) => kind === 'recorded').map(({ beginning }) => beginning);
  const unit = recorded.map(unitIn).find((one) => one !== undefined) ?? found.unit;
  const steps = recorded.map((beginning) => stepIn(beginning, unit));
  // Bounded: one for each file of the command line.
  const step = Math.min(...steps);
  return { ...found, unit, ...(step < stepOf(unit) && { step }) };
}

function unitIn(beginning: string): CountedUnit | undefined {
  const [, name] = /"unit"\s*:\s*"(\w+)"/.exec(beginning) ?? [];
  return NUMBER_UNITS.find((unit) => unit === name);
}

/** The step of figures in a unit; `Infinity` when their beginning does not have it. */
function stepIn(beginning: string, unit: CountedUnit): number {
  const [, text] = /"resolution"\s*:\s*([\d.e-]+)/.exec(beginning) ?? [];
  const perUnit = unitsPer(unitIn(beginning) ?? unit, unit);
  const step = perUnit === undefined ? Number.NaN : Number((Number(text) * perUnit).toPrecision(12));
  return step > 0 ? step : Number.POSITIVE_INFINITY;
}
