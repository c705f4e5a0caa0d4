import { DoubleHistogram } from '@hdrscope/core';
import { type LogHistogram, sumLogs, summarizeLogs } from '@hdrscope/interval-log';
import { type Curve, curveOf, percentileCurve } from '@hdrscope/plot';
import type { Io } from '../command.ts';
import type { HistogramInput, LogInput } from './inputs.ts';
import { type Reading, readPercentiles } from './reading.ts';

interface Named {
  readonly name: string;
  readonly histogram: LogHistogram;
  /** Whether every value is known, and not those of some percentiles only. */
  readonly isExact: boolean;
}

/** How curves are made. */
export interface CurveWishes {
  readonly confidence: number | undefined;
}

/**
 * A curve for each file, or for each tag of a log with several.
 *
 * @throws Refusal, UsageError
 */
export async function readCurves(
  inputs: readonly (LogInput | HistogramInput)[],
  reading: Reading,
  { confidence }: CurveWishes,
  io: Io,
): Promise<Curve[]> {
  const found: Named[] = [];
  for (const input of inputs) found.push(...(await histogramsOf(input, inputs.length > 1, reading)));
  const curves: Curve[] = [];
  for (const { name, histogram, isExact } of found) {
    if (histogram.totalCount === 0) {
      await io.stderr.write(`hdrscope: ${name} has no values\n`);
    } else if (confidence === undefined) {
      curves.push(curveOf(name, histogram));
    } else if (histogram instanceof DoubleHistogram || !isExact) {
      const why = isExact ? 'has doubles' : 'is percentile text, which does not tell every value';
      await io.stderr.write(`hdrscope: ${name} is drawn without intervals: it ${why}\n`);
      curves.push(curveOf(name, histogram));
    } else curves.push(percentileCurve(name, histogram, { confidence }));
  }
  return curves;
}

async function histogramsOf(
  input: LogInput | HistogramInput,
  isOneOfSeveral: boolean,
  reading: Reading,
): Promise<Named[]> {
  const { name } = input;
  if (input.kind === 'histogram') return [{ name, histogram: input.histogram, isExact: true }];
  if (input.kind === 'percentiles') {
    const { values } = await readPercentiles(input, reading);
    return [{ name, histogram: values.histogram, isExact: false }];
  }
  const { selection, onBytes, malformed } = reading;
  const { tags } = await summarizeLogs([input.source], { ...selection, onBytes, onMalformed: malformed.add });
  return tags.map(({ tag, histogram }) => {
    const ofTag = tag ?? '(no tag)';
    const named = tags.length === 1 ? name : isOneOfSeveral ? `${name} ${ofTag}` : ofTag;
    return { name: named, histogram, isExact: true };
  });
}

/** All that a file has counted, whatever its tags; `undefined` where that is nothing. */
export async function readSum(
  input: LogInput | HistogramInput,
  reading: Reading,
): Promise<LogHistogram | undefined> {
  if (input.kind === 'histogram') return input.histogram;
  if (input.kind === 'percentiles') return (await readPercentiles(input, reading)).values.histogram;
  const { selection, onBytes, malformed } = reading;
  return sumLogs([input.source], { ...selection, onBytes, onMalformed: malformed.add });
}
