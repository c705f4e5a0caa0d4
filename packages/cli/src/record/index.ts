import { type Command, Option } from 'commander';
import {
  type Arguments,
  choiceOption,
  createParser,
  integerParser,
  isDecimal,
  wrongOption,
} from '../arguments.ts';
import { type Io, Refusal, UsageError } from '../command.ts';
import { LineTally } from '../inputs/line-tally.ts';
import { openInputs } from '../inputs/open-inputs.ts';
import { countNumbers, vanishedText } from '../numbers/count-numbers.ts';
import { digitsOption, NUMBER_UNITS, numberUnit, resolutionOption } from '../numbers/number-unit.ts';
import { OUTPUT_HELP, writeLines } from '../output-file.ts';
import { startReading } from '../progress.ts';
import { percentilesOption } from '../shared-options.ts';
import { type OutputFormat, outputFormats } from './outputs.ts';
import type { Recorded } from './recorded.ts';

const DESCRIPTION = `Counts numbers, one per line, and prints their distribution.

A number is a decimal of at least 0, such as 12, 0.75 or 1.5e-3. Blanks around it, empty lines and
lines that begin with # are ignored. Any other line is left out, reported on standard error, and
makes the exit code 1.

Each number is counted at the nearest multiple of --resolution, and keeps --digits significant
digits. As in all HDR histograms, a printed value is the upper end of its slot: with 3 digits at
most 0.1 % above the number.

--output sets the format, --output-file the file. hgrm and csv are percentile text, json is for
programs, base64 is the histogram in the V2 encoding, hlog is a log of one interval. The last two
count in multiples of --resolution: with --unit ms in nanoseconds, as most logs do.`;

interface Options {
  readonly unit: (typeof NUMBER_UNITS)[number];
  readonly digits: number;
  readonly resolution?: number;
  readonly percentiles: readonly number[];
  readonly expectedInterval?: number;
  readonly column?: number;
  readonly separator?: string;
  readonly skip?: number;
  readonly output: OutputFormat;
  readonly outputFile?: string;
  readonly plot: boolean;
}

/** The arguments of `hdrscope record`. */
export function parser(): Command {
  return createParser('hdrscope record', DESCRIPTION, [
    'hdrscope record --unit ms latencies.txt',
    'cat latencies.txt | hdrscope record --unit us --percentiles 50,99,99.9',
    'hdrscope record --unit ms --output json latencies.txt.gz',
    'hdrscope record --unit s --column 3 --separator , --skip 1 requests.csv',
    'hdrscope record --unit ms --expected-interval 10 --output hlog latencies.txt -o latencies.hlog',
  ])
    .argument('[files...]', 'texts with numbers, plain or gzipped, counted together; - is standard input', [
      '-',
    ])
    .addOption(choiceOption('--unit <unit>', 'the unit of the numbers', NUMBER_UNITS).default('none'))
    .addOption(digitsOption('significant digits that are kept, 0 to 5').default(3))
    .addOption(resolutionOption())
    .addOption(percentilesOption([50, 75, 90, 99, 99.9, 99.99, 100]))
    .option(
      '--expected-interval <number>',
      'corrects coordinated omission: the time between two requests when nothing is slow, in the unit',
      parseInterval,
    )
    .addOption(
      new Option('--column <number>', 'the column that has the numbers, from 1')
        .argParser(integerParser('--column', 1))
        .default(undefined, 'the line is one number'),
    )
    .addOption(
      new Option('--separator <character>', 'the character between columns; \\t is a tab')
        .argParser(parseSeparator)
        .default(undefined, 'blanks'),
    )
    .addOption(
      new Option(
        '--skip <lines>',
        'how many lines at the beginning of each file are ignored, such as a header',
      )
        .argParser(integerParser('--skip', 0))
        .default(undefined, '0'),
    )
    .addOption(
      choiceOption('--output <format>', 'the format of the output', Object.keys(outputFormats)).default(
        'text',
      ),
    )
    .option('-o, --output-file <file>', OUTPUT_HELP)
    .option('--no-plot', 'for text: prints no plot below the numbers');
}

/** `hdrscope record` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  if (options.separator !== undefined && options.column === undefined) {
    throw new UsageError('--separator needs --column, the column that has the numbers');
  }
  const unit = numberUnit(options.unit, options.resolution);
  const paths = operands.length === 0 ? ['-'] : operands;
  const { column, separator, skip, expectedInterval, digits } = options;
  // With --column or --skip, the text may begin with anything.
  const as = column === undefined && skip === undefined ? undefined : 'numbers';
  const { inputs, totalBytes } = await openInputs(
    paths,
    { takes: ['numbers'], otherwise: 'numbers', as },
    io,
  );
  const { onBytes, finish } = startReading(io, totalBytes);
  const badLines = new LineTally();
  const counted = await countNumbers(inputs, {
    unit,
    significantDigits: digits,
    expectedInterval,
    format: { column, separator, skip },
    onBytes,
    badLines,
  }).finally(finish);
  const exitCode = await badLines.report(io);
  const name = inputs.map((input) => input.name).join(', ');
  if (counted.histogram.totalCount === 0) throw new Refusal(`${name} has no numbers to count`);
  if (counted.vanished > 0) {
    await io.stderr.write(`hdrscope: ${vanishedText(counted.vanished, unit)}\n`);
  }
  const recorded: Recorded = { ...counted, unit, digits, name, percentiles: options.percentiles };
  await writeLines(outputFormats[options.output](recorded, options, io), options.outputFile, io);
  return exitCode;
}

function parseInterval(text: string): number {
  if (!isDecimal(text) || Number(text) === 0) {
    throw wrongOption('--expected-interval', 'a number above 0, in the unit of the values', text);
  }
  return Number(text);
}

function parseSeparator(text: string): string {
  const character = text === '\\t' ? '\t' : text;
  // A digit or a point could belong to the number.
  if (!/^[\t !-*,/:-~]$/.test(character) || /[a-z]/i.test(character)) {
    throw wrongOption(
      '--separator',
      'one ASCII character that is no part of a number, such as , or \\t',
      text,
    );
  }
  return character;
}
