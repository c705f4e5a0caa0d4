import { readFileSync } from 'node:fs';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import type { HistogramOptions } from '../../src/histogram/setup.ts';
import { fromHex } from '../support/bytes.ts';
import { fixedWords } from '../support/fixed-words-bytes.ts';
import { mutated, mutations, readOrRefused } from '../support/hostile.ts';
import { HOUR_US, recorded, recordedOnce, slotsOf } from '../support/recorded.ts';
import { expectRefused, expectRefusedUnchanged, refusalOf, stateOf } from '../support/refused.ts';
import { describeEachStorage, STORAGES } from '../support/storages.ts';
import { rawV2, zigZag } from '../support/v2-bytes.ts';
import { LARGEST, LARGEST_BIGINT, type Recording, recordings } from '../support/values.ts';

const FEW: Recording = [
  [1, 1],
  [5, 2],
  [300, 2 ** 33],
  [5000, 1],
];

const shapes: fc.Arbitrary<HistogramOptions> = fc
  .tuple(fc.nat(3), fc.nat(12), fc.boolean(), fc.constantFrom(...STORAGES))
  .map(([significantDigits, unit, grows, storage]) => ({
    significantDigits,
    lowestDiscernibleValue: 2 ** unit,
    storage,
    ...(grows ? {} : { highestTrackableValue: 2 ** 40 }),
  }));

const contents = recordings(2 ** 42, 20);

/** The result of an action: the state of the histogram, and the code of the refusal if there was one. */
function outcomeOf(histogram: Histogram, action: () => void): unknown {
  const before = stateOf(histogram);
  try {
    action();
  } catch (error) {
    expect(stateOf(histogram)).toEqual(before);
    return (error as { readonly code: string }).code;
  }
  return stateOf(histogram);
}

function recordedFitting(recording: Recording, options: HistogramOptions): Histogram {
  return recorded(recording, { ...options, outOfRange: 'clamp' });
}

test('adding an encoding is adding the decoded histogram, whatever the layouts', () => {
  fc.assert(
    fc.property(shapes, shapes, contents, contents, (ours, theirs, a, b) => {
      const other = recordedFitting(b, theirs);
      const [histogram, added] = [recordedFitting(a, ours), recordedFitting(a, ours)];
      // Each is added to the counts before it.
      for (const encoded of [other.encode(), other.encodeCompressed(), other.toBase64()]) {
        const expected = outcomeOf(added, () => added.add(other));
        expect(outcomeOf(histogram, () => histogram.addEncoded(encoded))).toEqual(expected);
      }
    }),
    { numRuns: caseCount(50, 150) },
  );
});

