import fc from 'fast-check';
import { bpftraceHistLayout, kernelQuantile, queueDepthLayout } from '../src/index.ts';
import { kernelQuantiles } from '../src/internal.ts';

const DEPTHS = { layout: queueDepthLayout(), counts: [1200, 980, 1400, 800, 400, 30, 10, 1] };

test.each([
  [0.5, 2.33, 2, 4],
  [0.9, 7.84625, 5, 8],
  [0.99, 15.8775, 9, 16],
  [0.999, 54.7, 33, 64],
])('the quantile %d of 4,821 depths', (q, value, lower, upper) => {
  const quantile = kernelQuantile(DEPTHS, q);
  expect(quantile).toMatchObject({ lower, upper, open: false });
  expect(quantile.value).toBeCloseTo(value, 6);
});

test.each([
  [0.5, 2.492857],
  [0.9, 8.79],
  [0.99, 16.84],
])('the quantile %d of 4,821 depths, as the tutorial computes it', (q, value) => {
  expect(kernelQuantile(DEPTHS, q, { interpolation: 'exclusive' }).value).toBeCloseTo(value, 6);
});

describe('the algorithm of the tutorial goes wrong', () => {
  const counts = (slot: number, count: number): number[] =>
    Array.from({ length: 8 }, (_, i) => (i === slot ? count : 0));
  const exclusive = { interpolation: 'exclusive' } as const;

  test('with one value', () => {
    const one = { layout: queueDepthLayout(), counts: counts(7, 1) };
    expect(kernelQuantile(one, 0.99, exclusive).value).toBe(0);
    expect(kernelQuantile(one, 0.99)).toEqual({
      value: 65,
      lower: 65,
      upper: Number.POSITIVE_INFINITY,
      open: true,
    });
  });

  test('with many zeros', () => {
    const zeros = { layout: queueDepthLayout(), counts: counts(0, 100) };
    expect(kernelQuantile(zeros, 0.99, exclusive).value).toBe(0.99);
    expect(kernelQuantile(zeros, 0.99)).toEqual({ value: 0, lower: 0, upper: 0, open: false });
  });

  test('with values in the open slot', () => {
    const many = { layout: queueDepthLayout(), counts: counts(7, 100) };
    expect(kernelQuantile(many, 0.5, exclusive)).toMatchObject({ value: 65.5, open: true });
    expect(kernelQuantile(many, 0.5).value).toBe(65);
  });

  test('without values', () => {
    const none = { layout: queueDepthLayout(), counts: counts(0, 0) };
    expect(kernelQuantile(none, 0.5, exclusive)).toEqual({
      ...{ value: 0, lower: Number.NaN, upper: Number.NaN, open: false },
    });
    expect(kernelQuantile(none, 0.5).value).toBeNaN();
  });
});

test('a quantile below zero has the bound of its open slot', () => {
  const kernel = bpftraceHistLayout();
  const counts = new Array<number>(kernel.slots.slotCount).fill(0);
  counts[0] = 3;
  expect(kernelQuantile({ layout: kernel, counts }, 0.5)).toEqual({
    value: -1,
    lower: Number.NEGATIVE_INFINITY,
    upper: -1,
    open: true,
  });
});

test('the quantile is that of the counts of all CPUs', () => {
  const split = [...DEPTHS.counts.map((count) => count - 1), ...new Array<number>(8).fill(1)];
  expect(kernelQuantiles({ ...DEPTHS, counts: split }, [0.1, 0.99])).toEqual(
    kernelQuantiles(DEPTHS, [0.1, 0.99]),
  );
});

test('a quantile is in the slot of the value with its rank', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 50 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, q) => {
        const { slots } = queueDepthLayout();
        const counts = new Array<number>(8).fill(0);
        for (const value of values) counts[slots.slotOf(value)]!++;
        const sorted = values.toSorted((a, b) => a - b);
        const { value, lower, upper } = kernelQuantile({ layout: queueDepthLayout(), counts }, q);
        const actual = sorted[Math.max(1, Math.ceil(q * values.length)) - 1]!;
        // A rank just above an integer counts as that integer.
        if (Math.abs(q * values.length - Math.round(q * values.length)) < 1e-9) return;
        expect([actual >= lower, actual <= upper, value >= lower, value <= upper]).toEqual([
          true,
          true,
          true,
          true,
        ]);
      },
    ),
  );
});

test.each([
  [
    'an interpolation',
    () => kernelQuantile(DEPTHS, 0.5, { interpolation: 'x' as never }),
    'ERR_INVALID_OPTION',
  ],
  ['a quantile', () => kernelQuantile(DEPTHS, 50), 'ERR_INVALID_VALUE'],
  [
    'a quantile of the tutorial',
    () => kernelQuantile(DEPTHS, -1, { interpolation: 'exclusive' }),
    'ERR_INVALID_VALUE',
  ],
  ['too few counts', () => kernelQuantile({ ...DEPTHS, counts: [1] }, 0.5), 'ERR_INVALID_COUNT'],
  ['no counts', () => kernelQuantile({ ...DEPTHS, counts: [] }, 0.5), 'ERR_INVALID_COUNT'],
  [
    'a count',
    () => kernelQuantile({ ...DEPTHS, counts: DEPTHS.counts.map(() => -1) }, 0.5),
    'ERR_INVALID_COUNT',
  ],
])('refuses %s outside its range', (_, act, code) => {
  expect(act).toThrow(expect.objectContaining({ code }));
});
