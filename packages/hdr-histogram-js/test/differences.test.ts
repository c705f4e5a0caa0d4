import { inspect } from 'node:util';
import * as ours from '../src/index.ts';
import { peer } from './support/peer.ts';

// Where hdr-histogram-js loses or corrupts data. Each test shows both.
const theirs = peer;

const NO_NUMBERS = ['x', '0.5', '7', '', null, undefined, {}] as unknown as number[];

test.each([8, 16] as const)('counts of %d bits do not wrap around', (bitBucketSize) => {
  const count = 2 ** bitBucketSize + 3;
  const [one, other] = [ours, theirs].map((hdr) => {
    const histogram = hdr.build({ bitBucketSize });
    for (let i = 0; i < count; i++) histogram.recordValue(5);
    histogram.recordValue(9);
    histogram.recordValue(9);
    return histogram;
  });
  expect(one!.getValueAtPercentile(50)).toBe(5);
  expect(one!.getValueAtPercentile(99.999)).toBe(9);
  // The count of 5 is 3 there, and the total is not.
  expect(() => other!.mean).toThrow('Index Out Of Bounds');
  expect(one!.mean).toBeCloseTo((5 * count + 18) / (count + 2), 9);
});

test('what is no number is refused and changes nothing', () => {
  const histogram = ours.build();
  histogram.recordValue(7);
  for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY, ...NO_NUMBERS]) {
    expect(() => histogram.recordValue(value)).toThrow();
  }
  expect(histogram.summary).toMatchObject({ totalCount: 1, max: 7 });
  expect(histogram.minNonZeroValue).toBe(7);

  const other = theirs.build();
  other.recordValue(Number.NaN);
  expect(other.totalCount).toBe(1);
  expect(other.getValueAtPercentile(50)).toBe(0);
});

test('a value above a fixed range is refused and changes nothing', () => {
  const histogram = ours.build({
    autoResize: false,
    highestTrackableValue: 1000,
    numberOfSignificantValueDigits: 2,
  });
  histogram.recordValue(1000);
  expect(() => histogram.recordValue(5000)).toThrow(/value must be at most 1023/);
  expect(histogram.summary).toMatchObject({ totalCount: 1, max: 1000 });
});

test('a difference below zero is refused, and the histogram stays as it was', () => {
  const [one, other] = [ours, theirs].map((hdr) => {
    const [less, more] = [hdr.build(), hdr.build()];
    less.recordValue(5);
    more.recordValueWithCount(5, 3);
    return [less, more] as const;
  });
  expect(() => one![0].subtract(one![1])).toThrow(/must be contained/);
  expect(one![0].totalCount).toBe(1);
  other![0].subtract(other![1]);
  // All counts are lost there, the negative ones included.
  expect(other![0].totalCount).toBeLessThan(1);
});

test('the largest value survives a sum of different shapes', () => {
  const [one, other] = [ours, theirs].map((hdr) => {
    const [small, large] = [hdr.build(), hdr.build({ highestTrackableValue: 2 ** 40 })];
    small.recordValue(123_457);
    large.recordValue(1);
    large.add(small);
    return large.maxValue;
  });
  expect(one).toBe(123_457);
  expect(other).toBe(123_456);
});

test('the maximum of a decoded histogram is the bound of its slot', () => {
  const encoded = ours.encodeIntoCompressedBase64(
    (() => {
      const histogram = ours.build({ lowestDiscernibleValue: 1000, highestTrackableValue: 2000 });
      histogram.recordValue(5000);
      return histogram;
    })(),
  );
  expect(ours.decodeFromCompressedBase64(encoded).maxValue).toBe(5119);
  // The width of a slot is added once more there.
  expect(theirs.decodeFromCompressedBase64(encoded).maxValue).toBe(5119 + 511);
});

