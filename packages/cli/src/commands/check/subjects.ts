import { Histogram } from '@hdrscope/core';
import { type StretchCount, Stretches } from '@hdrscope/core/internal';
import {
  type ErrorCount,
  type NumberPlace,
  type RequestForm,
  type RequestSink,
  readEncoded,
  readFigures,
  readLoadSummary,
  readRequests,
  readWrkErrors,
} from '@hdrscope/inputs';
import {
  CountedEvidence,
  type Evidence,
  ExactTally,
  FINEST_DIGITS,
  hasRequests,
  type LoadForm,
  numberUnit,
  PrintedEvidence,
  requestFacts,
  ticksPerUnit,
} from '@hdrscope/inputs/internal';
import type { LogHistogram, Selection } from '@hdrscope/interval-log';
import { readRun, readRunsByTag } from '@hdrscope/interval-log/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { Refusal } from '../../command.ts';
import { bytesOf, explained, type Input, type InputKind } from '../../inputs/input.ts';
import type { TalliedReading } from '../../inputs/line-tally.ts';
import { countInputs, cureOf, unitOfInputs, vanishedText } from '../../inputs/numbers.ts';
import { STRETCH_SEC, valueStretches } from '../../inputs/open-inputs.ts';
import { readPercentileInput, type TextUnit } from '../../inputs/percentile-input.ts';
import { explainTagLimit } from '../../inputs/selection-options.ts';
import { valueScaleOf } from '../../value-scale.ts';

/** Something that is judged: an input, a tag of a log, or all of them together. */
export interface Subject {
  /** Its name in tables and reports. */
  readonly name: string;
  /** The tag of a log; `undefined` for intervals without one, and for other inputs. */
  readonly tag?: string | undefined;
  /** The unit of the evidence: `ms` for times. */
  readonly unit: CountedUnit;
  /** A sentence with the cause and the cure when the input has no evidence that can be judged. */
  readonly evidence: Evidence | string;
  /** The requests that failed; a sentence with the cause and the cure when the input does not state them. */
  readonly errors: ErrorCount | string;
  /** The outcomes of requests by stretches of time, in their order. @default their times are not known */
  readonly outcomes?: readonly StretchCount[] | undefined;
  /** Facts about the values that a reader of the verdict should know. */
  readonly notes: readonly string[];
}

/** The kinds of input that can be checked. */
export type CheckKind = InputKind | LoadForm;

/** Options for reading inputs. */
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
    throw new Refusal(
      `${name} is no interval log: --tag, --no-tag, --from and --to select a part of logs only`,
    );
  }
  if (hasRequests(kind)) return [await countRequests({ ...input, kind }, reading)];
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
      return [countedSubject(name, histogram, unit)];
    }
    default:
      return [await readSummary(input, reading)];
  }
}

async function readTags(input: Input<CheckKind>, reading: SubjectReading): Promise<Subject[]> {
  const { name, source } = input;
  const { unit, selection, onBytes, malformed } = reading;
  const options = { ...selection, onBytes, onMalformed: malformed.add };
  if (reading.together) {
    const run = await readRun(source, options);
    return [countedSubject(name, run?.values ?? new Histogram(), unit, { stretches: run?.stretches })];
  }
  const { runs, areUntimed } = await readRunsByTag(source, options).catch(explainTagLimit);
  if (areUntimed) await reading.note(`${name}: ${TOO_MANY_STRETCHES}`);
  const found = runs.map(({ values, ...run }) => countedSubject(name, values, unit, run));
  const hasTags = found.some(({ tag }) => tag !== undefined);
  // A tag that was asked for and is missing must not be taken for kept.
  const missing = [...(selection.tags ?? [])].filter((tag) => !found.some((one) => one.tag === tag));
  for (const tag of new Set(missing)) found.push(countedSubject(name, new Histogram(), unit, { tag }));
  if (found.length === 0) return [countedSubject(name, new Histogram(), unit)];
  return found.length === 1 && !hasTags ? found : found.map((one) => ({ ...one, name: tagName(one) }));
}