describeEachStorage('addEncoded', (storage) => {
  const options = { highestTrackableValue: 10_000, significantDigits: 2, storage };

  test('adds to earlier counts, and leaves times and tag', () => {
    const histogram = recorded(FEW, options);
    [histogram.startTimeMs, histogram.endTimeMs, histogram.tag] = [5, 6, 'get'];
    const other = recorded([...FEW, [9999, 3]], options);
    [other.startTimeMs, other.endTimeMs] = [1, 9];
    histogram.addEncoded(other.toBase64());
    expect(slotsOf(histogram)).toEqual(slotsOf(recorded([...FEW, ...FEW, [9999, 3]], options)));
    expect([histogram.startTimeMs, histogram.endTimeMs, histogram.tag]).toEqual([5, 6, 'get']);
  });

  test('knows minimum, maximum and percentiles, before and after values are recorded', () => {
    const histogram = new Histogram(options);
    for (const [values, expected] of [
      [
        [300, 400],
        [300, 401],
      ],
      [[7], [7, 401]],
      [[9000], [7, 9023]],
    ] as const) {
      histogram.addEncoded(recordedOnce(values, options).encode());
      expect([histogram.min, histogram.max]).toEqual(expected);
    }
    histogram.record(2);
    histogram.addEncoded(recordedOnce([50], options).encode());
    histogram.record(9900);
    expect([histogram.min, histogram.max, histogram.totalCount]).toEqual([2, 9919, 7]);
    expect(histogram.valuesAtPercentiles([1, 50, 100])).toEqual([2, 301, 9919]);
    histogram.reset();
    histogram.addEncoded(recordedOnce([50], options).encode());
    expect([histogram.min, histogram.max]).toEqual([50, 50]);
  });

  test('knows its bounds where they were not asked for since values were recorded', () => {
    const histogram = recordedOnce([3, 8000], options);
    histogram.addEncoded(recordedOnce([50], options).encode());
    expect([histogram.min, histogram.max]).toEqual([3, 8031]);
  });

  test('of nothing changes nothing, however wide its range', () => {
    const histogram = recorded(FEW, { storage });
    const before = stateOf(histogram);
    histogram.addEncoded(new Histogram({ highestTrackableValue: 2 ** 40 }).encode());
    expect(stateOf(histogram)).toEqual(before);
  });

  test('carries counts past 2^31 and 2^32', () => {
    const histogram = new Histogram(options);
    const counts = [2 ** 31 - 1, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 40 + 3];
    for (const count of counts) histogram.addEncoded(recorded([[7, count]], options).encode());
    expect([histogram.counts.at(7), histogram.totalCount]).toEqual([
      2 ** 40 + 2 ** 33 + 2,
      2 ** 40 + 2 ** 33 + 2,
    ]);
  });

  test('carries when several slots of a finer layout go to one slot', () => {
    const histogram = new Histogram({ ...options, significantDigits: 1 });
    const other = recorded(
      [8000, 8001, 8002, 8003].map((value) => [value, 2 ** 31 - 1]),
      { highestTrackableValue: 10_000, significantDigits: 4 },
    );
    histogram.addEncoded(other.encode());
    expect(slotsOf(histogram).map(([, count]) => count)).toEqual([4 * (2 ** 31 - 1)]);
  });

  test('grows a histogram that resizes itself', () => {
    const histogram = recorded([[1, 1]], { storage });
    histogram.addEncoded(recorded([[1e6, 1]]).encode());
    const both = recordedOnce([1, 1e6], { storage });
    expect(stateOf(histogram)).toEqual(stateOf(both));
  });

  test.each([3, 1])(
    'refuses values that do not fit, of %d digits, and changes nothing',
    (significantDigits) => {
      const histogram = recorded(FEW, options);
      const tooLarge = recordedOnce([1, 20_000], { significantDigits }).encode();
      expectRefusedUnchanged(histogram, () => histogram.addEncoded(tooLarge), 'ERR_VALUE_OUT_OF_RANGE');
    },
  );

  test('refuses counts that would pass 2^53 - 1 together, and does not grow', () => {
    const histogram = recorded([[1, LARGEST - 2]], { storage });
    const others = recordedOnce([2, 3, 1e6]).encode();
    expectRefusedUnchanged(histogram, () => histogram.addEncoded(others), 'ERR_COUNT_OVERFLOW');
    histogram.addEncoded(recordedOnce([2, 1e6]).encode());
    expect(histogram.totalCount).toBe(LARGEST);
  });

  test('takes any number of used slots', () => {
    const wide = { highestTrackableValue: 2 ** 20, significantDigits: 4, storage };
    const slots = 20_000;
    const payload = Array.from({ length: slots }, (_, slot) => ((slot % 50) + 1) * 2);
    const encoded = rawV2({ significantDigits: 4, highest: 2n ** 20n, payload });
    const histogram = new Histogram(wide);
    for (let times = 1; times <= 2; times++) {
      histogram.addEncoded(encoded);
      const { counts } = histogram;
      const expected = Array.from({ length: slots }, (_, slot) => times * ((slot % 50) + 1));
      expect(Array.from({ length: slots }, (_, slot) => counts.at(slot))).toEqual(expected);
      expect([counts.first, counts.last, counts.total]).toEqual([0, slots - 1, times * 510_000]);
    }
    const coarse = new Histogram({ ...wide, significantDigits: 1 });
    coarse.addEncoded(encoded);
    const added = new Histogram({ ...wide, significantDigits: 1 });
    added.add(Histogram.decode(encoded));
    expect(stateOf(coarse)).toEqual(stateOf(added));
  });

  test('refuses an encoding that breaks after any number of used slots, and changes nothing', () => {
    const payload = [...new Uint8Array(9000).fill(2), 0x80];
    const encoded = rawV2({ significantDigits: 4, highest: 2n ** 20n, payload });
    const histogram = recorded(FEW, options);
    expectRefusedUnchanged(histogram, () => histogram.addEncoded(encoded), 'ERR_DECODE');
  });

  test.each([0, 1] as const)('reads version %d', (version) => {
    const encoded = fixedWords({ version, wordSize: 4, counts: new Array(64).fill(5n) });
    const [histogram, added] = [recorded([[2, 1]], options), recorded([[2, 1]], options)];
    histogram.addEncoded(encoded);
    added.add(Histogram.decode(encoded));
    expect(stateOf(histogram)).toEqual(stateOf(added));
    expect([histogram.totalCount, histogram.counts.at(2)]).toEqual([321, 6]);
  });

  test('refuses every encoding that is cut off, and changes nothing', () => {
    const histogram = recorded(FEW, options);
    const other = recorded(FEW, options);
    const before = stateOf(histogram);
    const words = fixedWords({ version: 1, wordSize: 2, counts: new Array(64).fill(5n) });
    for (const whole of [other.encode(), other.encodeCompressed(), words]) {
      for (let end = 0; end < whole.length; end++)
        expectRefused(() => histogram.addEncoded(whole.subarray(0, end)), 'ERR_DECODE');
    }
    expect(stateOf(histogram)).toEqual(before);
  });

  test('takes another encoding after it has refused one', () => {
    const histogram = new Histogram(options);
    const broken = rawV2({ payload: [2, 2, 2, 2, 0x80] });
    expectRefused(() => histogram.addEncoded(broken), 'ERR_DECODE');
    histogram.addEncoded(recordedOnce([42], options).encode());
    expect(slotsOf(histogram)).toEqual([[42, 1]]);
  });

  test('treats a mutated encoding as decoding and adding it does, or changes nothing', () => {
    const fixed = { ...options, lowestDiscernibleValue: 2 };
    fc.assert(
      fc.property(recordings(9000, 8), mutations, fc.boolean(), (recording, changes, isRaw) => {
        const other = recorded(recording, options);
        const encoded = mutated(isRaw ? other.encode() : other.encodeCompressed(), changes);
        const decoded = readOrRefused(() => Histogram.decode(encoded, { storage: 'sparse' }));
        for (const into of [options, fixed]) {
          const [histogram, added] = [recorded(FEW, into), recorded(FEW, into)];
          const outcome = outcomeOf(histogram, () => histogram.addEncoded(encoded));
          expect(outcome).toEqual(decoded ? outcomeOf(added, () => added.add(decoded)) : 'ERR_DECODE');
        }
      }),
      { numRuns: caseCount(50, 100) },
    );
  });
});

