import { createHash } from 'node:crypto';
import { DoubleHistogram } from '../src/histogram/double-histogram.ts';
import type { IterationStep, Steps } from '../src/histogram/iteration.ts';
import { formatPercentiles } from '../src/text/percentile-text.ts';
import { fromHex, toHex } from './support/bytes.ts';
import { type JavaRecording, javaFixture, record } from './support/java.ts';
import { expectRefused, refusalOf } from './support/refused.ts';

interface Options {
  readonly highestToLowestValueRatio: number;
  readonly significantDigits: number;
  readonly autoResize: boolean;
}

type Made = JavaRecording & { readonly options: Options };

/** JSON has no NaN. */
type Row = readonly (number | 'NaN')[];

interface Rows {
  readonly steps: number;
  readonly rows?: readonly Row[];
  readonly first?: readonly Row[];
  readonly last?: readonly Row[];
  readonly sha256?: string;
}

interface Iteration extends Rows {
  readonly kind: string;
  readonly arguments: readonly number[];
}

interface Result {
  readonly totalCount: number;
  readonly min: number;
  readonly max: number;
  readonly minNonZero: number;
  readonly mean: number;
  readonly standardDeviation: number;
  readonly highestToLowestValueRatio: number;
  readonly significantDigits: number;
  readonly integerToDoubleRatio: number;
  readonly percentiles: readonly (readonly [percentile: number, value: number])[];
  readonly v2: string;
}

interface Step extends JavaRecording {
  readonly do: string;
  readonly other?: Made;
  readonly expectedInterval?: number;
  readonly rejected?: string;
  readonly after?: Pick<Result, 'totalCount' | 'min' | 'max' | 'integerToDoubleRatio'>;
}

interface DoubleCase extends Made {
  readonly name: string;
  readonly steps?: readonly Step[];
  readonly result?: Result;
  readonly atValues?: readonly (readonly [value: number, countAt: number, percentile: number])[];
  readonly equivalence?: readonly (readonly number[])[];
  readonly recordedValues?: Rows;
  readonly percentileRows?: Rows;
  readonly iterations?: readonly Iteration[];
  readonly text?: string;
  readonly compressed?: string;
}

type Storage = 'dense' | 'sparse';

function made({ options, ...recording }: Made, storage: Storage): DoubleHistogram {
  const histogram = new DoubleHistogram({ ...options, storage });
  record(histogram, recording);
  return histogram;
}

function perform(histogram: DoubleHistogram, step: Step, storage: Storage): DoubleHistogram {
  if (step.do === 'record') record(histogram, step);
  else if (step.do === 'add') histogram.add(made(step.other!, storage));
  else if (step.do === 'subtract') histogram.subtract(made(step.other!, storage));
  else if (step.do === 'copyCorrected') return histogram.copyCorrected(step.expectedInterval!);
  else throw new Error(`there must be a way to ${step.do}`);
  return histogram;
}

const rowOf = (step: IterationStep): Row =>
  [
    step.valueIteratedTo,
    step.valueIteratedFrom,
    step.countAtValueIteratedTo,
    step.countAddedInThisIterationStep,
    step.totalCountToThisValue,
    step.totalValueToThisValue,
    step.percentile,
    step.percentileLevelIteratedTo,
  ].map((column) => (Number.isNaN(column) ? 'NaN' : column));

function expectRows(steps: Iterable<IterationStep>, java: Rows): void {
  const rows = [...steps].map(rowOf);
  expect(rows.length).toBe(java.steps);
  if (java.rows !== undefined) expect(rows).toEqual(java.rows);
  else expect([...rows.slice(0, 8), ...rows.slice(-8)]).toEqual([...java.first!, ...java.last!]);
  if (java.sha256 === undefined) return;
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  expect(createHash('sha256').update(text).digest('hex')).toBe(java.sha256);
}

function iterated(
  histogram: DoubleHistogram,
  { kind, arguments: [first = 0, base = 0] }: Iteration,
): Steps<number> {
  if (kind === 'all') return histogram.allValues();
  if (kind === 'linear') return histogram.linearValues(first);
  if (kind === 'logarithmic') return histogram.logarithmicValues(first, base);
  throw new Error(`there must be an iteration of ${kind}`);
}

