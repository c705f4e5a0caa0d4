import { createHash } from 'node:crypto';
import { caseCount } from '@hdrscope/testing/case-count';
import type { Storage } from '../src/counts/readonly-counts.ts';
import { Histogram } from '../src/histogram/histogram.ts';
import type { IterationStep, Steps } from '../src/histogram/iteration.ts';
import type { HdrReading } from '../src/histogram/reading.ts';
import { hdrLayout } from '../src/layout/hdr.ts';
import { formatPercentiles } from '../src/text/percentile-text.ts';
import { fromHex, toHex } from './support/bytes.ts';
import {
  type JavaCase,
  type JavaNumber,
  type JavaOptions,
  type JavaRecording,
  made,
  reasonToSkip,
  record,
} from './support/java.ts';
import { slotsOf, toRead } from './support/recorded.ts';
import { expectRefused } from './support/refused.ts';
import { replay } from './support/replay.ts';
import { describeEachStorage, STORAGES } from './support/storages.ts';

/** Java's description of a histogram: see `describe` in tools/goldens. */
interface Summary {
  readonly totalCount: JavaNumber;
  readonly min: JavaNumber;
  readonly max: JavaNumber;
  readonly mean: number;
  readonly standardDeviation: number;
  readonly lowestDiscernibleValue: JavaNumber;
  readonly highestTrackableValue: JavaNumber;
  readonly significantDigits: number;
  readonly countsArrayLength: number;
  readonly bucketCount: number;
  readonly subBucketCount: number;
  readonly percentiles?: readonly (readonly [percentile: number, value: JavaNumber])[];
  readonly v2?: string;
}

/** An integer, or the double nearest to an integer that is not a double. */
const toNumber = (value: JavaNumber): number => Number(value);

function expectAsInJava(histogram: Histogram, java: Summary): void {
  const { layout, totalCount, min, max, mean, standardDeviation } = histogram;
  expect({
    totalCount,
    min,
    max,
    mean,
    standardDeviation,
    lowest: layout.lowestDiscernibleBigInt,
    highest: layout.highestTrackableBigInt,
    significantDigits: layout.significantDigits,
    shape: [layout.slotCount, layout.bucketCount, layout.subBucketCount],
  }).toEqual({
    totalCount: toNumber(java.totalCount),
    min: toNumber(java.min),
    max: toNumber(java.max),
    mean: java.mean,
    standardDeviation: java.standardDeviation,
    lowest: BigInt(java.lowestDiscernibleValue),
    highest: BigInt(java.highestTrackableValue),
    significantDigits: java.significantDigits,
    shape: [java.countsArrayLength, java.bucketCount, java.subBucketCount],
  });
  const asked = (java.percentiles ?? []).map(([percentile]) => percentile);
  const expected = (java.percentiles ?? []).map(([, value]) => toNumber(value));
  expect(asked.map((percentile) => histogram.valueAtPercentile(percentile))).toEqual(expected);
  expect(histogram.valuesAtPercentiles(asked)).toEqual(expected);
  const exactly = (java.percentiles ?? []).map(([, value]) => BigInt(value));
  expect(histogram.exact.valuesAtPercentiles(asked)).toEqual(exactly);
  expect([histogram.exact.min, histogram.exact.max]).toEqual([BigInt(java.min), BigInt(java.max)]);
  if (java.v2 !== undefined) expect(toHex(histogram.encode())).toBe(java.v2);
}

interface HistogramCase extends JavaCase, Summary {
  readonly significantDigits: number;
  readonly compressed: string;
  readonly v2: string;
}

describeEachStorage('a recorded histogram is as in Java', (storage) => {
  replay<HistogramCase>('histograms', reasonToSkip, (one) => {
    const histogram = toRead(made(one, storage));
    expectAsInJava(histogram, one);
    // And the other way round: the encoding that Java wrote is read as the recorded values.
    for (const encoded of [fromHex(one.v2), one.compressed]) {
      const decoded = toRead(Histogram.decode(encoded, { storage }));
      expect([decoded.totalCount, decoded.mean]).toEqual([histogram.totalCount, histogram.mean]);
      expect(toHex(decoded.encode())).toBe(one.v2);
    }
  });
});

