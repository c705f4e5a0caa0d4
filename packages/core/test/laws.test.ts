import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { HdrscopeError } from '../src/errors.ts';
import { Histogram } from '../src/histogram/histogram.ts';
import type { HistogramOptions } from '../src/histogram/setup.ts';
import { type Operation, operations, PlainHistogram } from './support/plain-histogram.ts';
import { recorded, slotsOf } from './support/recorded.ts';
import { expectRefusedUnchanged, stateOf } from './support/refused.ts';
import { describeEachStorage, STORAGES } from './support/storages.ts';
import { digits, LARGEST, type Recording, recordings } from './support/values.ts';

/** Fixed and growing ranges, units from 1 to 2^20. */
const options: fc.Arbitrary<HistogramOptions> = fc
  .tuple(fc.nat(3), fc.nat(20), fc.boolean(), fc.constantFrom(...STORAGES))
  .map(([significantDigits, unit, grows, storage]) => ({
    significantDigits,
    lowestDiscernibleValue: 2 ** unit,
    storage,
    ...(grows ? {} : { highestTrackableValue: LARGEST }),
  }));

const contents = recordings(LARGEST, 12);

function sumOf(into: HistogramOptions, ...all: readonly Histogram[]): Histogram {
  const sum = new Histogram(into);
  for (const one of all) sum.add(one);
  return sum;
}

describe('adding', () => {
  test('is recording one after the other', () => {
    fc.assert(
      fc.property(options, contents, contents, (shape, a, b) => {
        const merged = recorded(a, shape);
        merged.add(recorded(b, shape));
        expect(stateOf(merged)).toEqual(stateOf(recorded([...a, ...b], shape)));
      }),
      { numRuns: caseCount(40, 100) },
    );
  });

  test('is the same in either order', () => {
    fc.assert(
      fc.property(options, contents, contents, (shape, a, b) => {
        const [x, y] = [recorded(a, shape), recorded(b, shape)];
        expect(stateOf(sumOf(shape, x, y))).toEqual(stateOf(sumOf(shape, y, x)));
      }),
      { numRuns: caseCount(40, 100) },
    );
  });

  test('is the same whichever two are added first', () => {
    fc.assert(
      fc.property(options, contents, contents, contents, (shape, a, b, c) => {
        const [x, y, z] = [recorded(a, shape), recorded(b, shape), recorded(c, shape)];
        expect(stateOf(sumOf(shape, sumOf(shape, x, y), z))).toEqual(
          stateOf(sumOf(shape, x, sumOf(shape, y, z))),
        );
      }),
      { numRuns: caseCount(40, 100) },
    );
  });

  test('keeps every value of another layout within both of their slots', () => {
    fc.assert(
      fc.property(digits, digits, contents, (from, to, recording) => {
        const source = recorded(recording, { significantDigits: Math.min(from, 3) });
        const target = sumOf({ significantDigits: Math.min(to, 3) }, source);
        const model = new Map<number, number>();
        for (const [slot, count] of slotsOf(source)) {
          const taken = target.layout.slotOf(source.layout.lower(slot));
          model.set(taken, (model.get(taken) ?? 0) + count);
        }
        expect(slotsOf(target)).toEqual([...model].sort(([a], [b]) => a - b));
        expect(target.totalCount).toBe(source.totalCount);
      }),
      { numRuns: caseCount(40, 100) },
    );
  });
});

describe('subtracting', () => {
  test('undoes adding', () => {
    fc.assert(
      fc.property(options, contents, contents, (shape, a, b) => {
        const histogram = recorded(a, shape);
        const other = recorded(b, shape);
        histogram.add(other);
        histogram.subtract(other);
        expect(slotsOf(histogram)).toEqual(slotsOf(recorded(a, shape)));
        const { totalCount, min, max, mean } = recorded(a, shape);
        expect(histogram).toMatchObject({ totalCount, min, max, mean });
      }),
      { numRuns: caseCount(40, 100) },
    );
  });

  test('takes all counts or no count', () => {
    fc.assert(
      fc.property(options, contents, contents, (shape, a, b) => {
        const [histogram, other] = [recorded(a, shape), recorded(b, shape)];
        const contained = slotsOf(other).every(([slot, count]) => {
          return slot < histogram.counts.length && histogram.counts.at(slot) >= count;
        });
        if (contained) histogram.subtract(other);
        else expectRefusedUnchanged(histogram, () => histogram.subtract(other), 'ERR_INCOMPATIBLE');
        expect(histogram.totalCount).toBe(recorded(a, shape).totalCount - (contained ? other.totalCount : 0));
      }),
      { numRuns: caseCount(40, 100) },
    );
  });
});

