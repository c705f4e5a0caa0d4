import { compareHistograms, type LogHistogram } from '@hdrscope/interval-log';
import type { BoundedHistogram } from '@hdrscope/interval-log/internal';
import type { ComparisonPlot } from '@hdrscope/plot';
import { UsageError } from '../command.ts';
import { withValues } from '../comparison/comparison-input.ts';
import { curveOfSum } from './curves.ts';
import { type Reading, readPercentiles, type ValueInput } from './reading.ts';
import { readSum, type Sum } from './sum.ts';

/** How two files are compared. */
interface ComparisonOptions {
  readonly percentiles: readonly number[];
  readonly confidence: number;
  /** How many columns the picture has. */
  readonly columns: number;
}

/**
 * Compares two files: the first is from before a change, the second from after it.
 *
 * @throws Refusal, UsageError
 */
export async function readComparison(
  inputs: readonly ValueInput[],
  reading: Reading,
  { percentiles, confidence, columns }: ComparisonOptions,
): Promise<ComparisonPlot> {
  const [first, second, ...more] = inputs;
  if (first === undefined || second === undefined || more.length > 0) {
    throw new UsageError(`--kind comparison takes two files, before and after, got ${inputs.length}`);
  }
  const before = await readSide(first, reading);
  const after = await readSide(second, reading);
  return comparisonOf(before, after, { unit: reading.unit, percentiles, confidence, columns });
}

/** Compares two sides that count in one unit. */
export function comparisonOf(
  before: PlottedSide,
  after: PlottedSide,
  { unit, percentiles, confidence, columns }: ComparisonOptions & Pick<ComparisonPlot, 'unit'>,
): ComparisonPlot {
  const { valueScale } = before.sum;
  const changes = compareHistograms(before.values, after.values, { percentiles, confidence }).percentiles;
  return {
    kind: 'comparison',
    unit,
    before: curveOfSum(before.title, before.sum, columns),
    after: curveOfSum(after.title, after.sum, columns),
    confidence,
    changes: changes.map((change) => ({
      percentile: change.percentile,
      before: change.before / valueScale,
      after: change.after / valueScale,
      ...(change.confidence >= confidence && {
        lower: change.lower / valueScale,
        upper: change.upper / valueScale,
      }),
    })),
  };
}

/** One side of a comparison that is drawn. */
export interface PlottedSide {
  readonly title: string;
  /** For the comparison. */
  readonly values: LogHistogram | BoundedHistogram;
  /** For the curve. `plotUnits` makes both sides count in one unit. */
  readonly sum: Sum;
}

async function readSide(input: ValueInput, reading: Reading): Promise<PlottedSide> {
  const { title } = input;
  if (input.kind === 'percentiles') {
    const { values, losses } = await readPercentiles(input, reading);
    for (const loss of losses) await reading.note(loss);
    return { title, values, sum: { histogram: values.histogram, valueScale: 1, text: values } };
  }
  const sum = await readSum(input, reading);
  const values = withValues(sum?.histogram, input.name, input.kind === 'log');
  return { title, values, sum: sum ?? { histogram: values, valueScale: 1 } };
}