function tagName({ name, tag }: Subject): string {
  return tag === undefined ? `${name} (no tag)` : `${name} ${tag}`;
}

const TOO_MANY_STRETCHES =
  'the intervals of all tags take too much memory to see how dependent values are: select some with --tag or --no-tag';

const NO_ERRORS =
  'the input does not state how many requests failed: the outputs of autocannon, JMeter, k6, oha (--output-format json), vegeta and wrk2 do';

function countedSubject(
  name: string,
  values: LogHistogram,
  unit: CountedUnit,
  { tag, stretches }: { tag?: string | undefined; stretches?: readonly LogHistogram[] | undefined } = {},
): Subject {
  const { unit: shown, divisor } = valueScaleOf(unit);
  const evidence = new CountedEvidence({ values, divisor, stretches });
  return { name, tag, unit: shown || 'none', evidence, errors: NO_ERRORS, notes: [] };
}

async function readText(input: Input<CheckKind>, reading: SubjectReading): Promise<Subject> {
  const { textUnit, selection, onBytes } = reading;
  const { name } = input;
  const unit = valueScaleOf(reading.unit);
  const options = { unit, selection, onBytes, ...(textUnit && { textUnit }) };
  const { text, values, losses } = await readPercentileInput(input, options);
  for (const loss of losses) await reading.note(loss);
  const evidence = new CountedEvidence({ values, divisor: unit.divisor });
  return { name, unit: unit.unit || 'none', evidence, errors: readWrkErrors(text) ?? NO_ERRORS, notes: [] };
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
  const evidence = new CountedEvidence({
    values: histogram,
    divisor: ticksPerUnit(unit) * perShown,
    exact,
    stretches: stretches.inOrder(),
  });
  return { name, unit: shown || 'none', evidence, errors: NO_ERRORS, notes: [] };
}

async function readRecorded(input: Input, { onBytes, signal }: SubjectReading): Promise<Subject> {
  const { name } = input;
  const bytes = bytesOf(input, onBytes);
  const { histogram, unit, resolution } = await explained(() => readFigures(bytes, { name, signal }));
  const { unit: shown, divisor } = valueScaleOf(unit);
  // A resolution is a decimal: 1 / 0.000001 is 1,000,000, and not 999,999.9999999999.
  const perShown = Number((divisor / resolution).toPrecision(15));
  const evidence = new CountedEvidence({ values: histogram, divisor: perShown });
  return { name, unit: shown || 'none', evidence, errors: NO_ERRORS, notes: [] };
}

// Load generators.

/**
 * What is judged in the requests of a load generator.
 *
 * @throws Refusal
 */
async function countRequests(
  input: Input<RequestForm>,
  { metric, thresholdsIn, onBytes, badLines }: SubjectReading,
): Promise<Subject> {
  const { name, kind } = input;
  const { tool, failure: meaning = '', unstated, errorMs = 0 } = requestFacts(kind);
  const newHistogram = (): Histogram => new Histogram({ significantDigits: FINEST_DIGITS });
  const histogram = newHistogram();
  const [lowest, highest] = errorMs === 0 ? [histogram, histogram] : [newHistogram(), newHistogram()];
  const tally = new ExactTally(thresholdsIn('ms'));
  const stretches = valueStretches();
  const outcomes = new Stretches<{ count: number; within: number }>(STRETCH_SEC, {
    create: () => ({ count: 0, within: 0 }),
    merge(into, from) {
      into.count += from.count;
      into.within += from.within;
    },
  });
  let [failed, requests] = [0, 0];
  const sink: RequestSink = {
    onRequest: (durationMs, atSec) => {
      const ticks = Math.round(durationMs * 1e6);
      histogram.record(ticks);
      stretches.at(atSec).record(ticks);
      if (errorMs === 0) {
        tally.add(durationMs);
        return;
      }
      lowest.record(Math.max(0, Math.round((durationMs - errorMs) * 1e6)));
      highest.record(Math.round((durationMs + errorMs) * 1e6));
    },
    onOutcome: (isFailed, atSec) => {
      requests++;
      const stretch = outcomes.at(atSec);
      stretch.count++;
      if (isFailed) failed++;
      else stretch.within++;
    },
  };
  const options = { name, metric, onBadLine: badLines.add };
  await explained(() => readRequests(kind, bytesOf(input, onBytes), sink, options));
  const errors: ErrorCount | string = requests > 0 ? { failed, requests, meaning } : unstated;
  // A duration that was rounded is on either side of a threshold that is near.
  const known = { divisor: 1e6, stretches: stretches.inOrder() };
  const evidence =
    errorMs === 0
      ? new CountedEvidence({ ...known, values: histogram, exact: tally.counts })
      : new CountedEvidence({ ...known, values: { histogram, lowest, highest }, hasRanks: true });
  const rounded = `durations of ${tool} may be ${errorMs} ms off, so their percentiles have bounds`;
  const notes = [...(errorMs === 0 ? [] : [rounded]), ...failedNotes(errors)];
  return { name, unit: 'ms', evidence, errors, outcomes: outcomes.inOrder(), notes };
}

