import { type Bounded, compareHistograms, type LogHistogram } from '@hdrscope/interval-log';
import { type ComparisonPlot, curveOf } from '@hdrscope/plot';
import { type Io, Refusal, UsageError } from '../command.ts';
import { readSum } from './curves.ts';
import type { HistogramInput, LogInput } from './inputs.ts';
import { type Reading, readPercentiles } from './reading.ts';

/** What is compared. */
export interface ComparisonWishes {
  readonly percentiles: readonly number[];
  readonly confidence: number;
}

/**
 * The first file before a change, the second after it.
 *
 * @throws Refusal, UsageError
 */
export async function readComparison(
  inputs: readonly (LogInput | HistogramInput)[],
  reading: Reading,
  { percentiles, confidence }: ComparisonWishes,
  io: Io,
): Promise<ComparisonPlot> {
  const [first, second, ...more] = inputs;
  if (first === undefined || second === undefined || more.length > 0) {
    throw new UsageError(`--kind comparison takes two files, before and after, got ${inputs.length}`);
  }
  const before = await readSide(first, reading, io);
  const after = await readSide(second, reading, io);
  const changes = compareHistograms(before, after, { percentiles, confidence }).percentiles;
  return {
    kind: 'comparison',
    unit: reading.unit,
    before: curveOf(first.name, histogramOf(before)),
    after: curveOf(second.name, histogramOf(after)),
    confidence,
    changes: changes.map((change) => ({
      percentile: change.percentile,
      before: change.before,
      after: change.after,
      ...(change.confidence >= confidence && { lower: change.lower, upper: change.upper }),
    })),
  };
}

function histogramOf(side: LogHistogram | Bounded): LogHistogram {
  return 'lowest' in side ? side.histogram : side;
}

async function readSide(
  input: LogInput | HistogramInput,
  reading: Reading,
  io: Io,
): Promise<LogHistogram | Bounded> {
  if (input.kind === 'percentiles') {
    const { values, losses } = await readPercentiles(input, reading);
    for (const loss of losses) await io.stderr.write(`hdrscope: ${loss}\n`);
    return values;
  }
  const sum = await readSum(input, reading);
  if (sum === undefined || sum.totalCount === 0) {
    throw new Refusal(`${input.path} has no values to compare: hdrscope log summary shows what it has`);
  }
  return sum;
}
