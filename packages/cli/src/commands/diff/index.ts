import {
  measureOf,
  type NumberUnit,
  numberUnit,
  perMs,
  scaleFigures,
  ticksPerUnit,
} from '@hdrscope/inputs/internal';
import { readRun } from '@hdrscope/interval-log/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { ExitCode, UsageError } from '../../command.ts';
import { COMPARING, type ComparedRun, differencesOf, VERDICTS, withValues } from '../../comparison/index.ts';
import { printDifferences } from '../../comparison/report.ts';
import { defineCommand } from '../../define-command.ts';
import { formatCount } from '../../format.ts';
import type { Input } from '../../inputs/input.ts';
import { startTalliedReading } from '../../inputs/line-tally.ts';
import { differentUnits, NUMBER_PLACE, type UnitOfNumbers, unitOfInputs } from '../../inputs/numbers.ts';
import { openInputs } from '../../inputs/open-inputs.ts';
import { textUnitOption } from '../../inputs/percentile-input.ts';
import { readValues, type ValueKind, type ValueReading } from '../../inputs/read-values.ts';
import { SELECTION, selectionOf } from '../../inputs/selection-options.ts';
import { unitOption } from '../../options.ts';
import { type ValueScale, valueScaleOf } from '../../value-scale.ts';
import { filesOfSides } from './sides.ts';

const DESCRIPTION = `Compares percentiles of two programs, or of one before and after a change. A run is a file in any of these forms: an
interval log, percentile text (.hgrm, its CSV, wrk2 --latency), encoded histograms in Base64, a text with one number per line, a column of
a table, a field of JSON, the JSON of hdrscope record, or the requests of k6 (--out json, --out csv) and oha (--output-format csv); all of
them plain or gzipped.

${VERDICTS}

Numbers have the unit that is written with them (12ms), else --unit, else none. Beside a log, --text-unit
states the unit of numbers and of percentile text. Numbers are counted as hdrscope record counts them;
compared with a log, in steps of --unit.

Percentile text has values within bounds, and a confidence interval contains the true difference for all
values within the bounds.`;

const KINDS: readonly ValueKind[] = ['log', 'percentiles', 'encoded', 'numbers', 'recorded'];
/** `hdrscope diff` */
export const command = defineCommand({
  path: 'hdrscope diff',
  description: DESCRIPTION,
  examples: [
    'hdrscope diff before.hlog after.hlog',
    'hdrscope diff --before main/*.hlog --after pr/*.hlog --fail-if-worse 5%',
    'hdrscope diff --unit us yesterday.txt today.txt --percentiles 50,99',
    'cat latencies.txt | hdrscope diff --text-unit ms --percentiles 50,99 reference.hgrm -',
    'hdrscope diff --column duration --unit s before.csv after.csv --json',
  ],
  operands: {
    '[file...]': 'one run before and one after; - is standard input',
  },
  options: {
    before: {
      value: '<file...>',
      help: 'the runs of one side: files, or folders of them',
      isRepeated: true,
      fallback: 'the first file',
    },
    after: {
      value: '<file...>',
      help: 'the runs of the other side',
      isRepeated: true,
      fallback: 'the second file',
    },
    ...COMPARING,
    unit: unitOption('the unit of the values, and of numbers that have none', 'logs: ns; numbers: none'),
    textUnit: textUnitOption(
      'beside a log, the unit of percentile text and numbers',
      'text: ms; numbers: --unit',
    ),
    ...NUMBER_PLACE,
    plot: { help: 'draws both curves below the table', fallback: 'on a terminal' },
    noPlot: { help: 'draws no curves' },
    ...SELECTION,
  },
  formats: ['text', 'json'],
  output: 'when done',
  async run({ options, operands, format }, io) {
    const { unit, textUnit, plot = io.stdout.isTerminal } = options;
    const files = await filesOfSides(operands, options);
    const taking = { takes: KINDS, otherwise: 'log', numbers: options, command: 'hdrscope diff' } as const;
    const { inputs, totalBytes } = await openInputs<ValueKind>([...files.before, ...files.after], taking, io);
    const units = diffUnits(inputs, unit, unitOfInputs(inputs, textUnit ?? unit, options));

    const reading = {
      ...{ ...units, ...startTalliedReading(io, totalBytes), textUnit },
      ...{ numberOptions: options, selection: selectionOf(options) },
    };
    const runs = await reading.finishAfter(readRuns(inputs, reading));
    const [before, after] = [runs.slice(0, files.before.length), runs.slice(files.before.length)];
    for (const note of unlikeLengths(runs)) await reading.note(note);
    const differences = differencesOf(before, after, units.scale, options);
    const verdict = await printDifferences(differences, format, io);
    if (plot && format === 'text') {
      const { plotOf } = await import('./plot.ts');
      await io.stdout.write(`\n${plotOf([before, after], units.scale, io)}`);
    }
    const left = await reading.report();
    // What was left out could change any verdict.
    return left === ExitCode.done ? verdict : left;
  },
});

// Runs.

/** One at a time: a side may have many runs. @throws Refusal, UsageError, HdrscopeError */
async function readRuns(inputs: readonly Input<ValueKind>[], reading: ValueReading): Promise<ComparedRun[]> {
  const runs: ComparedRun[] = [];
  for (const input of inputs) runs.push(await readRunOf(input, reading));
  return runs;
}

async function readRunOf(input: Input<ValueKind>, reading: ValueReading): Promise<ComparedRun> {
  const { name, kind, source } = input;
  if (kind === 'log') {
    const { selection, onBytes, malformed } = reading;
    const run = await readRun(source, { ...selection, onBytes, onMalformed: malformed.add });
    const values = withValues(run?.values, name);
    return { name, values, stretches: run!.stretches, totalCount: values.totalCount };
  }
  const { histogram, text } = await readValues(input, reading);
  for (const loss of text?.losses ?? []) await reading.note(loss);
  const values = text?.values ?? withValues(histogram, name, false);
  const totalCount = 'totalCount' in values ? values.totalCount : values.histogram.totalCount;
  const stretches = input.stretches?.().map((figures) => scaleFigures(reading.numbers, figures, name));
  return { name, values, totalCount, ...(stretches && { stretches }) };
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
  /** The scale of the comparison. */
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
