import { Histogram } from '@hdrscope/core';
import { type NumberPlace, readEncoded, readFigures, readWrkErrors } from '@hdrscope/inputs';
import {
  countedSubject,
  countWithinThresholds,
  ExactTally,
  FINEST_DIGITS,
  hasCounts,
  hasRequests,
  type LoadForm,
  numberUnit,
  readCountsSubjects,
  readRequestSubject,
  readSummarySubject,
  type Subject,
  sumSubjects,
  type TextUnit,
  ticksPerUnit,
  valueScaleOf,
  valueStretches,
} from '@hdrscope/inputs/internal';
import type { Selection } from '@hdrscope/interval-log';
import { readRun, readRunsByTag } from '@hdrscope/interval-log/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { Refusal } from '../../command.ts';
import { bytesOf, explained, type Input, type InputKind } from '../../inputs/input.ts';
import type { TalliedReading } from '../../inputs/line-tally.ts';
import { countInputs, cureOf, unitOfInputs, vanishedText } from '../../inputs/numbers.ts';
import { readPercentileInput } from '../../inputs/percentile-input.ts';
import { describeRecording, explainTagLimit } from '../../inputs/selection-options.ts';
import { boundSketch, findSketchUnit } from '../../inputs/sketches.ts';

export type CheckKind = InputKind | LoadForm;

export interface SubjectReading extends TalliedReading {
  /** The unit of logs and encoded histograms. */
  readonly unit: CountedUnit;
  /** The unit of percentile text and of numbers, if the command line states it. */
  readonly textUnit: TextUnit | undefined;
  /** The unit of numbers that have none, if the command line states it. */
  readonly numbersIn: CountedUnit | undefined;
  readonly numberOptions: NumberPlace;
  readonly selection: Selection;
  /** The metric of k6. */
  readonly metric?: string | undefined;
  /** The format of access logs. */
  readonly logFormat?: string | undefined;
  /** Whether all tags are judged as one. */
  readonly together: boolean;
  /** The thresholds in a unit, whose counts are exact where every value is looked at. */
  readonly thresholdsIn: (unit: CountedUnit) => readonly number[];
}

/**
 * What is judged in an input: each tag of a log, and each other input as a whole.
 *
 * @throws Refusal, UsageError
 */
export async function readSubjects(input: Input<CheckKind>, reading: SubjectReading): Promise<Subject[]> {
  const { kind, name } = input;
  const { unit, selection, onBytes } = reading;
  if (kind === 'log') return readTags(input, reading);
  if (Object.keys(selection).length > 0 && kind !== 'percentiles') {
    const cure = hasRequests(kind) ? `; ${describeRecording(name)}` : '';
    throw new Refusal(
      `${name} is no interval log: --tag, --no-tag, --since and --until select a part of logs only${cure}`,
    );
  }
  if (hasRequests(kind)) {
    const { metric, logFormat, badLines } = reading;
    const options = { name, metric, logFormat, onBadLine: badLines.add };
    const thresholds = reading.thresholdsIn('ms');
    const bytes = bytesOf(input, onBytes);
    return [await explained(() => readRequestSubject(kind, bytes, { ...options, thresholds }))];
  }
  if (hasCounts(kind)) {
    const options = { name, onBadLine: reading.badLines.add };
    return explained(() => readCountsSubjects(kind, bytesOf(input, onBytes), options));
  }
  switch (kind) {
    case 'percentiles':
      return [await readText(input, reading)];
    case 'numbers':
      return [await readNumbers({ ...input, kind }, reading)];
    case 'recorded':
      return [await readRecorded({ ...input, kind }, reading)];
    case 'encoded': {
      const bytes = bytesOf(input, onBytes);
      const histogram = await explained(() => readEncoded(bytes, { name, signal: reading.signal }));
      return [countedSubject(name, { ...valueScaleOf(unit), values: histogram })];
    }
    default:
      return [await readSummary(input, reading)];
  }
}

async function readTags(input: Input<CheckKind>, reading: SubjectReading): Promise<Subject[]> {
  const { name, source } = input;
  const { selection, onBytes, malformed } = reading;
  const scale = valueScaleOf(reading.unit);
  const options = { ...selection, onBytes, onMalformed: malformed.add };
  const nothing = { ...scale, values: new Histogram() };
  if (reading.together) {
    const run = await readRun(source, options);
    return [countedSubject(name, { ...nothing, ...run })];
  }
  const { runs, areUntimed } = await readRunsByTag(source, options).catch(explainTagLimit);
  if (areUntimed) await reading.note(`${name}: ${TOO_MANY_STRETCHES}`);
  const found = runs.map((run) => countedSubject(name, { ...scale, ...run }));
  const hasTags = found.some(({ tag }) => tag !== undefined);
  // A tag that was asked for and is missing must not be taken for kept.
  const missing = [...(selection.tags ?? [])].filter((tag) => !found.some((one) => one.tag === tag));
  for (const tag of new Set(missing)) found.push(countedSubject(name, { ...nothing, tag }));
  if (found.length === 0) return [countedSubject(name, nothing)];
  return found.length === 1 && !hasTags ? found : found.map((one) => ({ ...one, name: tagName(one) }));
}

