import type { Comparison } from '@hdrscope/interval-log';
import type { ChangeVerdict, PercentileChange } from '@hdrscope/interval-log/internal';
import { painter } from '../colour.ts';
import type { Io } from '../command.ts';
import { figuresJson, figuresOf, jsonDocument } from '../figures.ts';
import { decimalText, formatCount, percentileTitle, signedText, valuesText } from '../format.ts';
import { wrapToScreen } from '../help-text.ts';
import { type Column, shownTable } from '../table.ts';
import { scaled, type ValueScale, valueFormat } from '../value-scale.ts';
import type { ComparedSide } from './compared-side.ts';

/** A comparison and the facts that are shown with it. */
export interface ShownComparison {
  readonly comparison: Comparison;
  /** Before, and after. */
  readonly sides: readonly ComparedSide[];
  readonly confidence: number;
  readonly tolerance: number;
  readonly unit: ValueScale;
}

/** The figures of both sides, and how each percentile has changed. */
export function comparisonJson(shown: ShownComparison): string {
  const { comparison, sides, confidence, tolerance, unit } = shown;
  const { percentiles, isWorse, kolmogorovSmirnov = null, mannWhitney = null } = comparison;
  const inUnit = (value: number): number => scaled(value, unit);
  const [before, after] = sides.map(({ name, values }) =>
    figuresJson(
      figuresOf('lowest' in values ? values.histogram : values, {
        name,
        unit: unit.unit,
        percentiles: percentiles.map(({ percentile }) => percentile),
        shown: inUnit,
      }),
    ),
  );
  return jsonDocument({
    before,
    after,
    confidence,
    tolerance,
    isWorse,
    changes: percentiles.map((row) => ({
      ...row,
      before: inUnit(row.before),
      after: inUnit(row.after),
      difference: inUnit(row.difference),
      lower: inUnit(row.lower),
      upper: inUnit(row.upper),
    })),
    kolmogorovSmirnov,
    mannWhitney,
  });
}

/** Formats a table, the result of a second test, and a sentence with the verdict. */
export function formatComparison(shown: ShownComparison, io: Io): string {
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
  const rows = percentiles.map((row) => [
    percentileTitle(row.percentile),
    format(row.before),
    format(row.after),
    signed(row.difference),
    signedPercent(row.relative),
    row.change === 'too few values' ? '-' : `${signed(row.lower)} to ${signed(row.upper)}`,
    row.change,
  ]);
  const table = shownTable(columns, rows, io, (line, at) => {
    const { change } = percentiles[at]!;
    return line.replace(new RegExp(`${change}$`), paint(COLOURS[change], change));
  });
  const fitted = (text: string): string => wrapToScreen(text, io);
  const counts = sides.map(({ name, totalCount }) => `${name} (${valuesText(totalCount)})`).join(' and ');
  return `${fitted(`${counts}${unit.unit === '' ? '' : `, in ${unit.unit}`}`)}

${table.join('\n')}

${fitted(`All values together: ${allTogether(comparison)}`)}

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
export function verdictText({ comparison, confidence, tolerance }: ShownComparison): string {
  const named = (wanted: ChangeVerdict): string | undefined => {
    const found = comparison.percentiles.filter(({ change }) => change === wanted);
    return found.length === 0
      ? undefined
      : found
          .map((row) => `${percentileTitle(row.percentile)} by ${changeText(Math.abs(row.relative))}`)
          .join(', ');
  };
  const few = comparison.percentiles.filter(({ change }) => change === 'too few values');
  const unknown =
    few.length === 0
      ? ''
      : ` Too few values for ${few.map(({ percentile }) => percentileTitle(percentile)).join(', ')} with ${percent(confidence)} confidence${neededText(few, confidence)}.`;
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
  return `: ${percentileTitle(highest)} needs about ${formatCount(Number(needed.toPrecision(2)))} in each log`;
}

function allTogether({ kolmogorovSmirnov, mannWhitney }: Comparison): string {
  if (kolmogorovSmirnov === undefined || mannWhitney === undefined) {
    return 'not compared, because percentile text does not have every value';
  }
  return `Kolmogorov-Smirnov D = ${decimalText(kolmogorovSmirnov.statistic, 3)} (${chance(kolmogorovSmirnov.pValue)}), \
Mann-Whitney effect size ${decimalText(mannWhitney.effectSize, 3)} (${chance(mannWhitney.pValue)})`;
}

/** How much a percentile has changed, to three digits: `10.6 %`, `598 %`. */
function changeText(part: number): string {
  const value = part * 100;
  return `${value >= 100 ? Math.round(value) : Number(value.toPrecision(3))} %`;
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
