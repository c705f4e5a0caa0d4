import { type Advice, hdrLayout } from '@hdrscope/core';
import { formatValue } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { painter } from '../colour.ts';
import type { Io } from '../command.ts';
import { formatCount, groupedDigits } from '../format.ts';
import { wrapToScreen, wrapWords } from '../help-text.ts';
import { screenOf } from '../screen.ts';
import { shownTable } from '../table.ts';

/** The cost of a histogram, and of alternatives. */
interface ShownAdvice {
  readonly advice: Advice;
  /** The advice for each number of digits, ascending, including the chosen one. */
  readonly alternatives: readonly Advice[];
  readonly unit: CountedUnit;
}

export function adviceJson({ advice, alternatives, unit }: ShownAdvice): string {
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
export function formatAdvice({ advice, alternatives, unit }: ShownAdvice, io: Io): string {
  const paint = painter(io, io.stdout);
  const { significantDigits, highestTrackableValue } = advice.options;
  const bytes = (count: number): string => `${formatCount(count)} bytes`;
  const shown = (value: number): string => (unit === 'none' ? formatCount(value) : formatValue(value, unit));
  const { bound } = advice.worstRelativeError;
  const facts = [
    ['slots', formatCount(advice.slotCount)],
    ['dense', bytes(advice.denseBytes)],
    ['sparse', `${formatCount(advice.sparseBytes.empty)} to ${bytes(advice.sparseBytes.most)}`],
    ['shared', bytes(advice.sharedBytes)],
    ['values', `0 to ${shown(hdrLayout(advice.options).largestValue)}`],
    ['resolution', `${shown(advice.unit)} below ${shown(advice.unitBelow)}, ${percent(bound)} above`],
  ];
  const rows = alternatives.map((one) => [
    `${one.options.significantDigits === significantDigits ? '> ' : ''}${one.options.significantDigits}`,
    percent(one.worstRelativeError.bound),
    formatCount(one.slotCount),
    formatCount(one.denseBytes),
    formatCount(one.sparseBytes.most),
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
  const { columns = Number.POSITIVE_INFINITY } = screenOf(io);
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
  const digits = groupedDigits(value, '_');
  return typeof value === 'bigint' ? `${digits}n` : digits;
}

function percent(part: number): string {
  return `${Number((part * 100).toPrecision(2))} %`;
}
