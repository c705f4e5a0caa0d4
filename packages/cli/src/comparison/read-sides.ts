import {
  hasRequests,
  isSketch,
  measureOf,
  type NumberUnit,
  numberUnit,
  perMs,
  scaleFigures,
  ticksPerUnit,
  type ValueScale,
  valueScaleOf,
} from '@hdrscope/inputs/internal';
import { readRun } from '@hdrscope/interval-log/internal';
import { formatCount } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { type Io, UsageError } from '../command.ts';
import { defineOptions, type OptionsOf } from '../define-command.ts';
import { listForHelp, listReadBy } from '../inputs/forms.ts';
import type { Input } from '../inputs/input.ts';
import { startTalliedReading, type TalliedReading } from '../inputs/line-tally.ts';
import { differentUnits, TIMED_PLACE, type UnitOfNumbers, unitOfInputs } from '../inputs/numbers.ts';
import { openInputs } from '../inputs/open-inputs.ts';
import { textUnitOption } from '../inputs/percentile-input.ts';
import { readValues, type ValueKind, type ValueReading } from '../inputs/read-values.ts';
import { SELECTION, selectionOf } from '../inputs/selection-options.ts';
import { SKETCH_OPTIONS } from '../inputs/sketches.ts';
import { LOG_FORMAT, unitOption } from '../options.ts';
import { type ComparedRun, type ComparedSide, histogramOf, withValues } from './index.ts';

export const RUN_FORMS = `${listForHelp('diff')}. All of them may be gzipped`;

/** Options that say what the values of runs are, and which of them count. */
export const RUN_OPTIONS = defineOptions({
  unit: unitOption('the unit of the values, and of numbers that have none', 'logs: ns; numbers: none'),
  textUnit: textUnitOption(
    'beside a log, the unit of percentile text and numbers',
    'text: ms; numbers: --unit',
  ),
  logFormat: LOG_FORMAT,
  ...TIMED_PLACE,
  ...SELECTION,
  ...SKETCH_OPTIONS,
});

/** What the values of runs are, and which of them count. */
export type RunOptions = OptionsOf<typeof RUN_OPTIONS>;

export interface ReadSides {
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  readonly scale: ValueScale;
  /** The progress and the malformed lines of the reading, which are reported at last. */
  readonly reading: TalliedReading;
}

/**
 * Reads the runs of both sides, each of any form.
 *
 * @param command The command, for messages.
 * @throws Refusal, UsageError, HdrscopeError
 */
export async function readSides(
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
  options: RunOptions,
  command: string,
  io: Io,
): Promise<ReadSides> {
  const { groups, ...facts } = await readGroups([before, after], options, command, io);
  return { before: groups[0]!, after: groups[1]!, ...facts };
}

/**
 * Reads groups of runs, each of any form.
 *
 * @param command The command, for messages.
 * @throws Refusal, UsageError, HdrscopeError
 */
export async function readGroups(
  files: readonly (readonly string[])[],
  options: RunOptions,
  command: string,
  io: Io,
): Promise<{ readonly groups: readonly ComparedSide[] } & Pick<ReadSides, 'scale' | 'reading'>> {
  const { unit, textUnit } = options;
  const taking = {
    takes: KINDS,
    otherwise: 'log',
    selection: selectionOf(options),
    numbers: options,
    logFormat: options.logFormat,
    sketches: { ...options, isSingle: true },
    command,
  } as const;
  const { inputs, progress } = await openInputs<ValueKind>(files.flat(), taking, io);
  const units = diffUnits(inputs, unit, unitOfInputs(inputs, textUnit ?? unit, options));
  const reading = {
    ...{ ...units, ...startTalliedReading(io, progress), textUnit },
    ...{ numberOptions: options, selection: selectionOf(options) },
  };
  const runs = await reading.finishAfter(readRuns(inputs, reading));
  for (const note of unlikeLengths(runs)) await reading.note(note);
  const groups = files.map(({ length }) => runs.splice(0, length));
  return { groups, scale: units.scale, reading };
}

// Requests and sketches become figures.
const KINDS = listReadBy<ValueKind>('diff').filter((form) => !hasRequests(form) && !isSketch(form));

// Runs.

