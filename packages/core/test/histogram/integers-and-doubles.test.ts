import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { expectRefusedUnchanged, refusalOf } from '../support/refused.ts';

const doubles = (): DoubleHistogram => {
  const histogram = new DoubleHistogram();
  histogram.record(0.25, 3);
  return histogram;
};

const integers = (): Histogram => {
  const histogram = new Histogram({ highestTrackableValue: 1000 });
  histogram.record(7, 2);
  return histogram;
};

describe('a DoubleHistogram, whose fractions would count as 0,', () => {
  test.each<[call: string, action: (histogram: Histogram) => void]>([
    // @ts-expect-error: doubles are not integers
    ['add', (histogram) => histogram.add(doubles())],
    // @ts-expect-error: doubles are not integers
    ['subtract', (histogram) => histogram.subtract(doubles())],
    // @ts-expect-error: doubles have no HDR layout
    ['addCorrected', (histogram) => histogram.addCorrected(doubles(), 1)],
  ])('is refused by %s of a Histogram', (_call, action) => {
    const histogram = integers();
    expectRefusedUnchanged(histogram, () => action(histogram), 'ERR_INCOMPATIBLE');
  });

  test('goes into a Histogram by the code in the message', () => {
    const histogram = new Histogram();
    const { message } = refusalOf(() => histogram.add(doubles() as never));
    const statement = message.slice(message.indexOf('for (const step'));
    new Function('doubles', 'histogram', statement)(doubles(), histogram);
    expect([histogram.totalCount, histogram.countAt(250_000_000)]).toEqual([3, 3]);
  });
});

test.each(['add', 'subtract', 'equals', 'addCorrected'] as const)(
  'a Histogram is refused by %s of a DoubleHistogram, which changes nothing',
  (method) => {
    const histogram = doubles();
    const refusal = refusalOf(() => histogram[method](integers() as never, 1));
    expect([refusal.code, histogram.totalCount]).toEqual(['ERR_INCOMPATIBLE', 3]);
  },
);

test('a Histogram goes into a DoubleHistogram by the code in the message', () => {
  const histogram = doubles();
  const { message } = refusalOf(() => histogram.add(integers() as never));
  const statement = message.slice(message.indexOf('for (const step'));
  new Function('histogram', 'doubles', statement)(integers(), histogram);
  expect([histogram.totalCount, histogram.countAt(7)]).toEqual([5, 2]);
});

test('an encoding of the other class is refused with the name of the class that reads it', () => {
  for (const encoded of [doubles().encode(), doubles().encodeCompressed(), doubles().toBase64()]) {
    const { code, message } = refusalOf(() => Histogram.decode(encoded));
    expect([code, message]).toEqual([
      'ERR_DECODE',
      'this is the encoding of a DoubleHistogram: read it with DoubleHistogram.decode',
    ]);
  }
  for (const encoded of [integers().encode(), integers().encodeCompressed(), integers().toBase64()]) {
    const { code, message } = refusalOf(() => DoubleHistogram.decode(encoded));
    expect([code, message]).toEqual([
      'ERR_DECODE',
      'this is the encoding of a Histogram of integers: read it with Histogram.decode',
    ]);
  }
});

test('widths of steps may be numbers or bigints, whatever the values are', () => {
  const histogram = integers();
  const [numbers] = histogram.linearValues(10n);
  const [bigints] = histogram.exact.linearValues(10);
  expect([numbers?.valueIteratedTo, bigints?.valueIteratedTo]).toEqual([9, 9n]);
  expect(histogram.exact.logarithmicValues(10, 2).next().value).toMatchObject({ valueIteratedTo: 9n });
  expect(refusalOf(() => histogram.linearValues(2n ** 60n)).code).toBe('ERR_INVALID_OPTION');
});
