import { type Command, Option } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { type Io, Refusal } from '../command.ts';
import {
  addComparing,
  type ComparedSide,
  type ComparingOptions,
  printComparison,
  VERDICTS,
} from '../comparison/comparison-input.ts';
import { LineTally } from '../inputs/line-tally.ts';
import { MalformedTally } from '../inputs/malformed-tally.ts';
import { openInputs } from '../inputs/open-inputs.ts';
import { type TextUnit, textUnitOption } from '../inputs/percentile-input.ts';
import { perMs, TIME_UNITS } from '../numbers/number-unit.ts';
import { startReading } from '../progress.ts';
import { unitOption } from '../shared-options.ts';
import { type ValueScale, type ValueUnit, valueScaleOf } from '../value-scale.ts';
import { readSide } from './sides.ts';
import { type DiffKind, diffUnits } from './units.ts';

const DESCRIPTION = `Compares two distributions in any of these forms: an interval log, percentile text (.hgrm, its CSV,
wrk2 --latency), encoded histograms in Base64, or a text with one number per line; all of them plain
or gzipped.

${VERDICTS}

Numbers are in --text-unit, else in --unit if that is given, else in ms. They are counted as hdrscope
record counts them; compared with another form, in steps of --unit.

Compare a part of a log with hdrscope log slice LOG --tag TAG | hdrscope diff - OTHER.`;

const KINDS: readonly DiffKind[] = ['log', 'percentiles', 'encoded', 'numbers'];

interface Options extends ComparingOptions {
  readonly unit?: ValueScale;
  readonly textUnit?: TextUnit;
  readonly plot?: boolean;
}

/** The arguments of `hdrscope diff`. */
export function parser(): Command {
  const command = createParser('hdrscope diff', DESCRIPTION, [
    'hdrscope diff before.hlog after.hlog',
    'hdrscope diff --unit us yesterday.txt today.txt --fail-if-worse 5%',
    'cat latencies.txt | hdrscope diff --percentiles 50,99 reference.hgrm -',
    'hdrscope diff --json before.hlog after.txt.gz',
  ])
    .argument('<before>', 'a file in any of these forms; - is standard input')
    .argument('<after>', 'another file, in the same form or another');
  return addComparing(command, [50, 90, 99, 99.9])
    .addOption(unitOption().default(undefined, 'ns'))
    .addOption(
      textUnitOption('the unit of percentile text and numbers', 'text: ms; numbers: --unit, else ms'),
    )
    .option('--json', 'prints JSON')
    .addOption(new Option('--plot', 'draws both curves below the table').default(undefined, 'on a terminal'))
    .option('--no-plot', 'draws no curves');
}

/** `hdrscope diff` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const { unit, textUnit, json = false, plot = io.stdout.isTerminal } = options;
  const { inputs, totalBytes } = await openInputs(operands, { takes: KINDS, otherwise: 'log' }, io);
  const numbersIn = textUnit ?? (unit === undefined ? 'ms' : unitName(unit));
  const units = diffUnits(inputs, unit ?? valueScaleOf('ns'), numbersIn);

  const progress = startReading(io, totalBytes);
  const [malformed, badLines] = [new MalformedTally(), new LineTally()];
  const sides: ComparedSide[] = [];
  const report = async (): Promise<number> => Math.max(await malformed.report(io), await badLines.report(io));
  try {
    for (const input of inputs) {
      sides.push(await readSide(input, { ...units, ...progress, textUnit, malformed, badLines }));
    }
  } catch (error) {
    progress.finish();
    // Malformed lines may be the reason why there are no values.
    if (error instanceof Refusal) await report();
    throw error;
  }
  progress.finish();
  const [before, after] = sides as [ComparedSide, ComparedSide];
  const verdict = await printComparison(before, after, units.scale, options, io);
  if (plot && !json) {
    const { plotOf } = await import('./plot.ts');
    await io.stdout.write(`\n${plotOf([before, after], units.scale, io)}`);
  }
  return Math.max(verdict, await report());
}

function unitName({ divisor, unit }: ValueScale): ValueUnit {
  return unit === '' ? 'none' : TIME_UNITS.find((one) => perMs(one) === divisor)!;
}
