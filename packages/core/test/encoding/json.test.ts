import { BasicHistogram } from '../../src/histogram/basic-histogram.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { recorded, slotsOf } from '../support/recorded.ts';
import { refusalOf } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';
import { LARGEST, LARGEST_BIGINT } from '../support/values.ts';

describeEachStorage('a histogram as JSON', (storage) => {
  const sample = (): Histogram => {
    const histogram = recorded(
      [
        [0, 1],
        [42, 3],
        [1e9, 2 ** 40 + 5],
      ],
      { highestTrackableValue: LARGEST_BIGINT, lowestDiscernibleValue: 3, autoResize: true, storage },
    );
    [histogram.startTimeMs, histogram.endTimeMs, histogram.tag] = [1000.5, 2000, 'A'];
    return histogram;
  };

  test.each([
    ['JSON.stringify', (json: unknown) => JSON.parse(JSON.stringify(json)) as unknown],
    ['structuredClone', (json: unknown) => structuredClone(json)],
  ])('passes through %s and comes back equal', (_how, pass) => {
    const histogram = sample();
    const back = Histogram.fromJSON(pass(histogram.toJSON()), { storage });
    expect(back.equals(histogram)).toBe(true);
    expect([back.layout, back.autoResize, back.storage]).toEqual([histogram.layout, true, storage]);
    expect([back.startTimeMs, back.endTimeMs, back.tag]).toEqual([1000.5, 2000, 'A']);
    expect(back.toJSON()).toEqual(histogram.toJSON());
  });

  test('keeps the shift of the counts, and a fixed range', () => {
    const histogram = recorded([[5000, 2]], { highestTrackableValue: 1e6, storage });
    histogram.shiftLeft(3);
    const back = Histogram.fromJSON(histogram.toJSON(), { storage });
    expect(back.encode()).toEqual(histogram.encode());
    expect(back.autoResize).toBe(false);
  });
});

test('the JSON of a basic histogram is that of a histogram', () => {
  const options = { highestTrackableValue: 1000, significantDigits: 2 } as const;
  const [basic, histogram] = [new BasicHistogram(options), new Histogram(options)];
  for (const one of [basic, histogram]) {
    one.record(42, 3);
    [one.startTimeMs, one.tag] = [1000.5, 'A'];
  }
  expect(JSON.stringify(basic)).toBe(JSON.stringify(histogram));
  expect(Histogram.fromJSON(basic.toJSON()).equals(histogram)).toBe(true);
});

test('JSON has the used slots only, and no times or tag that are not set', () => {
  const histogram = recorded([[42, 3]], { highestTrackableValue: 1000 });
  histogram.startTimeMs = Number.NaN;
  expect(JSON.stringify(histogram)).toBe(
    '{"type":"hdr","version":1,"significantDigits":3,"lowestDiscernibleValue":1,"highestTrackableValue":1000,' +
      '"autoResize":false,"counts":[[42,3]]}',
  );
});

describe('other JSON is refused, and the message names the place', () => {
  const valid = { ...recorded([[1, 1]], { highestTrackableValue: 1000 }).toJSON() };

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'json must be'],
    ['null', null, 'json must be'],
    ['a string', '{}', 'json must be'],
    ['an array', [valid], 'json must be'],
    ['another type', { ...valid, type: 'log2' }, 'json.type must be'],
    ['a later version', { ...valid, version: 2 }, 'json.version must be'],
    ['digits as text', { ...valid, significantDigits: '3' }, 'json.significantDigits must be'],
    ['6 digits', { ...valid, significantDigits: 6 }, 'the range in json is impossible: significantDigits'],
    ['a lowest value of 0', { ...valid, lowestDiscernibleValue: 0 }, 'the range in json is impossible'],
    ['a fraction', { ...valid, highestTrackableValue: 2.5 }, 'json.highestTrackableValue must be'],
    ['2^53', { ...valid, highestTrackableValue: 2 ** 53 }, 'json.highestTrackableValue must be'],
    ['2^63', { ...valid, highestTrackableValue: String(2n ** 63n) }, 'the range in json is impossible'],
    [
      'many digits',
      { ...valid, highestTrackableValue: '9'.repeat(1e6) },
      'json.highestTrackableValue must be',
    ],
    ['no autoResize', { ...valid, autoResize: undefined }, 'json.autoResize must be'],
    ['a time of null', { ...valid, startTimeMs: null }, 'json.startTimeMs must be'],
    ['an endless time', { ...valid, endTimeMs: Number.POSITIVE_INFINITY }, 'json.endTimeMs must be'],
    ['a tag that is a number', { ...valid, tag: 1 }, 'json.tag must be'],
    ['a wide offset', { ...valid, normalizingOffset: 2 ** 31 }, 'json.normalizingOffset must be'],
    ['counts that are an object', { ...valid, counts: {} }, 'json.counts must be'],
    ['more counts than slots', { ...valid, counts: new Array(2 ** 20).fill([1, 1]) }, 'json.counts must be'],
    ['a count alone', { ...valid, counts: [5] }, 'json.counts[0] must be'],
    ['three numbers', { ...valid, counts: [[1, 1, 1]] }, 'json.counts[0] must be'],
    ['a negative slot', { ...valid, counts: [[-1, 1]] }, 'json.counts[0][0]'],
    ['a slot past the last', { ...valid, counts: [[1e6, 1]] }, 'json.counts[0][0]'],
    [
      'a slot twice',
      {
        ...valid,
        counts: [
          [1, 1],
          [1, 1],
        ],
      },
      'json.counts[1][0]',
    ],
    [
      'slots that descend',
      {
        ...valid,
        counts: [
          [2, 1],
          [1, 1],
        ],
      },
      'json.counts[1][0]',
    ],
    ['a count of 0', { ...valid, counts: [[1, 0]] }, 'json.counts[0][1]'],
    ['a fraction of a count', { ...valid, counts: [[1, 0.5]] }, 'json.counts[0][1]'],
    ['a count of 2^53', { ...valid, counts: [[1, 2 ** 53]] }, 'json.counts[0][1]'],
    [
      'a total of 2^53',
      {
        ...valid,
        counts: [
          [1, LARGEST],
          [2, 1],
        ],
      },
      'the sum of json.counts must be',
    ],
  ])('%s', (_what, json, message) => {
    const refusal = refusalOf(() => Histogram.fromJSON(json));
    expect(refusal.code).toBe('ERR_DECODE');
    expect(refusal.message).toContain(message);
    expect(refusal.message.length).toBeLessThan(300);
  });

  test('while the valid JSON is read', () => {
    expect(slotsOf(Histogram.fromJSON(valid))).toEqual([[1, 1]]);
  });
});
