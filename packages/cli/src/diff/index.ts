import type { CountedUnit } from '@hdrscope/registry';
import { type Command, Option } from 'commander';
import { type Arguments, choiceOption, createParser } from '../arguments.ts';
import { type Io, Refusal } from '../command.ts';
import {
  addComparing,
  type ComparedSide,
  type ComparingOptions,
  differencesOf,
  printDifferences,
  VERDICTS,
} from '../comparison.ts';
import { LineTally } from '../inputs/line-tally.ts';
import { MalformedTally, openInputs } from '../inputs/open-inputs.ts';
import { type TextUnit, textUnitOption } from '../inputs/percentile-input.ts';
import { unitOfInputs } from '../inputs/recorded.ts';
import { addSelection, type SelectingOptions, selectionOf } from '../inputs/selection-options.ts';
import { addNumberOptions, type NumberOptions } from '../numbers/number-plan.ts';
import { NUMBER_UNITS } from '../numbers/number-unit.ts';
import { addFormat, addOutput, formatOf, type OutputOptions, withOutput } from '../output-options.ts';
import { startReading } from '../progress.ts';
import { type DiffKind, diffUnits, readSide } from './sides.ts';

const DESCRIPTION = `Compares two distributions in any of these forms: an interval log, percentile text (.hgrm, its CSV,
wrk2 --latency), encoded histograms in Base64, a text with one number per line, a column of a table, a field
of JSON, the JSON of hdrscope record, or the requests of k6 (--out json, --out csv) and oha (--output-format
csv); all of them plain or gzipped.

${VERDICTS}

Numbers have the unit that is written with them (12ms), else --unit, else none. Beside a log, --text-unit
states the unit of numbers and of percentile text. Numbers are counted as hdrscope record counts them;
compared with a log, in steps of --unit.

Percentile text has values within bounds, and a confidence interval contains the true difference for all
values within the bounds.`;

const KINDS: readonly DiffKind[] = ['log', 'percentiles', 'encoded', 'numbers', 'recorded'];
const FORMATS = ['text', 'json'] as const;

interface Options
  extends ComparingOptions,
    SelectingOptions,
    NumberOptions,
    OutputOptions<(typeof FORMATS)[number]> {
  readonly unit?: CountedUnit;
  readonly textUnit?: TextUnit;
  readonly plot?: boolean;
}

/** The arguments of `hdrscope diff`. */
export function parser(): Command {
  const command = createParser('hdrscope diff', DESCRIPTION, [
    'hdrscope diff before.hlog after.hlog',
    'hdrscope diff --unit us yesterday.txt today.txt --fail-if-worse 5%',
    'hdrscope diff --tag get --from 1m --confidence 0.999 before.hlog after.hlog',
    'cat latencies.txt | hdrscope diff --text-unit ms --percentiles 50,99 reference.hgrm -',
    'hdrscope diff --column duration --unit s before.csv after.csv --json',
  ])
    .argument('<before>', 'a file in any of these forms; - is standard input')
    .argument('<after>', 'another file, in the same form or another');
  addComparing(command)
    .addOption(
      choiceOption(
        '--unit <unit>',
        'the unit of the values, and of numbers that have none',
        NUMBER_UNITS,
      ).default(undefined, 'logs: ns; numbers: none'),
    )
    .addOption(
      textUnitOption('beside a log, the unit of percentile text and numbers', 'text: ms; numbers: --unit'),
    );
  addFormat(addOutput(addNumberOptions(command)), FORMATS)
    .addOption(new Option('--plot', 'draws both curves below the table').default(undefined, 'on a terminal'))
    .option('--no-plot', 'draws no curves');
  return addSelection(command);
}

/** `hdrscope diff` */
export async function run(given: Arguments<Options>, io: Io): Promise<number> {
  return withOutput(given.options.output, io, (out) => compare(given, out));
}

async function compare({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const { unit, textUnit, plot = io.stdout.isTerminal } = options;
  const format = formatOf(options, FORMATS) ?? 'text';
  const taking = { takes: KINDS, otherwise: 'log', numbers: options, command: 'hdrscope diff' } as const;
  const { inputs, totalBytes } = await openInputs<DiffKind>(operands, taking, io);
  const units = diffUnits(inputs, unit, unitOfInputs(inputs, textUnit ?? unit, options));

  const progress = startReading(io, totalBytes);
  const [malformed, badLines] = [new MalformedTally(), new LineTally()];
  const reading = { textUnit, malformed, badLines, numberOptions: options, selection: selectionOf(options) };
  const sides: ComparedSide[] = [];
  const report = async (): Promise<number> => Math.max(await malformed.report(io), await badLines.report(io));
  try {
    for (const input of inputs) {
      sides.push(await readSide(input, { ...units, ...progress, ...reading }));
    }
  } catch (error) {
    progress.finish();
    // Malformed lines may be the reason why there are no values.
    if (error instanceof Refusal) await report();
    throw error;
  }
  progress.finish();
  const [before, after] = sides as [ComparedSide, ComparedSide];
  const verdict = await printDifferences(differencesOf(before, after, units.scale, options), format, io);
  if (plot && format === 'text') {
    const { plotOf } = await import('./plot.ts');
    await io.stdout.write(`\n${plotOf([before, after], units.scale, io)}`);
  }
  return Math.max(verdict, await report());
}