interface DecodingCase {
  readonly name: string;
  readonly bytes?: string;
  readonly compressed?: string;
}

const { cases } = JSON.parse(
  readFileSync(new URL('../fixtures/java/decoding.json', import.meta.url), 'utf8'),
) as { readonly cases: readonly DecodingCase[] };

test.each(cases.map((one) => [one.name, one] as const))('%s is added as it is decoded', (_name, one) => {
  const encoded = one.compressed ?? fromHex(one.bytes!);
  const decoded = readOrRefused(() => Histogram.decode(encoded, { storage: 'sparse' }));
  const histogram = recorded(FEW, { storage: 'sparse' });
  if (decoded === undefined) {
    expectRefusedUnchanged(histogram, () => histogram.addEncoded(encoded), 'ERR_DECODE');
    return;
  }
  const added = recorded(FEW, { storage: 'sparse' });
  added.add(decoded);
  histogram.addEncoded(encoded);
  expect(stateOf(histogram)).toEqual(stateOf(added));
});

test('layouts that follow one another are not mistaken for each other', () => {
  const values = [1000, 2000, 4_000_000];
  const layouts: HistogramOptions[] = [
    { highestTrackableValue: HOUR_US },
    { highestTrackableValue: HOUR_US, significantDigits: 2 },
    { highestTrackableValue: HOUR_US, significantDigits: 2, lowestDiscernibleValue: 8 },
    { highestTrackableValue: HOUR_US + 1, significantDigits: 2, lowestDiscernibleValue: 8 },
    { highestTrackableValue: LARGEST_BIGINT, significantDigits: 2, lowestDiscernibleValue: 8 },
  ];
  for (const options of [...layouts, ...layouts.toReversed()]) {
    const { layout } = Histogram.decode(recordedOnce(values, options).encode());
    expect(layout).toEqual(new Histogram(options).layout);
  }
});

test('values above 2^53 keep their slots in a coarser and in a finer layout', () => {
  const top = recorded([[LARGEST, 1]], { highestTrackableValue: LARGEST_BIGINT });
  top.record(LARGEST_BIGINT);
  top.record(2n ** 62n - 1n);
  for (const significantDigits of [0, 2, 4]) {
    const into = { highestTrackableValue: LARGEST_BIGINT, significantDigits, storage: 'sparse' } as const;
    const [added, addedEncoded] = [new Histogram(into), new Histogram(into)];
    added.add(top);
    addedEncoded.addEncoded(top.encode());
    expect(slotsOf(addedEncoded)).toEqual(slotsOf(added));
  }
});

test('the message is that of decoding', () => {
  const broken = rawV2({ payload: [...zigZag(-40_000n), 2] });
  const { message } = refusalOf(() => Histogram.decode(broken));
  expect(refusalOf(() => new Histogram().addEncoded(broken)).message).toBe(message);
});

describe.each(['dense', 'sparse'] as const)('addEncoded of doubles, %s', (storage) => {
  const recordedDoubles = (...values: readonly number[]): DoubleHistogram => {
    const histogram = new DoubleHistogram({ storage });
    for (const value of values) histogram.record(value);
    return histogram;
  };

  test('equals adding the decoded histogram', () => {
    const other = recordedDoubles(0, 0.001, 12, 12, 900);
    for (const encoded of [other.encode(), other.encodeCompressed(), other.toBase64()]) {
      const [added, addedEncoded] = [recordedDoubles(1, 1e6), recordedDoubles(1, 1e6)];
      added.add(other);
      addedEncoded.addEncoded(encoded);
      expect(addedEncoded.equals(added)).toBe(true);
      expect(addedEncoded.totalCount).toBe(7);
    }
  });

  test('refuses other bytes than an encoding of doubles, and changes nothing', () => {
    const histogram = recordedDoubles(1, 2);
    const integers = recordedOnce([1]).encode();
    expectRefused(() => histogram.addEncoded(integers), 'ERR_DECODE');
    expectRefused(() => histogram.addEncoded(recordedDoubles(3).encode().subarray(0, 50)), 'ERR_DECODE');
    expect(histogram.equals(recordedDoubles(1, 2))).toBe(true);
  });
});
