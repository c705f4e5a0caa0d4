import { compareHistograms, type LogHistogram } from '@hdrscope/interval-log';
import { type Command, Option } from 'commander';
import { isDecimal, wrongOption } from '../arguments.ts';
import { ExitCode, type Io, Refusal } from '../command.ts';
import { percentilesOption } from '../shared-options.ts';
import type { ValueScale } from '../value-scale.ts';
import type { ComparedSide } from './compared-side.ts';
import { comparisonJson, formatComparison, type ShownComparison } from './comparison-text.ts';

/** Options of a comparison: which percentiles, and when the result is worse. */
export interface ComparingOptions {
  readonly percentiles: readonly number[];
  readonly failIfWorse?: number;
  readonly confidence: number;
}

/** Explains the verdict of a percentile, for the help. */
export const VERDICTS = `Each difference has a confidence interval, which contains the true difference with --confidence. The verdicts
of a percentile:

  too few values       one of the two has too few values to know the percentile with that confidence
  worse beyond doubt   the whole interval is above what --fail-if-worse tolerates
  worse                the difference is above that, and the whole interval above 0
  within tolerance     the whole interval is above 0, the difference not above what is tolerated
  better               the whole interval is below 0
  no difference shown  the interval contains 0; there may still be a difference

With --fail-if-worse the exit code is 1 when a percentile is worse, beyond doubt or not. Values are
assumed to be independent. In a service that stalls they are not, so compare long runs, or several.`;

/** Adds `--percentiles`, `--fail-if-worse` and `--confidence` to a command. */
export function addComparing(parser: Command): Command {
  return parser
    .addOption(percentilesOption())
    .addOption(failIfWorseOption())
    .addOption(confidenceOption().default(DEFAULT_CONFIDENCE));
}

/** The confidence of a comparison, unless an option states another one. */
export const DEFAULT_CONFIDENCE = 0.99;

/** `--fail-if-worse`: when a comparison fails. */
export function failIfWorseOption(): Option {
  return new Option(
    '--fail-if-worse <part>',
    'how much a percentile may grow, as in 5%; if one is worse, the exit code is 1',
  ).argParser(parseTolerance);
}

/** `--confidence` of a comparison. */
export function confidenceOption(): Option {
  return new Option('--confidence <part>', 'how sure a difference has to be').argParser(parseConfidence);
}

/** The differences of two sides, and what follows from them. */
export interface Differences {
  readonly shown: ShownComparison;
  /** `ExitCode.refused` when a percentile is worse and `--fail-if-worse` was given. */
  readonly exitCode: number;
}

/** Compares two sides. */
export function differencesOf(
  before: ComparedSide,
  after: ComparedSide,
  unit: ValueScale,
  { confidence, failIfWorse, percentiles }: ComparingOptions,
): Differences {
  const tolerance = failIfWorse ?? 0;
  const comparison = compareHistograms(before.values, after.values, { percentiles, confidence, tolerance });
  const isRefused = comparison.isWorse && failIfWorse !== undefined;
  return {
    shown: { comparison, sides: [before, after], confidence, tolerance, unit },
    exitCode: isRefused ? ExitCode.refused : ExitCode.done,
  };
}

/** Prints the differences. @returns The exit code. */
export async function printDifferences(
  { shown, exitCode }: Differences,
  format: 'text' | 'json',
  io: Io,
): Promise<number> {
  await io.stdout.write(format === 'json' ? comparisonJson(shown) : formatComparison(shown, io));
  return exitCode;
}

/** @throws Refusal when there are no values. */
export function withValues(sum: LogHistogram | undefined, name: string, isLog = true): LogHistogram {
  if (sum === undefined || sum.totalCount === 0) {
    const hint = isLog ? ': hdrscope log summary shows what it has' : '';
    throw new Refusal(`${name} has no values to compare${hint}`);
  }
  return sum;
}

function parseTolerance(text: string): number {
  const [, number = ''] = /^(.*?)%$/.exec(text) ?? [];
  if (!isDecimal(number)) throw wrongOption('--fail-if-worse', 'a percentage of at least 0, as in 5%', text);
  return Number(number) / 100;
}

/** Parses `0.99` or `99%`. @throws UsageError */
export function parseConfidence(text: string): number {
  const confidence = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (confidence > 0 && confidence < 1) return confidence;
  throw wrongOption('--confidence', 'above 0 and below 1, as in 0.99 or 99%', text);
}