type Step = JavaRecording & {
  readonly do: string;
  readonly other?: JavaRecording & { readonly options: JavaOptions; readonly shiftLeft?: number };
  readonly by?: number;
  readonly expectedInterval?: number;
  readonly rejected?: string;
  readonly after?: Pick<
    Summary,
    'totalCount' | 'min' | 'max' | 'highestTrackableValue' | 'countsArrayLength'
  >;
};

interface OperationsCase extends JavaCase {
  readonly steps: readonly Step[];
  readonly result?: Summary;
}

function reasonToSkipSteps(one: OperationsCase): string | undefined {
  const recordings = [one, ...one.steps, ...one.steps.flatMap((step) => step.other ?? [])];
  return recordings.map(reasonToSkip).find((reason) => reason !== undefined);
}

/**
 * Where `add` widens the range, Java makes the other's maximum the highest trackable value, though its slots reach
 * further; here it is the end of the slots, as after recording the same values, so that both give one encoding.
 */
function asGrownByAdding<Java extends Pick<Summary, 'highestTrackableValue'>>(
  java: Java,
  histogram: Histogram,
): Java {
  const ours = histogram.layout.highestTrackableBigInt;
  expect(ours).toBe(histogram.layout.upperBigInt(histogram.layout.slotCount - 1));
  expect(ours).toBeGreaterThanOrEqual(BigInt(java.highestTrackableValue));
  const highestTrackableValue = ours.toString();
  if (!('v2' in java)) return { ...java, highestTrackableValue };
  const v2 = java.v2 as string;
  const header = ours.toString(16).padStart(16, '0');
  return { ...java, highestTrackableValue, v2: v2.slice(0, 48) + header + v2.slice(64) };
}

describeEachStorage('a histogram after some operations is as in Java', (storage) => {
  const otherOf = ({ other }: Step): Histogram => {
    const histogram = made(other!, storage);
    histogram.shiftLeft(other?.shiftLeft ?? 0);
    return histogram;
  };

  const perform = (histogram: Histogram, step: Step): Histogram => {
    switch (step.do) {
      case 'record':
        record(histogram, step);
        return histogram;
      case 'add':
        histogram.add(otherOf(step));
        return histogram;
      case 'addWhileCorrecting':
        histogram.addCorrected(otherOf(step), step.expectedInterval!);
        return histogram;
      case 'subtract':
        histogram.subtract(otherOf(step));
        return histogram;
      case 'shiftLeft':
        histogram.shiftLeft(step.by!);
        return histogram;
      case 'shiftRight':
        histogram.shiftRight(step.by!);
        return histogram;
      case 'reset':
        histogram.reset();
        return histogram;
      case 'copy':
        return histogram.copy();
      case 'copyCorrected':
        return histogram.copyCorrected(step.expectedInterval!);
      default:
        throw new Error(`there must be a way to ${step.do}`);
    }
  };

  replay<OperationsCase>('operations', reasonToSkipSteps, (one) => {
    let histogram = made(one, storage);
    let grownByAdding = false;
    for (const step of one.steps) {
      if (step.rejected !== undefined) {
        expect(() => perform(histogram, step)).toThrow(expect.objectContaining({ name: 'HdrscopeError' }));
        continue;
      }
      const slots = histogram.counts.length;
      histogram = perform(histogram, step);
      grownByAdding ||= step.do === 'add' && histogram.counts.length > slots;
      const after = grownByAdding ? asGrownByAdding(step.after!, histogram) : step.after!;
      const { totalCount, exact, layout } = histogram;
      expect([totalCount, exact.min, exact.max, layout.highestTrackableBigInt, layout.slotCount]).toEqual([
        after.totalCount,
        BigInt(after.min),
        BigInt(after.max),
        BigInt(after.highestTrackableValue),
        after.countsArrayLength,
      ]);
    }
    if (one.result === undefined) return;
    expectAsInJava(histogram, grownByAdding ? asGrownByAdding(one.result, histogram) : one.result);
  });
});