/**
 * What is judged in a summary of a load generator.
 *
 * @throws Refusal
 */
async function readSummary(input: Input<CheckKind>, { metric, onBytes }: SubjectReading): Promise<Subject> {
  const { name } = input;
  const read = explained(() => readLoadSummary(bytesOf(input, onBytes), { name, metric }));
  const summary = await read.catch((error: unknown) => {
    const isOther = input.kind === 'json' && error instanceof Refusal;
    const cure = isOther ? cureOf(input, 'hdrscope check') : undefined;
    throw cure === undefined ? error : new Refusal(`${name} is JSON; ${cure}`, { cause: error });
  });
  const { count, notes, tool, cure } = summary;
  const errors =
    summary.errors ?? 'the summary has no http_req_failed, which k6 has for HTTP requests since version 0.31';
  const evidence =
    count === undefined
      ? `the summary of ${tool} does not state how many values it has: ${cure}`
      : new PrintedEvidence(summary, count);
  return { name, unit: 'ms', evidence, errors, notes: [...notes, ...failedNotes(errors)] };
}

/** A server that refuses everything at once has the best durations. */
function failedNotes(errors: ErrorCount | string): string[] {
  if (typeof errors === 'string' || errors.failed === 0) return [];
  return [`failed are ${errors.meaning}; requests that fail fast make percentiles look better`];
}

// All inputs as one.

/**
 * All subjects as one.
 *
 * @throws Refusal when their values cannot be added up.
 */
export function together(subjects: readonly Subject[]): Subject {
  const [first, ...others] = subjects;
  if (first !== undefined && others.length === 0) return first;
  const counted: CountedEvidence[] = [];
  for (const { evidence, name } of subjects) {
    if (evidence instanceof CountedEvidence) counted.push(evidence);
    else
      throw new Refusal(
        `${name} has percentiles of one run, and those of several cannot be added up: leave out --together`,
      );
  }
  const evidence = CountedEvidence.sum(counted);
  if (first === undefined || evidence === undefined || others.some(({ unit }) => unit !== first.unit)) {
    throw new Refusal(
      'values of different units, or integers and doubles, cannot be added up: leave out --together',
    );
  }
  const names = [...new Set(subjects.map(({ name }) => name))];
  const name =
    names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
  const notes = [...new Set(subjects.flatMap((one) => one.notes))];
  const outcomes = subjects.some((one) => one.outcomes === undefined)
    ? undefined
    : subjects.flatMap((one) => one.outcomes!);
  return { name, unit: first.unit, evidence, errors: sumOfErrors(subjects), outcomes, notes };
}

function sumOfErrors(subjects: readonly Subject[]): ErrorCount | string {
  let sum: ErrorCount | undefined;
  for (const { errors, name } of subjects) {
    if (typeof errors === 'string') return `${name}: ${errors}`;
    const { failed = 0, requests = 0 } = sum ?? {};
    sum = { ...errors, failed: failed + errors.failed, requests: requests + errors.requests };
  }
  return sum!;
}