function tagName({ name, tag }: Subject): string {
  return tag === undefined ? `${name} (no tag)` : `${name} ${tag}`;
}

const TOO_MANY_STRETCHES =
  'the intervals of all tags take too much memory to see how dependent values are: select some with --tag or --no-tag';

async function readText(input: Input<CheckKind>, reading: SubjectReading): Promise<Subject> {
  const { textUnit, selection, onBytes } = reading;
  const { name } = input;
  const unit = valueScaleOf(reading.unit);
  const options = { unit, selection, onBytes, ...(textUnit && { textUnit }) };
  const { text, values, losses } = await readPercentileInput(input, options);
  for (const loss of losses) await reading.note(loss);
  return countedSubject(name, { ...unit, values, errors: readWrkErrors(text) });
}

async function readNumbers(input: Input, reading: SubjectReading): Promise<Subject> {
  const { name } = input;
  const { numbersIn, numberOptions: numbers, onBytes, badLines } = reading;
  const { unit: found, takesBare, step } = unitOfInputs([input], numbersIn, numbers);
  const unit = numberUnit(found, step);
  const { unit: shown, divisor: perShown } = valueScaleOf(found);
  const tally = new ExactTally(reading.thresholdsIn(shown || 'none'), perShown);
  const stretches = valueStretches();
  const { histogram, vanished } = await countInputs([input], {
    unit,
    takesBare,
    numbers,
    significantDigits: FINEST_DIGITS,
    onBadLine: badLines.add,
    onBytes,
    onBare: (value) => tally.add(value),
    onTimed: (ticks, moment) => stretches.at(moment).record(ticks),
  });
  if (vanished > 0) await reading.note(`${name}: ${vanishedText(vanished, unit, 'hdrscope record ')}`);
  // Numbers with units are rounded to nanoseconds or bytes when they are read, so the slots decide.
  const exact = tally.total === histogram.totalCount ? tally.counts : undefined;
  return countedSubject(name, {
    values: histogram,
    unit: shown,
    divisor: ticksPerUnit(unit) * perShown,
    exact,
    stretches: stretches.inOrder(),
  });
}

async function readRecorded(
  input: Input,
  { onBytes, signal, thresholdsIn }: SubjectReading,
): Promise<Subject> {
  const { name, sketch } = input;
  if (sketch !== undefined) {
    const numbers = findSketchUnit(sketch);
    const { unit: shown, divisor } = valueScaleOf(sketch.unit);
    const exact = countWithinThresholds(sketch, thresholdsIn(shown || 'none'), 1 / divisor);
    const perShown = Number((ticksPerUnit(numbers) * divisor).toPrecision(15));
    const { values } = boundSketch(sketch, numbers, name);
    return countedSubject(name, { values, unit: shown, divisor: perShown, exact, hasRanks: true });
  }
  const bytes = bytesOf(input, onBytes);
  const { histogram, unit, resolution } = await explained(() => readFigures(bytes, { name, signal }));
  const { unit: shown, divisor } = valueScaleOf(unit);
  // A resolution is a decimal: 1 / 0.000001 is 1,000,000, and not 999,999.9999999999.
  const perShown = Number((divisor / resolution).toPrecision(15));
  return countedSubject(name, { values: histogram, unit: shown, divisor: perShown });
}

/**
 * What is judged in a summary of a load generator.
 *
 * @throws Refusal
 */
async function readSummary(input: Input<CheckKind>, { metric, onBytes }: SubjectReading): Promise<Subject> {
  const { name } = input;
  const read = explained(() => readSummarySubject(bytesOf(input, onBytes), { name, metric }));
  return read.catch((error: unknown) => {
    const isOther = input.kind === 'json' && error instanceof Refusal;
    const cure = isOther ? cureOf(input, 'hdrscope check') : undefined;
    throw cure === undefined ? error : new Refusal(`${name} is JSON; ${cure}`, { cause: error });
  });
}

/**
 * All subjects as one.
 *
 * @throws Refusal when their values cannot be added up.
 */
export function together(subjects: readonly Subject[]): Subject {
  try {
    return sumSubjects(subjects);
  } catch (error) {
    throw new Refusal(`${(error as Error).message}: leave out --together`, { cause: error });
  }
}