function expectAsInJava(histogram: DoubleHistogram, one: DoubleCase): void {
  const java = one.result!;
  expect({
    totalCount: histogram.totalCount,
    min: histogram.min,
    max: histogram.max,
    mean: histogram.mean,
    standardDeviation: histogram.standardDeviation,
    highestToLowestValueRatio: histogram.highestToLowestValueRatio,
    significantDigits: histogram.significantDigits,
    integerToDoubleRatio: histogram.integerToDoubleValueConversionRatio,
    v2: toHex(histogram.encode()),
  }).toEqual({
    totalCount: java.totalCount,
    min: java.min,
    max: java.max,
    mean: java.mean,
    standardDeviation: java.standardDeviation,
    highestToLowestValueRatio: java.highestToLowestValueRatio,
    significantDigits: java.significantDigits,
    integerToDoubleRatio: java.integerToDoubleRatio,
    v2: java.v2,
  });
  // Without a value above zero, Java reports 2^63 - 1 times the ratio.
  expect(histogram.minNonZero).toBe(java.max === 0 ? 0 : java.minNonZero);
  const percentiles = java.percentiles.map(([percentile]) => percentile);
  const values = java.percentiles.map(([, value]) => value);
  expect(histogram.valuesAtPercentiles(percentiles)).toEqual(values);
  expect(percentiles.map((percentile) => histogram.valueAtPercentile(percentile))).toEqual(values);
  for (const row of one.atValues!) {
    const [value] = row;
    expect([value, histogram.countAt(value), histogram.percentileAtOrBelow(value)]).toEqual(row);
  }
  for (const row of one.equivalence!) {
    const value = row[0]!;
    // For a value beyond the integers, Java answers for the largest integer.
    if (value / java.integerToDoubleRatio >= 2 ** 63) {
      expectRefused(() => histogram.lowestEquivalentValue(value), 'ERR_VALUE_OUT_OF_RANGE');
      continue;
    }
    expect([
      value,
      histogram.sizeOfEquivalentValueRange(value),
      histogram.lowestEquivalentValue(value),
      histogram.highestEquivalentValue(value),
      histogram.medianEquivalentValue(value),
      histogram.nextNonEquivalentValue(value),
    ]).toEqual(row);
  }
  expectRows(histogram.recordedValues(), one.recordedValues!);
  expectRows(histogram.percentiles(2), one.percentileRows!);
  expect(formatPercentiles(histogram, { ticksPerHalfDistance: 2 })).toBe(one.text);
}

describe.each(['dense', 'sparse'] as const)('a histogram of doubles is as in Java, %s', (storage) => {
  const { cases } = javaFixture<DoubleCase>('double-histograms')!;

  test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    let histogram = made(one, storage);
    for (const step of one.steps ?? []) {
      if (step.rejected !== undefined) {
        const before = toHex(histogram.encode());
        refusalOf(() => perform(histogram, step, storage));
        expect(toHex(histogram.encode())).toBe(before);
        return;
      }
      histogram = perform(histogram, step, storage);
      if (step.do === 'subtract') {
        // Java keeps a maximum that has been taken out; the counts are the same.
        expect(histogram.equals(DoubleHistogram.decode(fromHex(one.result!.v2)))).toBe(true);
        return;
      }
      const { totalCount, min, max, integerToDoubleValueConversionRatio } = histogram;
      expect({ totalCount, min, max, integerToDoubleRatio: integerToDoubleValueConversionRatio }).toEqual(
        step.after,
      );
    }
    expectAsInJava(histogram, one);
    for (const java of one.iterations ?? []) expectRows(iterated(histogram, java), java);
    // And the other way round: the encoding that Java wrote is read as the recorded values.
    for (const encoded of [fromHex(one.result!.v2), one.compressed!]) {
      const decoded = DoubleHistogram.decode(encoded, { storage });
      expectAsInJava(decoded, one);
      expect(decoded.equals(histogram)).toBe(true);
    }
  });
});
