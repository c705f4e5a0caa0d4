import { formatDecimal } from '@hdrscope/core/internal';
import {
  FORMAT_VERSION_LINE,
  formatComment,
  formatInterval,
  LEGEND_LINE,
  type PercentileText,
  parsePercentileText,
} from '@hdrscope/interval-log';
import { formatCount, trimZeros } from '@hdrscope/kit';
import { named } from './bytes.ts';
import { perMs, type TIME_UNITS } from './numbers/number-unit.ts';
import { scaled, type ValueScale } from './value-scale.ts';

/** The unit in which percentile text prints values. */
export type TextUnit = (typeof TIME_UNITS)[number];

/** A distribution that was printed as percentile text. */
export interface RebuiltText {
  readonly values: PercentileText;
  /** The same distribution as a log of one interval. */
  readonly log: Uint8Array;
  /** What the text does not contain, in sentences. */
  readonly losses: readonly string[];
  /** The unit that the text states for its values. */
  readonly stated: TextUnit | undefined;
}

/** How percentile text is read. */
interface RebuildOptions {
  /** The name of the text, for sentences and errors. */
  readonly name: string;
  /** How values are counted and shown. */
  readonly scale: ValueScale;
  /** The unit of printed values. @default the one that the text states, else ms; values without a unit are as printed */
  readonly unit?: TextUnit | undefined;
}

/**
 * Makes a histogram and a log of percentile text.
 *
 * @throws HdrscopeError `ERR_DECODE` when the text is no percentile text.
 */
export function rebuildPercentileText(text: string, { name, scale, unit }: RebuildOptions): RebuiltText {
  const read = (printed: TextUnit): PercentileText => valuesOf(text, scale.divisor / perMs(printed), name);
  const found = read(unit ?? 'ms');
  const { unit: stated } = found;
  const isAsRead = unit !== undefined || (stated ?? 'ms') === 'ms' || scale.unit === '';
  const values = isAsRead ? found : read(stated!);
  return { values, log: logOf(values, scale), losses: lossesOf(name, values, scale), stated };
}

function valuesOf(text: string, valueScale: number, name: string): PercentileText {
  try {
    return parsePercentileText(text, { valueScale });
  } catch (error) {
    throw named(error, name);
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
    `${trimZeros(formatDecimal(Number(scaled(value, unit).toPrecision(4)), 9))} ${unit.unit}`.trim();
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