test('encodings of version 1 are read', () => {
  // Of HdrHistogram in Java: values of 0 to 49.
  const v1 = 'HISTIgAAACV4nJNpmazIwMAQxAABjGh0iv0HKIsZLoYLMBGQRwH1/wFW5wTA';
  expect(() => theirs.decodeFromCompressedBase64(v1)).toThrow('only V2 is supported');
  const { totalCount, maxValue, minNonZeroValue } = ours.decodeFromCompressedBase64(v1);
  expect({ totalCount, maxValue, minNonZeroValue }).toEqual({
    totalCount: 32_773,
    maxValue: 49,
    minNonZeroValue: 1,
  });
});

test('a histogram that was recycled once is refused the second time', () => {
  const recorder = new ours.Recorder();
  const first = recorder.getIntervalHistogram();
  recorder.getIntervalHistogram(first);
  expect(() => recorder.getIntervalHistogram(first)).toThrow(/getIntervalHistogram\(\) of this recorder/);
  recorder.recordValue(3);
  expect(recorder.getIntervalHistogram().totalCount).toBe(1);
});

test('a histogram that changes during an iteration ends it', () => {
  const histogram = ours.build() as ours.JsHistogram;
  histogram.recordValue(1);
  const iterator = new ours.RecordedValuesIterator(histogram);
  expect(iterator.next().countAtValueIteratedTo).toBe(1);
  expect(() => iterator.next()).toThrow('Index Out Of Bounds');
  histogram.recordValue(2);
  expect(() => iterator.hasNext()).toThrow('Concurrent Modification');
});

test('a damaged line of a log is an error, and the next call goes on after it', () => {
  const good = '0.1,1.0,2.7,HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AMIKZAEARAtM=';
  const reader = new ours.HistogramLogReader(`${good}\n1.1,1.0,2.7,HISTFAAAAB54damaged\n${good}`);
  expect(reader.nextIntervalHistogram()?.maxValue).toBe(42);
  expect(() => reader.nextIntervalHistogram()).toThrow();
  expect(reader.nextIntervalHistogram()?.maxValue).toBe(42);
  expect(reader.nextIntervalHistogram()).toBeNull();
});

test('histograms of the two families are not mixed, as there', () => {
  ours.initWebAssemblySync();
  const [js, wasm] = [ours.build(), ours.build({ useWebAssembly: true })];
  expect(() => js.add(wasm)).toThrow('Cannot add a WASM histogram to a regular JS histogram');
  expect(() => wasm.subtract(js)).toThrow('Cannot subtract a regular JS histogram to a WASM histogram');
  expect(() => js.add({} as ours.Histogram)).toThrow(/a histogram of this package/);
});

test('console.log shows the summary', () => {
  const histogram = ours.build();
  histogram.recordValue(42);
  expect(inspect(histogram)).toMatch(/^Histogram 32b \{\n {2}"p50": 42,/);
});

test('a program that records what has no slot can go on', () => {
  const histogram = ours.build({ outOfRange: 'discard', autoResize: false, highestTrackableValue: 1000 });
  for (const value of [...NO_NUMBERS, Number.NaN, -5, 7, 1e9, Number.POSITIVE_INFINITY, ...NO_NUMBERS]) {
    histogram.recordValue(value);
  }
  expect(histogram.summary).toMatchObject({ totalCount: 1, max: 7, p50: 7 });
  expect(histogram.minNonZeroValue).toBe(7);
});

test('the policy of a program that cannot be changed comes from the environment', () => {
  process.env.HDRSCOPE_DROP_IN_OUT_OF_RANGE = 'discard';
  try {
    const decoded = ours.decodeFromCompressedBase64(ours.encodeIntoCompressedBase64(ours.build()));
    for (const histogram of [ours.build(), new ours.Int32Histogram(1, 1000, 3), decoded]) {
      histogram.recordValue(Number.NaN);
      expect(histogram.totalCount).toBe(0);
    }
  } finally {
    delete process.env.HDRSCOPE_DROP_IN_OUT_OF_RANGE;
  }
  expect(() => ours.build().recordValue(Number.NaN)).toThrow();
});