interface IterationsCase extends JavaCase {
  readonly iterations: readonly {
    readonly kind: string;
    readonly arguments: readonly number[];
    readonly steps: number;
    readonly rows?: readonly Row[];
    readonly first?: readonly Row[];
    readonly last?: readonly Row[];
    readonly sha256?: string;
  }[];
}

type Row = readonly JavaNumber[];

const rowOf = <V extends number | bigint>(step: IterationStep<V>): Row =>
  [
    step.valueIteratedTo,
    step.valueIteratedFrom,
    step.countAtValueIteratedTo,
    step.countAddedInThisIterationStep,
    step.totalCountToThisValue,
    step.totalValueToThisValue,
    step.percentile,
    step.percentileLevelIteratedTo,
  ].map(asInFixture);

/** JSON has no NaN, and no integers beyond 2^53. */
function asInFixture(column: number | bigint): JavaNumber {
  if (typeof column === 'number') return Number.isNaN(column) ? 'NaN' : column;
  return column <= Number.MAX_SAFE_INTEGER ? Number(column) : column.toString();
}

/** The row with its integers as numbers, without the sum of values, which is rounded more than once. */
const rounded = (row: Row): unknown[] => row.toSpliced(5, 1).map(Number);

function iterated<V extends number | bigint>(
  reading: HdrReading<V>,
  kind: string,
  [first = 0, base = 0]: readonly number[],
  toValue: (integer: number) => V,
): Steps<V> {
  switch (kind) {
    case 'recorded':
      return reading.recordedValues();
    case 'all':
      return reading.allValues();
    case 'percentiles':
      return reading.percentiles(first);
    case 'linear':
      return reading.linearValues(toValue(first));
    case 'logarithmic':
      return reading.logarithmicValues(toValue(first), base);
    default:
      throw new Error(`there must be an iteration of ${kind}`);
  }
}

/** Iterations read all storages alike: the tests of the storages prove it, and the long run has all of them. */
const ITERATED = STORAGES.slice(0, caseCount(1, STORAGES.length));

const iteratesAsInJava = (storage: Storage): void => {
  replay<IterationsCase>('iterators', reasonToSkip, (one) => {
    const histogram = made(one, storage);
    for (const { kind, arguments: given, ...java } of one.iterations) {
      const rows = [...iterated(histogram.exact, kind, given, BigInt)].map(rowOf);
      const numbers = [...iterated(histogram, kind, given, Number)];
      expect([kind, rows.length, numbers.length]).toEqual([kind, java.steps, java.steps]);
      const shown = <Shown>(all: readonly Shown[]): readonly Shown[] =>
        java.rows === undefined ? [...all.slice(0, 8), ...all.slice(-8)] : all;
      const expected = java.rows ?? [...java.first!, ...java.last!];
      expect(shown(rows)).toEqual(expected);
      expect(shown(numbers).map((step) => rounded(rowOf(step)))).toEqual(expected.map(rounded));
      if (java.sha256 !== undefined) {
        const text = rows.map((row) => JSON.stringify(row)).join('\n');
        expect(createHash('sha256').update(text).digest('hex')).toBe(java.sha256);
      }
    }
  });
};

describeEachStorage('iterating is as in Java', iteratesAsInJava, ITERATED);

interface TextCase extends JavaCase {
  readonly texts: readonly {
    readonly ticksPerHalfDistance: number;
    readonly scalingRatio: number;
    readonly csv: boolean;
    readonly text: string;
  }[];
}