/** One at a time: a side may have many runs. @throws Refusal, UsageError, HdrscopeError */
async function readRuns(inputs: readonly Input<ValueKind>[], reading: ValueReading): Promise<ComparedRun[]> {
  const runs: ComparedRun[] = [];
  for (const input of inputs) runs.push(await readInput(input, reading));
  return runs;
}

async function readInput(input: Input<ValueKind>, reading: ValueReading): Promise<ComparedRun> {
  const { name, kind, source } = input;
  if (kind === 'log') {
    const { selection, onBytes, malformed } = reading;
    const run = await readRun(source, { ...selection, onBytes, onMalformed: malformed.add });
    const values = withValues(run?.values, name);
    const { totalCount, startTimeMs: startMs } = values;
    return { name, values, stretches: run!.stretches, totalCount, startMs };
  }
  const { histogram, text, counted, stretches: timed = [] } = await readValues(input, reading);
  for (const loss of text?.losses ?? []) await reading.note(loss);
  const values = text?.values ?? counted?.bounds ?? withValues(histogram, name, false);
  const { totalCount } = histogramOf({ values });
  const stretches =
    input.stretches?.().map((figures) => scaleFigures(reading.numbers, figures, name)) ?? timed;
  return { name, values, totalCount, stretches };
}

/** A sentence when a run has more than twice as many values as another one. */
function unlikeLengths(runs: readonly ComparedRun[]): string[] {
  const [least, most] = [...runs]
    .sort((a, b) => a.totalCount - b.totalCount)
    .filter((_, at, all) => at === 0 || at === all.length - 1);
  if (least === undefined || most === undefined || most.totalCount <= 2 * least.totalCount) return [];
  return [
    `${most.name} has ${formatCount(most.totalCount)} values and ${least.name} ${formatCount(least.totalCount)}: runs are alike when they are equally long`,
  ];
}

// Units.

/** The units that follow from `--unit`, `--text-unit` and the texts themselves. */
interface DiffUnits {
  readonly scale: ValueScale;
  /** The unit of numbers, counted in steps that suit the other side. */
  readonly numbers: NumberUnit;
  readonly takesBare: boolean;
}

/** Inputs whose values have a unit of their own, or none. Other inputs are in that of `--unit`. */
const WITH_OWN_UNIT: readonly ValueKind[] = ['numbers', 'recorded'];

/**
 * @param stated The unit of `--unit`; `undefined` without it.
 * @param found The unit of numbers and of recorded figures.
 * @throws UsageError when the two sides measure different things.
 */
function diffUnits(
  inputs: readonly Input<ValueKind>[],
  stated: CountedUnit | undefined,
  { unit: numbersIn, takesBare, step: figuresStep }: UnitOfNumbers,
): DiffUnits {
  const others = inputs.filter(({ kind }) => !WITH_OWN_UNIT.includes(kind));
  if (others.length === 0) {
    const numbers = numberUnit(numbersIn, figuresStep);
    return { scale: scaleOf(numbers), numbers, takesBare };
  }
  const unit = stated ?? 'ns';
  const scale = valueScaleOf(unit);
  if (others.length === inputs.length) return { scale, numbers: numberUnit(unit), takesBare };
  assertComparable(inputs, others[0]!, unit, numbersIn);
  // In steps of the log.
  const step = measureOf(unit) === 'time' ? perMs(numbersIn) / scale.divisor : 1;
  return { scale, numbers: numberUnit(numbersIn, step), takesBare };
}

/** The scale of counted numbers. Times are shown in ms. */
function scaleOf(numbers: NumberUnit): ValueScale {
  const { divisor, unit } = valueScaleOf(numbers.unit);
  return { divisor: ticksPerUnit(numbers) * divisor, unit };
}

function assertComparable(
  inputs: readonly Input<ValueKind>[],
  { name: other }: Input<ValueKind>,
  unit: CountedUnit,
  numbersIn: CountedUnit,
): void {
  if (measureOf(unit) === measureOf(numbersIn)) return;
  const { name } = inputs.find(({ kind }) => WITH_OWN_UNIT.includes(kind))!;
  throw new UsageError(differentUnits(name, numbersIn, other, unit));
}
