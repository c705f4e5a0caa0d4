import type { Command } from 'commander';
import { createParser, readArguments } from '../arguments.ts';
import type { Io } from '../command.ts';
import { LineTally } from '../line-tally.ts';
import {
  addComparing,
  type ComparedSide,
  type ComparingOptions,
  printComparison,
  VERDICTS,
} from '../log/comparing.ts';
import { MalformedTally } from '../log/malformed.ts';
import { type TextUnit, textUnitOption } from '../log/percentile-input.ts';
import { unitOption } from '../log/shown-options.ts';
import type { ValueScale } from '../log/values.ts';
import { startProgress } from '../progress.ts';
import { openDiffInputs } from './inputs.ts';
import { readSide } from './sides.ts';
import { diffUnits } from './units.ts';

const DESCRIPTION = `Compares two distributions, whatever each is kept in: an interval log, percentile text (.hgrm, its
CSV, wrk2 --latency), encoded histograms in Base64, or a text with a number in a line.

${VERDICTS}

Numbers are in --text-unit, or else in --unit where that is given, or else in ms. A part of a log
is compared by hdrscope log slice LOG --tag TAG | hdrscope diff - OTHER.`;

interface Options extends ComparingOptions {
  readonly unit: ValueScale;
  readonly textUnit?: TextUnit;
  readonly plot?: boolean;
}

function parser(): Command {
  const command = createParser('hdrscope diff', DESCRIPTION, [
    'hdrscope diff before.hlog after.hlog',
    'hdrscope diff --unit us yesterday.txt today.txt --fail-if-worse 5%',
    'cat latencies.txt | hdrscope diff --percentiles 50,99 reference.hgrm -',
  ])
    .argument('<before>', 'what was; - is standard input')
    .argument('<after>', 'what is');
  return addComparing(command, [50, 90, 99, 99.9])
    .addOption(unitOption())
    .addOption(textUnitOption())
    .option('--json', 'prints JSON')
    .option('--plot', 'draws both curves below (default: on a terminal)')
    .option('--no-plot', 'draws none');
}

/** `hdrscope diff` */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const command = parser();
  const given = await readArguments<Options>(command, args, io);
  if (given === undefined) return 0;
  const { options, operands } = given;
  const { unit, textUnit, json = false, plot = io.stdout.isTerminal } = options;
  const { inputs, totalBytes } = await openDiffInputs(operands, io);
  const isUnitGiven = command.getOptionValueSource('unit') === 'cli';
  const units = diffUnits(inputs, unit, textUnit ?? (isUnitGiven ? unitName(unit) : 'ms'));

  const progress = startProgress(io, totalBytes, true);
  const onBytes = (bytes: number): void => {
    io.signal.throwIfAborted();
    progress.add(bytes);
  };
  const [malformed, badLines] = [new MalformedTally(), new LineTally()];
  const sides: ComparedSide[] = [];
  try {
    for (const input of inputs) {
      sides.push(await readSide(input, { ...units, textUnit, onBytes, malformed, badLines }, io));
    }
  } finally {
    progress.finish();
  }
  const [before, after] = sides as [ComparedSide, ComparedSide];
  const verdict = await printComparison(before, after, units.scale, options, io);
  if (plot && !json) {
    const { plotOf } = await import('./plot.ts');
    await io.stdout.write(`\n${plotOf([before, after], units.scale, io)}`);
  }
  return Math.max(verdict, await malformed.report(io), await badLines.report(io));
}

const NAMES: readonly (readonly [divisor: number, name: TextUnit])[] = [
  [1e6, 'ns'],
  [1e3, 'us'],
  [1, 'ms'],
  [1e-3, 's'],
];

function unitName({ divisor, unit }: ValueScale): TextUnit | 'none' {
  return unit === '' ? 'none' : NAMES.find(([known]) => known === divisor)![1];
}
