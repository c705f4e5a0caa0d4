import { type Advice, advise, HdrscopeError, hdrLayout } from '@hdrscope/core';
import type { AdviseOptions } from '@hdrscope/core/internal';
import { formatCount, groupDigits } from '@hdrscope/kit';
import { formatValue } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { readPercent, wrongOption } from '../arguments.ts';
import { ExitCode, type Io, UsageError } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { amountIn, integer, UNIT } from '../options.ts';
import { wrapToScreen, wrapWords } from '../screen/help-text.ts';
import { lineLength, painter } from '../screen/screen.ts';
import { shownTable } from '../screen/table.ts';

const DESCRIPTION = `Says what a histogram would cost and how exact it would be: bytes, slots, the range of values, the
worst error, the cost of fewer or more digits, and the code that creates it.

The values that a histogram counts are integers of --unit. Values up to two thousand (with 3
digits) are exact, larger ones keep --digits significant digits.`;

export const command = defineCommand({
  path: 'hdrscope advise',
  description: DESCRIPTION,
  examples: [
    'hdrscope advise --max 1h --unit ns',
    'hdrscope advise --max 1m --unit us --max-relative-error 1%',
    'hdrscope advise --max 1GiB --unit bytes --digits 2 --json',
  ],
  options: {
    max: {
      value: '<value>',
      help: 'the largest value that must fit: a number of the unit, or as in 1h, 500ms, 4GiB',
      required: 'the largest value that must fit, as in 1h',
    },
    min: {
      value: '<value>',
      help: 'the smallest difference that must be visible, in the same forms',
      default: '1',
    },
    unit: { ...UNIT, help: 'the unit of the values', default: 'ns' },
    digits: {
      value: '<number>',
      help: 'significant digits that values keep, 0 to 5',
      parse: integer(0, 5),
      fallback: '3',
    },
    maxRelativeError: {
      value: '<part>',
      help: 'instead of --digits: the fewest digits with at most this error, as in 1%',
      allowed: 'a percentage above 0, as in 1%',
      parse: (text: string) => readPercent(text) / 100 || undefined,
    },
    maxBytes: {
      value: '<number>',
      help: 'instead of --digits: the most digits that fit into this many bytes',
      parse: (text: string, name: string) => Number(parseAmount(text, 'bytes', name)),
    },
  },
  formats: ['text', 'json'],
  output: 'when done',
  async run({ options, format }, io) {
    const { max, min, unit, digits, maxRelativeError, maxBytes } = options;
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
    await io.stdout.write(format === 'json' ? adviceJson(shown) : formatAdvice(shown, io));
    return ExitCode.done;
  },
});

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

// Amounts.

const EXACT_BELOW = 2n ** 53n;

/**
 * Parses a whole number of a unit: `3600`; `1h` for times or `4GiB` for sizes, rounded to the nearest. A bigint when a
 * number would not be exact.
 *
 * @throws UsageError
 */
function parseAmount(text: string, unit: CountedUnit, name: string): number | bigint {
  if (/^\d{1,19}$/.test(text)) {
    const amount = BigInt(text);
    return amount < EXACT_BELOW ? Number(amount) : amount;
  }
  const amount = Math.round(amountIn(text, unit) ?? Number.NaN);
  if (!Number.isSafeInteger(amount)) throw wrongOption(name, allowedIn(unit), text);
  return amount;
}

function allowedIn(unit: CountedUnit): string {
  if (unit === 'none') return 'a whole number';
  const isSize = unit === 'bytes' || unit === 'KiB';
  return isSize
    ? 'a whole number of the unit, as in 4096, or a size, as in 4KiB or 1GiB'
    : 'a whole number of the unit, as in 60000, or a time, as in 500ms or 1h30m';
}

// Outputs.

/** The cost of a histogram, and of alternatives. */
interface ShownAdvice {
  readonly advice: Advice;
  /** The advice for each number of digits, ascending, including the chosen one. */
  readonly alternatives: readonly Advice[];
  readonly unit: CountedUnit;
}

