import { type Bounded, compareHistograms, type LogHistogram, sumLogs } from '@hdrscope/interval-log';
import { Option } from 'commander';
import { createParser, isDecimal, parsePercentileList, readArguments, wrongOption } from '../arguments.ts';
import { ExitCode, type Io, Refusal } from '../command.ts';
import { comparisonJson, formatComparison } from './comparison-text.ts';
import { openLogs } from './input.ts';
import { MalformedTally } from './malformed.ts';
import { type TextUnit, textUnitOption } from './percentile-input.ts';
import { nameOfPath } from './recognised.ts';
import { addSelection, type SelectingOptions } from './selecting.ts';
import { unitOption } from './shown-options.ts';
import type { ValueScale } from './values.ts';

const DESCRIPTION = `Compares percentiles before and after a change, and says whether a difference is real.

Each difference has a confidence interval, which contains the true one with --confidence. What is
said of a percentile:

  too few values       one of the logs has not enough of them to know the percentile so surely
  worse beyond doubt   the whole interval is above what --fail-if-worse tolerates
  worse                the difference is above that, and the whole interval above 0
  within tolerance     the whole interval is above 0, the difference not above what is tolerated
  better               the whole interval is below 0
  no difference shown  the interval contains 0, which does not mean that there is none

With --fail-if-worse the exit code is 1 when a percentile is worse, beyond doubt or not. Values are
taken to be independent; those of a service that stalls are not, so compare long runs, or several.

Percentile text (.hgrm, its CSV, wrk2 --latency) is compared as well: its values are known within
bounds, and an interval contains the true difference wherever in them they are.`;

interface Options extends SelectingOptions {
  readonly percentiles: readonly number[];
  readonly percentile?: readonly number[];
  readonly failIfWorse?: number;
  readonly confidence: number;
  readonly unit: ValueScale;
  readonly textUnit?: TextUnit;
  readonly json?: boolean;
}

/** `hdrscope log compare` */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const parser = createParser('hdrscope log compare', DESCRIPTION, [
    'hdrscope log compare before.hlog after.hlog',
    'hdrscope log compare --percentiles 50,99,99.9 --fail-if-worse 5% before.hlog after.hlog',
    'hdrscope log compare before.hgrm after.hlog',
    'hdrscope log compare --tag get --from 1m --confidence 0.999 --json before.hlog after.hlog',
  ])
    .argument('<before>', 'a log, or percentile text; - is standard input')
    .argument('<after>', 'another')
    .addOption(
      new Option('--percentiles <list>', 'which percentiles')
        .argParser((text) => parsePercentileList(text, '--percentiles'))
        .default([99], '99'),
    )
    .addOption(
      new Option('--percentile <list>', 'the same')
        .argParser((text) => parsePercentileList(text, '--percentile'))
        .hideHelp(),
    )
    .option(
      '--fail-if-worse <part>',
      'how much a percentile may grow, as in 5%; if one is worse, the exit code is 1',
      parseTolerance,
    )
    .option('--confidence <part>', 'how sure a difference has to be', parseConfidence, 0.99)
    .addOption(unitOption())
    .addOption(textUnitOption())
    .option('--json', 'prints JSON');
  const selectionOf = addSelection(parser);
  const given = await readArguments<Options>(parser, args, io);
  if (given === undefined) return 0;
  const { options, operands } = given;

  const selection = selectionOf(options);
  const { sources, texts, onBytes, finish } = await openLogs(operands, io, true, { ...options, selection });
  const malformed = new MalformedTally();
  const reading = { ...selection, onBytes, onMalformed: malformed.add };
  const sums: LogHistogram[] = [];
  try {
    for (const [at, source] of sources.entries()) {
      sums.push(withValues(await sumLogs([source], reading), nameOfPath(operands[at]!)));
    }
  } finally {
    finish();
  }
  const [before, after] = sums.map((sum, at) => texts[at] ?? sum) as [
    LogHistogram | Bounded,
    LogHistogram | Bounded,
  ];
  const { confidence, failIfWorse: tolerance = 0, unit } = options;
  const percentiles = options.percentile ?? options.percentiles;
  const comparison = compareHistograms(before, after, { percentiles, confidence, tolerance });
  const shown = {
    comparison,
    names: operands.map(nameOfPath),
    totals: sums.map(({ totalCount }) => totalCount),
    confidence,
    tolerance,
    unit,
  };
  await io.stdout.write(options.json ? comparisonJson(shown) : formatComparison(shown, io));
  const refused = await malformed.report(io);
  return comparison.isWorse && options.failIfWorse !== undefined ? ExitCode.refused : refused;
}

function withValues(sum: LogHistogram | undefined, name: string): LogHistogram {
  if (sum === undefined || sum.totalCount === 0) {
    throw new Refusal(`${name} has no values to compare: hdrscope log summary shows what it has`);
  }
  return sum;
}

function parseTolerance(text: string): number {
  const [, number = ''] = /^(.*?)%$/.exec(text) ?? [];
  if (!isDecimal(number)) throw wrongOption('--fail-if-worse', 'a percentage of at least 0, as in 5%', text);
  return Number(number) / 100;
}

function parseConfidence(text: string): number {
  const confidence = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (confidence > 0 && confidence < 1) return confidence;
  throw wrongOption('--confidence', 'above 0 and below 1, as in 0.99 or 99%', text);
}