describe('encoding', () => {
  const heavy: fc.Arbitrary<Recording> = fc
    .tuple(contents, fc.integer({ min: 0, max: LARGEST }))
    .map(([recording, value]) => {
      const total = recording.reduce((sum, [, count]) => sum + count, 0);
      return [...recording, [value, LARGEST - total]]; // all there is to count
    });

  test('and decoding gives the same histogram, in every form and storage', () => {
    fc.assert(
      fc.property(
        options,
        fc.oneof(contents, heavy),
        fc.constantFrom(...STORAGES),
        (shape, recording, storage) => {
          const histogram = recorded(recording, shape);
          const expected = { ...stateOf(histogram), autoResize: true };
          for (const encoded of [histogram.encode(), histogram.encodeCompressed(), histogram.toBase64()]) {
            const decoded = Histogram.decode(encoded, { storage });
            expect(stateOf(decoded)).toEqual(expected);
            expect(decoded.storage).toBe(storage);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('is as long as its payload length says, and at most as long as its counts need', () => {
    fc.assert(
      fc.property(options, contents, (shape, recording) => {
        const histogram = recorded(recording, shape);
        const bytes = histogram.encode();
        expect(new DataView(bytes.buffer).getInt32(4)).toBe(bytes.length - 40);
        expect(bytes.byteLength).toBe(bytes.buffer.byteLength);
        expect(bytes.length).toBeLessThanOrEqual(41 + slotsOf(histogram).length * 14);
      }),
      { numRuns: caseCount(40, 100) },
    );
  });
});

describeEachStorage('any sequence of operations', (storage) => {
  test.each([
    ['of a fixed range', { highestTrackableValue: 2 ** 40, significantDigits: 2 }],
    ['of a range that grows', { lowestDiscernibleValue: 8, significantDigits: 1 }],
  ])('leaves a histogram %s as it leaves a plain map', (_what, shape) => {
    fc.assert(
      fc.property(operations, (sequence) => {
        const model = new PlainHistogram();
        let histogram = new Histogram({ ...shape, storage });
        for (const operation of sequence) {
          const allowed = model.accepts(operation, histogram);
          let refused = false;
          try {
            histogram = perform(operation, histogram);
          } catch (error) {
            if (!(error instanceof HdrscopeError)) throw error;
            refused = true;
          }
          if (refused === allowed) expect({ operation, refused }).toBe('as the model says');
          if (allowed) model.perform(operation, histogram.layout);
        }
        expect(slotsOf(histogram)).toEqual(model.slots);
        expect(histogram.totalCount).toBe(model.total);
        expect([histogram.counts.first, histogram.counts.last]).toEqual([
          model.slots.at(0)?.[0] ?? histogram.counts.length,
          model.slots.at(-1)?.[0] ?? -1,
        ]);
      }),
      { numRuns: caseCount(60, 200) },
    );
  });
});

test('histograms of all storages read alike after any sequence of operations', () => {
  fc.assert(
    fc.property(options, operations, (shape, sequence) => {
      const [dense, ...others] = STORAGES.map((storage) => {
        let histogram = new Histogram({ ...shape, storage });
        const outcomes = sequence.map((operation) => {
          try {
            histogram = perform(operation, histogram);
            return 'done';
          } catch (error) {
            return (error as HdrscopeError).message;
          }
        });
        const percentiles = histogram.valuesAtPercentiles([0, 10, 50, 99, 99.999, 100]);
        return { outcomes, state: stateOf(histogram), steps: [...histogram.recordedValues()], percentiles };
      });
      for (const other of others) expect(other).toEqual(dense);
    }),
    { numRuns: caseCount(60, 200) },
  );
});

function perform(operation: Operation, histogram: Histogram): Histogram {
  switch (operation.do) {
    case 'record':
      histogram.record(operation.value, operation.count);
      return histogram;
    case 'recordCorrected':
      histogram.recordCorrected(operation.value, operation.interval);
      return histogram;
    case 'add':
      histogram.add(recorded(operation.recording, sameSlots(histogram)));
      return histogram;
    case 'subtract':
      histogram.subtract(recorded(operation.recording, sameSlots(histogram)));
      return histogram;
    case 'reset':
      histogram.reset();
      return histogram;
    case 'copy':
      return histogram.copy();
    case 'decode':
      return Histogram.decode(histogram.encode(), { storage: histogram.storage });
  }
}

/** Options of a histogram with the same slots, in the other storage, and with room for everything. */
function sameSlots({ layout, storage }: Histogram): HistogramOptions {
  return {
    lowestDiscernibleValue: layout.lowestDiscernibleValue,
    significantDigits: layout.significantDigits,
    highestTrackableValue: LARGEST,
    storage: storage === 'dense' ? 'sparse' : 'dense',
  };
}
