import type { ChangeExplanation, ExplainedCause } from '@hdrscope/explain';
import { formatNames, formatPart, isNamed } from '@hdrscope/explain/internal';
import { percentileName, valuesText } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import type { WaterfallPlot } from '../chart/waterfall-chart.ts';

/** How the values of an explanation are drawn. */
export interface ExplainedValues {
  /** What the percentile is of: the name of the metric, with its unit where `unit` does not say it. */
  readonly metric: string;
  readonly unit: CountedUnit;
  /** A value of the explanation in `unit`. */
  convert(value: number): number;
}

/**
 * The parts of a difference as steps from the percentile before to that after.
 *
 * @returns `undefined` when there are no parts that add up: no difference is shown, or values are in wide buckets.
 */
export function explanationWaterfall(
  { verdict, isWide, percentile, causes, before, after }: ChangeExplanation,
  { metric, unit, convert }: ExplainedValues,
): WaterfallPlot | undefined {
  const isExplained = verdict === 'explained';
  if (isWide || !(isExplained || verdict === 'nothing explains it')) return undefined;
  const [from, to] = [before, after].map((side) => convert(side.percentile!.value)) as [number, number];
  const named = causes.filter(isNamed);
  const left = named.reduce((rest, { explains }) => rest - explains, 1);
  const rest = isExplained ? 'all other series' : 'no attribute value explains it';
  return {
    kind: 'waterfall',
    title: `What moved ${percentileName(percentile)} of ${metric}`,
    subtitle: `${valuesText(before.count)} before, ${valuesText(after.count)} after`,
    unit,
    before: { name: 'before', value: from },
    steps: [
      ...named.map((cause) => makeStep(nameStep(cause), cause.explains, to - from)),
      ...(Math.abs(left) < LEAST_PART ? [] : [makeStep(rest, left, to - from)]),
    ],
    after: { name: 'after', value: to },
  };
}

/** A smaller part is the rounding of sums. */
const LEAST_PART = 1e-9;

function nameStep(cause: ExplainedCause): string {
  return cause.kind === 'share' ? `share of ${formatNames(cause, ' or ')}` : formatNames(cause, ' or ');
}

function makeStep(name: string, part: number, whole: number): WaterfallPlot['steps'][number] {
  return { name, change: part * whole, note: formatPart(part, false) };
}
