import { type Advice, type AdviseOptions, advise, HdrscopeError } from '@hdrscope/core';
import type { CountedUnit } from '@hdrscope/registry';
import type { Command } from 'commander';
import { type Arguments, choiceOption, createParser, isDecimal, wrongOption } from '../arguments.ts';
import { ExitCode, type Io, UsageError } from '../command.ts';
import { digitsOption, NUMBER_UNITS } from '../numbers/number-unit.ts';
import { addFormat, addOutput, formatOf, type OutputOptions, withOutput } from '../output-options.ts';
import { adviceJson, formatAdvice } from './advice-text.ts';
import { parseAmount } from './amount.ts';

const DESCRIPTION = `Says what a histogram would cost and how exact it would be: bytes, slots, the range of values, the
worst error, the cost of fewer or more digits, and the code that creates it.

The values that a histogram counts are integers of --unit. Values up to two thousand (with 3
digits) are exact, larger ones keep --digits significant digits.`;

const FORMATS = ['text', 'json'] as const;

interface Options extends OutputOptions<(typeof FORMATS)[number]> {
  readonly max?: string;
  readonly min?: string;
  readonly unit: CountedUnit;
  readonly digits?: number;
  readonly maxRelativeError?: number;
  readonly maxBytes?: number;
}

/** The arguments of `hdrscope advise`. */
export function parser(): Command {
  const command = createParser('hdrscope advise', DESCRIPTION, [
    'hdrscope advise --max 1h --unit ns',
    'hdrscope advise --max 1m --unit us --max-relative-error 1%',
    'hdrscope advise --max 1GiB --unit bytes --digits 2 --json',
  ])
    .option(
      '--max <value>',
      'the largest value that must fit: a number of the unit, or as in 1h, 500ms, 4GiB; required',
    )
    .option('--min <value>', 'the smallest difference that must be visible, in the same forms', '1')
    .addOption(choiceOption('--unit <unit>', 'the unit of the values', NUMBER_UNITS).default('ns'))
    .addOption(digitsOption('significant digits that values keep, 0 to 5').default(undefined, '3'))
    .option(
      '--max-relative-error <part>',
      'instead of --digits: the fewest digits with at most this error, as in 1%',
      parseError,
    )
    .option(
      '--max-bytes <number>',
      'instead of --digits: the most digits that fit into this many bytes',
      parseBytes,
    );
  return addFormat(addOutput(command), FORMATS);
}

/** `hdrscope advise` */
export async function run({ options }: Arguments<Options>, io: Io): Promise<number> {
  return withOutput(options.output, io, (out) => print(options, out));
}

async function print(options: Options, io: Io): Promise<number> {
  const { max, min = '1', unit, digits, maxRelativeError, maxBytes } = options;
  if (max === undefined) throw new UsageError('--max is required: the largest value that must fit, as in 1h');
  const hasGoal = maxRelativeError !== undefined || maxBytes !== undefined;
  const range = {
    lowestDiscernibleValue: parseAmount(min, unit, '--min'),
    highestTrackableValue: parseAmount(max, unit, '--max'),
  };
  const advice = adviceFor({
    ...range,
    ...(digits !== undefined && { significantDigits: digits }),
    ...(maxRelativeError !== undefined && { maxRelativeError }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(!hasGoal && digits === undefined && { significantDigits: 3 }),
  });
  const alternatives = [0, 1, 2, 3, 4, 5].flatMap((significantDigits) => {
    try {
      return [advise({ ...range, significantDigits })];
    } catch (error) {
      // With a large unit, some numbers of digits are impossible.
      if (error instanceof HdrscopeError) return [];
      throw error;
    }
  });
  const shown = { advice, alternatives, unit };
  await io.stdout.write(formatOf(options, FORMATS) === 'json' ? adviceJson(shown) : formatAdvice(shown, io));
  return ExitCode.done;
}

const OPTIONS: Readonly<Record<string, string>> = {
  lowestDiscernibleValue: '--min',
  highestTrackableValue: '--max',
  significantDigits: '--digits',
  maxRelativeError: '--max-relative-error',
  maxBytes: '--max-bytes',
};

/** @throws UsageError with the names of the command's options. */
function adviceFor(options: AdviseOptions): Advice {
  try {
    return advise(options);
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    throw new UsageError(error.message.replace(/\b\w+\b/g, (word) => OPTIONS[word] ?? word));
  }
}

function parseError(text: string): number {
  const [, percent] = /^(.*)%$/.exec(text) ?? [];
  if (percent === undefined || !isDecimal(percent) || Number(percent) === 0) {
    throw wrongOption('--max-relative-error', 'a percentage above 0, as in 1%', text);
  }
  return Number(percent) / 100;
}

function parseBytes(text: string): number {
  return Number(parseAmount(text, 'bytes', '--max-bytes'));
}
