import {
  hasRequests,
  isSketch,
  scaleFigures,
  ticksPerUnit,
  type ValueScale,
  valueScaleOf,
} from '@hdrscope/inputs/internal';
import { readRun } from '@hdrscope/interval-log/internal';
import { formatCount } from '@hdrscope/kit';
import type { Io } from '../command.ts';
import { defineOptions, type OptionsOf } from '../define-command.ts';
import { listForHelp, listReadBy } from '../inputs/forms.ts';
import type { Input } from '../inputs/input.ts';
import { startTalliedReading, type TalliedReading } from '../inputs/line-tally.ts';
import { hasOwnUnit, shareUnits, TIMED_PLACE } from '../inputs/numbers.ts';
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
  const haveOwn = inputs.every(hasOwnUnit);
  const units = shareUnits(inputs, {
    ...{ unit: haveOwn ? undefined : unit, numbersIn: textUnit ?? unit },
    ...{ place: options, isCompared: true },
  });
  const { divisor, unit: shown } = valueScaleOf(units.unit);
  const scale = { divisor: haveOwn ? ticksPerUnit(units.numbers) * divisor : divisor, unit: shown };
  const reading = {
    ...{ ...units, ...startTalliedReading(io, progress), scale, textUnit },
    ...{ numberOptions: options, selection: selectionOf(options) },
  };
  const runs = await reading.finishAfter(readRuns(inputs, reading));
  for (const note of unlikeLengths(runs)) await reading.note(note);
  const groups = files.map(({ length }) => runs.splice(0, length));
  return { groups, scale, reading };
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
