import type { Bounds } from '@hdrscope/core';
import { type Comparison, compareHistograms, type LogHistogram } from '@hdrscope/interval-log';
import type { BoundedHistogram, ChangeVerdict, PercentileChange } from '@hdrscope/interval-log/internal';
import { formatBounds, percentileName } from '@hdrscope/kit';
import { isDecimal, wrongOption } from './arguments.ts';
import { ExitCode, type Io, Refusal } from './command.ts';
import { defineOption, defineOptions, type OptionsOf } from './define-command.ts';
import {
  boundsJson,
  type Figure,
  type Figures,
  figureJson,
  figuresJson,
  figuresOf,
  jsonDocument,
} from './figures.ts';
import { decimalText, formatCount, signedText, valuesText } from './format.ts';
import { percentilesOption } from './options.ts';
import { painter } from './screen/colour.ts';
import { wrapToScreen } from './screen/help-text.ts';
import { type Column, shownTable } from './screen/table.ts';
import { scaled, type ValueScale, valueFormat } from './value-scale.ts';

/** One side of a comparison. */
export interface ComparedSide {
  readonly name: string;
  readonly values: LogHistogram | BoundedHistogram;
  readonly totalCount: number;
  /** Its figures as bounds. Both sides have it where values of one lie in wide buckets. @default the figures of `values` */
  readonly boundsOf?: ((percentiles: readonly number[]) => Figures) | undefined;
}

/** Options of a comparison: which percentiles, and when the result is worse. */
export type ComparingOptions = OptionsOf<typeof COMPARING>;

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

/** The confidence of a comparison, unless an option states another one. */
export const DEFAULT_CONFIDENCE = 0.99;

/** `--confidence` of a comparison. */
export const CONFIDENCE = defineOption({
  value: '<part>',
  help: 'how sure a difference has to be',
  parse: parseConfidence,
});

/** `--percentiles`, `--fail-if-worse` and `--confidence` of a comparison. */
export const COMPARING = defineOptions({
  percentiles: percentilesOption(),
  failIfWorse: {
    value: '<part>',
    help: 'how much a percentile may grow, as in 5%; if one is worse, the exit code is 1',
    parse: parseTolerance,
  },
  confidence: { ...CONFIDENCE, default: DEFAULT_CONFIDENCE },
});

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

/**
 * Prints the differences.
 *
 * @param more More keys of the document.
 * @returns The exit code.
 */
