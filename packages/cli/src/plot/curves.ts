import { DoubleHistogram } from '@hdrscope/core';
import { summarizeLogs } from '@hdrscope/interval-log';
import { Slices } from '@hdrscope/kit';
import { type Curve, type CurveOptions, curveOf, curveOfPercentiles, percentileCurve } from '@hdrscope/plot';
import { assertCurves, explainTagLimit } from '../inputs/tag-limit.ts';
import type { Reading, ValueInput } from './reading.ts';
import type { CurveValues, Slot } from './slo.ts';
import { readSum, type Sum } from './sum.ts';

interface Named extends Sum {
  readonly name: string;
}

/** How curves are computed. */
interface ReadingOptions {
  readonly confidence: number | undefined;
  /** How many columns the picture has. */
  readonly columns: number;
  /** Gets the values of each curve that is drawn. */
  readonly onCurve: (values: CurveValues) => void;
}

/**
 * A curve for each file, or for each tag of a log with several tags.
 *
 * @throws Refusal, UsageError
 */
export async function readCurves(
  inputs: readonly ValueInput[],
  reading: Reading,
  { confidence, columns, onCurve }: ReadingOptions,
): Promise<Curve[]> {
  const found: Named[] = [];
  for (const input of inputs) {
    for (const one of await histogramsOf(input, inputs.length > 1, reading)) found.push(one);
  }
  const curves: Curve[] = [];
  const slices = new Slices();
  for (const { name, ...sum } of found) {
    const { histogram } = sum;
    if (slices.isOver()) {
      await slices.next();
      // Ends the work when the command has to end.
      reading.onBytes(0);
    }
    if (histogram.totalCount === 0) {
      await reading.note(`${name} has no values`);
      continue;
    }
    onCurve({ name, slotAt: (percentile) => slotOfSum(sum, percentile) });
    if (confidence === undefined) {
      curves.push(curveOfSum(name, sum, columns));
    } else if (histogram instanceof DoubleHistogram || sum.text !== undefined) {
      const why =
        sum.text === undefined ? 'has doubles' : 'is percentile text, which does not have every value';
      await reading.note(`${name} is drawn without intervals: it ${why}`);
      curves.push(curveOfSum(name, sum, columns));
    } else {
      const { valueScale, period } = sum;
      curves.push(percentileCurve(name, histogram, { confidence, valueScale, period, columns }));
    }
  }
  return curves;
}

/** The curve of a file without intervals. Percentile text has the values of its rows only. */
export function curveOfSum(
  name: string,
  { histogram, text, valueScale, period }: Sum,
  columns: number,
): Curve {
  const options: CurveOptions = { valueScale, period };
  return text === undefined
    ? curveOf(name, histogram, { ...options, columns })
    : curveOfPercentiles(name, text, options);
}

/** The bounds of a percentile. Those of percentile text reach from row to row, because a value may lie anywhere between two rows. */
function slotOfSum({ histogram, text, valueScale }: Sum, percentile: number): Slot {
  const { lowest, highest } = text ?? { lowest: histogram, highest: histogram };
  const lower = lowest.lowestEquivalentValue(lowest.valueAtPercentile(percentile));
  return { lower: lower / valueScale, upper: highest.valueAtPercentile(percentile) / valueScale };
}

async function histogramsOf(input: ValueInput, isOneOfSeveral: boolean, reading: Reading): Promise<Named[]> {
  const { kind, title, source } = input;
  if (kind !== 'log') {
    const sum = await readSum(input, reading);
    return sum === undefined ? [] : [{ name: title, ...sum }];
  }
  const { selection, onBytes, malformed } = reading;
  const options = { ...selection, onBytes, onMalformed: malformed.add };
  const { tags } = await summarizeLogs([source], options).catch(explainTagLimit);
  assertCurves(tags.length, input.name);
  return tags.map(({ tag, histogram, startSec, endSec }) => {
    const ofTag = tag ?? '(no tag)';
    const name = tags.length === 1 ? title : isOneOfSeveral ? `${title} ${ofTag}` : ofTag;
    return { name, histogram, valueScale: 1, period: { startMs: startSec * 1000, endMs: endSec * 1000 } };
  });
}
