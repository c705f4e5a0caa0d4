import { HdrscopeError } from '@hdrscope/core';
import { formatDecimal } from '@hdrscope/core/internal';
import { perMs, scaled, TIME_UNITS, type ValueScale } from '@hdrscope/inputs/internal';
import {
  FORMAT_VERSION_LINE,
  formatComment,
  formatInterval,
  LEGEND_LINE,
  type PercentileText,
  parsePercentileText,
  type Selection,
} from '@hdrscope/interval-log';
import { formatCount } from '@hdrscope/kit';
import { Refusal, UsageError } from '../command.ts';
import { defineOption } from '../define-command.ts';
import { withoutLastZeros } from '../format.ts';
import { type Input, wholeText } from './input.ts';

/** How a command treats percentile text as a log. */
export interface TextReading {
  readonly unit: ValueScale;
  readonly textUnit?: TextUnit;
  readonly selection: Selection;
  /** The effect of missing times on the command, for its note to the person. */
  readonly timeNote?: string;
  /** Gets the number of bytes of each chunk. */
  readonly onBytes?: (bytes: number) => void;
}

/** The unit in which percentile text prints values. */
export type TextUnit = (typeof TIME_UNITS)[number];

/** `--text-unit` */
export function textUnitOption(help = 'the unit of the values in percentile text', fallback = 'ms') {
  return defineOption({ value: '<unit>', help, choices: TIME_UNITS, fallback });
}

/** The content of percentile text. */
export interface PercentileInput {
  readonly text: string;
  readonly values: PercentileText;
  /** The same distribution as a log of one interval. */
  readonly log: Uint8Array;
  /** Notes for the person about the things that the text does not contain. */
  readonly losses: readonly string[];
}

/** @throws Refusal, UsageError, HdrscopeError */
export async function readPercentileInput(
  input: Pick<Input, 'name' | 'source'>,
  { unit, textUnit, selection, timeNote, onBytes }: TextReading,
): Promise<PercentileInput> {
  const { name } = input;
  if (unit.unit === '' && textUnit !== undefined) {
    throw new UsageError('--text-unit and --unit none exclude each other: values are taken as printed then');
  }
  assertSelected(name, selection);
  const text = await wholeText(input, 'percentile text', onBytes);
  const scaleOf = (printed: TextUnit): number => unit.divisor / perMs(printed);
  const found = valuesOf(text, scaleOf(textUnit ?? 'ms'), name);
  const { unit: stated = 'ms' } = found;
  if (textUnit !== undefined && found.unit !== undefined && textUnit !== stated) {
    throw new UsageError(
      `${name} states that its values are in ${stated}: leave --text-unit ${textUnit} out`,
    );
  }
  const isAsRead = textUnit !== undefined || stated === 'ms' || unit.unit === '';
  const values = isAsRead ? found : valuesOf(text, scaleOf(stated), name);
  const losses = lossesOf(name, values, unit);
  if (timeNote !== undefined) losses.push(`${name}: ${timeNote}`);
  return { text, values, log: logOf(values, unit), losses };
}

function valuesOf(text: string, valueScale: number, name: string): PercentileText {
  try {
    return parsePercentileText(text, { valueScale });
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    throw new Refusal(`${name}: ${error.message}`, { cause: error });
  }
}

function assertSelected(name: string, { tags, from, to }: Selection): void {
  if (from !== undefined || to !== undefined) {
    throw new Refusal(`${name} is percentile text and has no times: --from and --to select nothing of it`);
  }
  if (tags !== undefined && ![...tags].includes(undefined)) {
    throw new Refusal(
      `${name} is percentile text and has no tag: --tag selects nothing of it. To compare it with a part of a log: hdrscope log slice --tag TAG FILE | hdrscope diff ${name} -`,
    );
  }
}

function logOf({ histogram }: PercentileText, { divisor }: ValueScale): Uint8Array {
  const note =
    '[Made of percentile text: values between two of its rows are counted at the later, and their times are not known]';
  const line = formatInterval(histogram, { startSec: 0, endSec: 0, valueScale: divisor });
  return new TextEncoder().encode(FORMAT_VERSION_LINE + formatComment(note) + LEGEND_LINE + line);
}

function lossesOf(name: string, { loss, unit: stated }: PercentileText, unit: ValueScale): string[] {
  const { totalCount, interpolated, beyondLastRow, maxRelativeError, valueResolution, mean } = loss;
  const shown = (value: number): string =>
    `${withoutLastZeros(formatDecimal(Number(scaled(value, unit).toPrecision(4)), 9))} ${unit.unit}`.trim();
  const { printed, rebuilt } = mean;
  const means =
    printed === undefined
      ? `no mean is printed, that of what is counted is ${shown(rebuilt)}`
      : `the mean is ${shown(printed)} as printed, ${shown(rebuilt)} as counted`;
  const lines = [
    `${name} is percentile text: ${formatCount(totalCount)} values as one interval, without times and tag; a printed value may be ${shown(valueResolution)} off; ${means}`,
  ];
  if (interpolated > 0) {
    const most = Number.isFinite(maxRelativeError)
      ? `${Number((maxRelativeError * 100).toPrecision(2))} %`
      : 'all that they are';
    lines.push(
      `${name}: ${formatCount(interpolated)} of them are known only to lie between two printed values, and are counted at the later: percentiles that are not printed are shown too high, by ${most} at most`,
    );
  }
  if (beyondLastRow > 0) {
    lines.push(
      `${name}: ${formatCount(beyondLastRow)} lie above its last row, and are counted at its maximum`,
    );
  }
  if (stated !== undefined) {
    // Source: vegeta, `lib/reporters.go`, `NewHDRHistogramPlotReporter`, which is known for such a title.
    lines.push(
      `${name}: its title has the unit, as that of vegeta, which estimates percentiles with a t-digest and rounds total counts: the true values may be outside of all bounds. vegeta encode --to csv writes every request`,
    );
  }
  return lines;
}
