import { Histogram } from '../../src/histogram/histogram.ts';
import { describeEachStorage } from '../support/storages.ts';

type Times = readonly [start: number | undefined, end: number | undefined];

function timesOf({ startTimeMs, endTimeMs }: Histogram): Times {
  return [startTimeMs, endTimeMs];
}

function at([startTimeMs, endTimeMs]: Times): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 1000 });
  histogram.record(5);
  return Object.assign(histogram, { startTimeMs, endTimeMs });
}

describeEachStorage('times and tag', (storage) => {
  const make = (): Histogram => new Histogram({ storage, highestTrackableValue: 1000 });

  test('are unknown at first, and recording does not set them', () => {
    const histogram = make();
    histogram.record(5);
    expect([...timesOf(histogram), histogram.tag]).toEqual([undefined, undefined, undefined]);
  });

  test.each([0, 1])('are those of the original in its copies, after %d values', (count) => {
    const histogram = make();
    Object.assign(histogram, { startTimeMs: 10, endTimeMs: 20, tag: 'reads' });
    histogram.record(5, count);
    for (const copy of [
      histogram.copy(),
      histogram.copy({ storage: 'sparse' }),
      histogram.copyCorrected(2),
    ]) {
      expect([...timesOf(copy), copy.tag]).toEqual([10, 20, 'reads']);
      Object.assign(copy, { startTimeMs: 0, endTimeMs: 99, tag: 'writes' });
    }
    expect([...timesOf(histogram), histogram.tag]).toEqual([10, 20, 'reads']);
  });

  test('are widened by an addition with correction', () => {
    const histogram = make();
    histogram.addCorrected(at([15, 17]), 2);
    expect([histogram.totalCount, ...timesOf(histogram)]).toEqual([2, 15, 17]);
    histogram.addCorrected(Object.assign(make(), { startTimeMs: 12 }), 2);
    expect(timesOf(histogram)).toEqual([12, 17]);
  });

  test('are forgotten with the values', () => {
    const histogram = make();
    Object.assign(histogram, { startTimeMs: 10, endTimeMs: 20, tag: 'reads' });
    histogram.reset();
    expect([...timesOf(histogram), histogram.tag]).toEqual([undefined, undefined, undefined]);
    histogram.add(at([15, 17]));
    expect(timesOf(histogram)).toEqual([15, 17]);
  });

  test.each<[Times, Times, Times]>([
    [
      [10, 20],
      [5, 25],
      [5, 25],
    ],
    [
      [10, 20],
      [12, 18],
      [10, 20],
    ],
    [
      [10, 20],
      [30, 40],
      [10, 40],
    ],
    [
      [undefined, undefined],
      [30, 40],
      [30, 40],
    ],
    [
      [10, 20],
      [undefined, undefined],
      [10, 20],
    ],
    [
      [0, undefined],
      [10, 20],
      [0, 20],
    ],
  ])('widen from %j by %j to %j when counts are added', (own, added, expected) => {
    const histogram = make();
    [histogram.startTimeMs, histogram.endTimeMs] = own;
    histogram.add(at(added));
    expect(timesOf(histogram)).toEqual(expected);
  });

  test('are widened by an addition without values, too', () => {
    const histogram = make();
    const empty = at([5, 25]);
    empty.subtract(at([undefined, undefined]));
    histogram.add(empty);
    expect([histogram.totalCount, ...timesOf(histogram)]).toEqual([0, 5, 25]);
  });

  test('stay as they are when counts are added that refuse to fit, or are taken out', () => {
    const histogram = make();
    Object.assign(histogram, { startTimeMs: 10, endTimeMs: 20, tag: 'reads' });
    const wide = new Histogram();
    wide.record(1_000_000);
    wide.startTimeMs = 1;
    expect(() => histogram.add(wide)).toThrow(/highestTrackableValue/);
    histogram.add(at([10, 20]));
    histogram.subtract(at([1, 99]));
    expect([...timesOf(histogram), histogram.tag]).toEqual([10, 20, 'reads']);
  });

  test('do not make histograms different', () => {
    const [one, other] = [at([10, 20]), make()];
    one.tag = 'reads';
    other.record(5);
    expect(one.equals(other)).toBe(true);
  });

  test('keep the tag of the histogram that is added to', () => {
    const [own, other] = [make(), at([10, 20])];
    own.tag = 'reads';
    other.tag = 'writes';
    own.add(other);
    expect(own.tag).toBe('reads');
  });
});