export async function printDifferences(
  { shown, exitCode }: Differences,
  format: 'text' | 'json',
  io: Io,
  more: object = {},
): Promise<number> {
  await io.stdout.write(format === 'json' ? comparisonJson(shown, more) : formatComparison(shown, io));
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

function parseTolerance(text: string, name: string): number {
  const [, number = ''] = /^(.*?)%$/.exec(text) ?? [];
  if (!isDecimal(number)) throw wrongOption(name, 'a percentage of at least 0, as in 5%', text);
  return Number(number) / 100;
}

/** Parses `0.99` or `99%`. @throws UsageError */
export function parseConfidence(text: string): number {
  const confidence = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (confidence > 0 && confidence < 1) return confidence;
  throw wrongOption('--confidence', 'above 0 and below 1, as in 0.99 or 99%', text);
}

// Outputs.

/** A comparison and the facts that are shown with it. */
interface ShownComparison {
  readonly comparison: Comparison;
  /** Before, and after. */
  readonly sides: readonly ComparedSide[];
  readonly confidence: number;
  readonly tolerance: number;
  readonly unit: ValueScale;
}

/** A percentile of both sides, in the unit. */
interface BoundedChange {
  readonly before: Bounds;
  readonly after: Bounds;
  readonly difference: Bounds;
}

function boundedChange(before: Bounds, after: Bounds): BoundedChange {
  const difference = { lower: after.lower - before.upper, upper: after.upper - before.lower };
  return { before, after, difference };
}

/** The bounds of a change; `undefined` where no bucket is wide. */
function wideChange(
  { sides }: Pick<ShownComparison, 'sides'>,
  { percentile }: PercentileChange,
): BoundedChange | undefined {
  const [before, after] = sides.map(({ boundsOf }) => boundsOf?.([percentile]).percentiles[0]);
  return before === undefined || after === undefined ? undefined : boundedChange(before, after);
}

/** The figures of both sides, and how each percentile has changed. */
function comparisonJson(shown: ShownComparison, more: object): string {
  const { comparison, sides, confidence, tolerance, unit } = shown;
  const { percentiles, isWorse, kolmogorovSmirnov = null, mannWhitney = null } = comparison;
  const inUnit = (value: number): number => scaled(value, unit);
  const asked = percentiles.map(({ percentile }) => percentile);
  const [before, after] = sides.map((side) => figuresOfSide(side, unit, asked)) as [Figures, Figures];
  const areWide = before.areBounds === true || after.areBounds === true;
  return jsonDocument({
    before: figuresJson(before),
    after: figuresJson(after),
    confidence,
    tolerance,
    isWorse,
    changes: percentiles.map(({ lower, upper, difference, ...row }, at) => {
      const change = boundedChange(before.percentiles[at]!, after.percentiles[at]!);
      return {
        ...row,
        before: figureJson(change.before),
        after: figureJson(change.after),
        // No number stands for a change between wide buckets.
        difference: figureJson({ ...change.difference, value: areWide ? Number.NaN : inUnit(difference) }),
        relative: areWide ? null : row.relative,
        interval: boundsJson({ lower: inUnit(lower), upper: inUnit(upper) }),
      };
    }),
    kolmogorovSmirnov,
    mannWhitney,
    ...more,
  });
}

function figuresOfSide(
  { name, values, boundsOf }: ComparedSide,
  unit: ValueScale,
  percentiles: readonly number[],
): Figures {
  if (boundsOf !== undefined) return boundsOf(percentiles);
  const figures = (histogram: LogHistogram): Figures =>
    figuresOf(histogram, {
      ...{ name, unit: unit.unit, percentiles },
      shown: (value) => scaled(value, unit),
    });
  if (!('lowest' in values)) return figures(values);
  const [found, lowest, highest] = [values.histogram, values.lowest, values.highest].map(figures) as [
    Figures,
    Figures,
    Figures,
  ];
  const between = (of: (one: Figures) => Figure): Figure => ({
    ...of(found),
    lower: of(lowest).lower,
    upper: of(highest).upper,
  });
  return {
    ...found,
    min: between(({ min }) => min),
    mean: between(({ mean }) => mean),
    max: between(({ max }) => max),
    percentiles: percentiles.map((percentile, at) => ({
      percentile,
      ...between((one) => one.percentiles[at]!),
    })),
  };
}

/** Formats a table, the result of a second test, and a sentence with the verdict. */
function formatComparison(shown: ShownComparison, io: Io): string {
  const { comparison, sides, confidence, unit } = shown;
  const { percentiles } = comparison;
  const paint = painter(io, io.stdout);
  const format = valueFormat(
    percentiles.flatMap(({ before, after }) => [before, after]),
    unit,
  );
  const signed = (value: number): string => signedText(value, format);
  const columns: Column[] = [
    { title: '' },
    { title: 'before' },
    { title: 'after' },
    { title: 'difference', spare: 2 },
    { title: '' },
    { title: `${percent(confidence)} interval`, spare: 1 },
    { title: 'change', isText: true },
  ];
  // The bounds are in the unit already.
  const inUnit = (value: number): string => format(value * unit.divisor);
  const rows = percentiles.map((row) => {
    const bounds = wideChange(shown, row);
    const values = bounds
      ? [
          formatBounds(bounds.before, inUnit),
          formatBounds(bounds.after, inUnit),
          formatBounds(bounds.difference, (value) => signedText(value, inUnit)),
          '',
        ]
      : [format(row.before), format(row.after), signed(row.difference), signedPercent(row.relative)];
    return [
      percentileName(row.percentile),
      ...values,
      row.change === 'too few values' ? '-' : `${signed(row.lower)} to ${signed(row.upper)}`,
      row.change,
    ];
  });
  const table = shownTable(columns, rows, io, (line, at) => {
    const { change } = percentiles[at]!;
    return line.replace(new RegExp(`${change}$`), paint(COLOURS[change], change));
  });
  const fitted = (text: string): string => wrapToScreen(text, io);
  const counts = sides.map(({ name, totalCount }) => `${name} (${valuesText(totalCount)})`).join(' and ');
  return `${fitted(`${counts}${unit.unit === '' ? '' : `, in ${unit.unit}`}`)}

${table.join('\n')}

${fitted(`All values together: ${allTogether(shown)}`)}

${fitted(verdictText(shown))}
`;
}

const COLOURS: Readonly<Record<ChangeVerdict, 'red' | 'green' | 'yellow' | 'dim'>> = {
  'too few values': 'yellow',
  'worse beyond doubt': 'red',
  worse: 'red',
  better: 'green',
  'within tolerance': 'yellow',
  'no difference shown': 'dim',
};

/** The verdict in a sentence or two. */
export function verdictText(shown: ShownComparison): string {
  const { comparison, confidence, tolerance } = shown;
  const amountText = (row: PercentileChange): string => {
    const bounds = wideChange(shown, row);
    if (bounds === undefined) return changeText(Math.abs(row.relative));
    const { before, after } = bounds;
    const grown = row.lower > 0 ? after.lower / before.upper - 1 : 1 - after.upper / before.lower;
    return `at least ${changeText(Math.max(0, grown), Math.floor)}`;
  };
  const named = (wanted: ChangeVerdict): string | undefined => {
    const found = comparison.percentiles.filter(({ change }) => change === wanted);
    return found.length === 0
      ? undefined
      : found.map((row) => `${percentileName(row.percentile)} by ${amountText(row)}`).join(', ');
  };
  const few = comparison.percentiles.filter(({ change }) => change === 'too few values');
  const unknown =
    few.length === 0
      ? ''
      : ` Too few values for ${few.map(({ percentile }) => percentileName(percentile)).join(', ')} with ${percent(confidence)} confidence${neededText(few, confidence)}.`;
  const limit = tolerance === 0 ? '' : ` by more than ${percent(tolerance)}`;
  const certain = named('worse beyond doubt');
  const probable = named('worse');
  const worse = [
    certain && `Worse${limit} beyond doubt: ${certain}.`,
    probable && `Worse${limit} by the best estimate, and grown beyond doubt: ${probable}.`,
  ].filter((sentence) => sentence !== undefined);
  if (worse.length > 0) return worse.join(' ') + unknown;
  if (few.length === comparison.percentiles.length) return unknown.trim();
  const better = named('better');
  if (better !== undefined) return `Better: ${better}.${unknown}`;
  const grown = named('within tolerance');
  if (grown !== undefined)
    return `Not worse than tolerated (${percent(tolerance)}): grown ${grown}.${unknown}`;
  return `No difference shown with ${percent(confidence)} confidence.${unknown}`;
}

/** A percentile `p` has an upper bound among `n` values when `p ** n` is at most half of `1 - confidence`. */
function neededText(few: readonly PercentileChange[], confidence: number): string {
  // Bounded: the command line names the percentiles.
  const highest = Math.max(...few.map(({ percentile }) => percentile));
  if (highest <= 50 || highest >= 100) return '';
  const needed = Math.ceil(Math.log((1 - confidence) / 2) / Math.log(highest / 100));
  return `: ${percentileName(highest)} needs about ${formatCount(Number(needed.toPrecision(2)))} in each log`;
}

function allTogether({ comparison, sides }: ShownComparison): string {
  const { kolmogorovSmirnov, mannWhitney } = comparison;
  if (kolmogorovSmirnov === undefined || mannWhitney === undefined) {
    const isWide = sides.some(({ boundsOf }) => boundsOf !== undefined);
    return `not compared, because ${isWide ? 'values lie in wide buckets' : 'percentile text does not have every value'}`;
  }
  return `Kolmogorov-Smirnov D = ${decimalText(kolmogorovSmirnov.statistic, 3)} (${chance(kolmogorovSmirnov.pValue)}), \
Mann-Whitney effect size ${decimalText(mannWhitney.effectSize, 3)} (${chance(mannWhitney.pValue)})`;
}

/** How much a percentile has changed, to three digits: `10.6 %`, `598 %`. */
function changeText(part: number, round = Math.round): string {
  const value = part * 100;
  const decimals = value > 0 && value < 100 ? 2 - Math.floor(Math.log10(value)) : 0;
  return `${round(value * 10 ** decimals) / 10 ** decimals} %`;
}

/** A confidence or a tolerance: `99.99 %`. */
function percent(part: number): string {
  const value = part * 100;
  return `${Number(value.toPrecision(value < 99 ? 3 : 6))} %`;
}

function signedPercent(part: number): string {
  if (!Number.isFinite(part)) return '';
  return signedText(part, (amount) => `${decimalText(amount * 100, 1)} %`);
}

function chance(pValue: number): string {
  return pValue < 0.001 ? 'p < 0.001' : `p = ${pValue.toFixed(3)}`;
}