/** Before version 19, Java printed some doubles with more digits than are needed (JDK-4511638). */
const reasonToSkipText = (one: TextCase): string | undefined =>
  one.texts.some(({ text }) => text.includes('4611721202799476700'))
    ? 'a double that Java 17 does not print in its shortest form'
    : reasonToSkip(one);

describeEachStorage('percentile text is Java’s, byte for byte', (storage) => {
  replay<TextCase>('percentile-text', reasonToSkipText, (one) => {
    const histogram = made(one, storage);
    for (const { ticksPerHalfDistance, scalingRatio, csv, text } of one.texts) {
      const format = csv ? 'csv' : 'text';
      expect(formatPercentiles(histogram, { ticksPerHalfDistance, valueScale: scalingRatio, format })).toBe(
        text,
      );
    }
  });
});

interface DecodingCase {
  readonly name: string;
  readonly bytes?: string;
  readonly compressed?: string;
  readonly result?: Summary;
  readonly recorded?: readonly (readonly [highestEquivalent: JavaNumber, count: JavaNumber])[];
  readonly v2?: string;
  readonly rejected?: string;
}

function reasonToSkipDecoding({ recorded = [] }: DecodingCase): string | undefined {
  if (recorded.some(([, count]) => typeof count === 'string')) return 'counts above 2^53 - 1';
  return undefined;
}

/** The same layout and counts in the form that we write: the ratio is that of integers. */
function canonical(v2: string): string {
  return `${v2.slice(0, 64)}3ff0000000000000${v2.slice(80)}`;
}

describeEachStorage('an encoding that Java reads is read as in Java', (storage) => {
  replay<DecodingCase>(
    'decoding',
    reasonToSkipDecoding,
    ({ bytes, compressed, result, recorded, v2, rejected }) => {
      const encoded = bytes === undefined ? compressed! : fromHex(bytes);
      if (rejected !== undefined) {
        expectRefused(() => Histogram.decode(encoded, { storage }), 'ERR_DECODE');
        return;
      }
      const histogram = toRead(Histogram.decode(encoded, { storage }));
      expectAsInJava(histogram, result!);
      const { layout } = histogram;
      expect(slotsOf(histogram).map(([slot, count]) => [layout.upper(slot), count])).toEqual(
        recorded!.map(([value, count]) => [toNumber(value), count]),
      );
      expect(toHex(histogram.encode())).toBe(canonical(v2!));
    },
  );
});

interface EquivalenceCase extends JavaCase {
  readonly values: readonly (readonly JavaNumber[])[];
  readonly bucketCount: number;
  readonly subBucketCount: number;
  readonly countsArrayLength: number;
}

describe('the slots of an HDR layout are those of Java', () => {
  replay<EquivalenceCase>(
    'equivalence',
    () => undefined,
    ({ options, values, bucketCount, subBucketCount, countsArrayLength }) => {
      const layout = hdrLayout({
        lowestDiscernibleValue: BigInt(options.lowestDiscernibleValue),
        highestTrackableValue: BigInt(options.highestTrackableValue),
        significantDigits: options.significantDigits,
      });
      expect([layout.bucketCount, layout.subBucketCount, layout.slotCount]).toEqual([
        bucketCount,
        subBucketCount,
        countsArrayLength,
      ]);
      const java = values.map((row) => row.map(BigInt));
      const ours = java.map(([value]) => {
        const slot = layout.slotOfBigInt(value!);
        const [size, lower, median] = [layout.size(slot), layout.lower(slot), layout.midpoint(slot)];
        return [value, ...[slot, size, lower].map(BigInt), layout.upperBigInt(slot), BigInt(median)];
      });
      expect(ours).toEqual(java.map((row) => row.slice(0, 6)));
      const safe = java.map(([value]) => value!).filter((value) => value <= Number.MAX_SAFE_INTEGER);
      const asNumbers = safe.map((value) => layout.slotOf(Number(value)));
      expect(asNumbers).toEqual(safe.map((value) => layout.slotOfBigInt(value)));
    },
  );
});