function adviceJson({ advice, alternatives, unit }: ShownAdvice): string {
  const document = {
    unit,
    ...fieldsOf(advice),
    code: codeOf(advice),
    alternatives: alternatives.map(fieldsOf),
  };
  // A bigint is written as its digits, as in the JSON of a histogram.
  return `${JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? String(value) : value), 2)}\n`;
}

/** The fields of an advice for JSON; `unit` is the unit of its values. */
function fieldsOf({ unit: narrowestSlot, ...advice }: Advice): object {
  return { ...advice, largestValue: hdrLayout(advice.options).largestValue, narrowestSlot };
}

/** Describes cost, precision, alternatives, and the code that creates the histogram. */
function formatAdvice({ advice, alternatives, unit }: ShownAdvice, io: Io): string {
  const paint = painter(io, io.stdout);
  const { significantDigits, highestTrackableValue } = advice.options;
  const bytes = (count: number): string => `${formatCount(count)} bytes`;
  const shown = (value: number): string => (unit === 'none' ? formatCount(value) : formatValue(value, unit));
  const { bound } = advice.worstRelativeError;
  const facts = [
    ['slots', formatCount(advice.slotCount)],
    ['dense', bytes(advice.denseBytes)],
    ['sparse', `at most ${bytes(advice.sparseBytes)}`],
    ['shared', bytes(advice.sharedBytes)],
    ['values', `0 to ${shown(hdrLayout(advice.options).largestValue)}`],
    ['resolution', `${shown(advice.unit)} below ${shown(advice.unitBelow)}, ${percent(bound)} above`],
  ];
  const rows = alternatives.map((one) => [
    `${one.options.significantDigits === significantDigits ? '> ' : ''}${one.options.significantDigits}`,
    percent(one.worstRelativeError.bound),
    formatCount(one.slotCount),
    formatCount(one.denseBytes),
    formatCount(one.sparseBytes),
    formatCount(one.sharedBytes),
  ]);
  const columns = ['digits', 'worst error', 'slots', 'dense bytes', 'sparse at most', 'shared'];
  const table = shownTable(
    columns.map((title, at) => (at < 3 ? { title } : { title, spare: at })),
    rows,
    io,
  );
  const heading = `Values up to ${shown(Number(highestTrackableValue))}, to ${significantDigits} significant ${significantDigits === 1 ? 'digit' : 'digits'}`;
  return `${paint('bold', wrapToScreen(heading, io))}

${facts.map(([name = '', text = '']) => factLine(name, text, io)).join('\n')}

${table.join('\n')}

import { Histogram } from '@hdrscope/core';

${codeOf(advice)}
`;
}

const NAME_WIDTH = 10;

/** A fact, in several lines where the screen is narrow. */
function factLine(name: string, text: string, io: Io): string {
  const indent = NAME_WIDTH + 2;
  const columns = lineLength(io);
  return `${name.padStart(NAME_WIDTH)}  ${wrapWords(text, columns - indent).join(`\n${' '.repeat(indent)}`)}`;
}

function codeOf({ options }: Advice): string {
  const { lowestDiscernibleValue, highestTrackableValue, significantDigits } = options;
  const lowest =
    Number(lowestDiscernibleValue) === 1
      ? ''
      : `  lowestDiscernibleValue: ${literal(lowestDiscernibleValue)},\n`;
  return `const histogram = new Histogram({
${lowest}  highestTrackableValue: ${literal(highestTrackableValue)},
  significantDigits: ${significantDigits},
});`;
}

/** A literal such as `3_600_000_000_000`, with an `n` when a number would not be exact. */
function literal(value: number | bigint): string {
  const digits = groupDigits(value, '_');
  return typeof value === 'bigint' ? `${digits}n` : digits;
}

function percent(part: number): string {
  return `${Number((part * 100).toPrecision(2))} %`;
}
