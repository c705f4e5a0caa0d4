import type { SlotValueStrategy } from '@hdrscope/core/internal';
import { LATENCY, SIZE } from '@hdrscope/testing/osd';
import { refusalOf } from '@hdrscope/testing/refusals';
import { type Axis, axisToHdr, PerfHistogram } from '../../src/index.ts';

const linear: Axis = { name: 'x', scale: 'linear', min: -10, quantSize: 10, buckets: 4 };

test.each([
  ['lower', 102_400, 102_399],
  ['geometric', 144_815, 145_000],
  ['upper', 204_799, 204_800],
] as const)('%s', (strategy, at, near) => {
  const histogram = new PerfHistogram([{ ...LATENCY, quantSize: 102_400 }]);
  histogram.record(150_000);
  const {
    histogram: hdr,
    lossy,
    open,
    strategy: used,
  } = axisToHdr(histogram, 0, { strategy, significantDigits: 3 });
  expect(Math.abs(hdr.min - at)).toBeLessThanOrEqual(128);
  expect(Math.abs(hdr.min - near)).toBeLessThan(400);
  expect({ lossy, open, used, tag: hdr.tag }).toEqual({
    lossy: true,
    open: 0,
    used: strategy,
    tag: `lossy-${strategy}`,
  });
});

test.each([
  ['lower', 0],
  ['geometric', 256],
  ['upper', 511],
] as const)('%s of a slot that begins at 0', (strategy, value) => {
  const histogram = new PerfHistogram([SIZE]);
  histogram.record(5);
  expect(axisToHdr(histogram, 0, { strategy, significantDigits: 5 }).histogram.min).toBe(value);
});

test('values in the underflow and the overflow count at the bound, and `open` is their number', () => {
  const histogram = new PerfHistogram([linear, SIZE]);
  for (const value of [-50, -5, 5, 1000]) histogram.record(value, 4096);
  histogram.record(5, 65_536);
  const { histogram: hdr, open } = axisToHdr(histogram, 0, { strategy: 'upper', significantDigits: 3 });
  expect([hdr.totalCount, open]).toEqual([5, 2]);
  expect([0, 9, 10].map((value) => hdr.countAt(value))).toEqual([2, 2, 1]);
  const where = [{ axis: 1, from: 65_536 }];
  expect(axisToHdr(histogram, 0, { strategy: 'lower', where }).histogram.totalCount).toBe(1);
});

test('the values of an axis of one bucket, which has no bounds, count at 0', () => {
  const histogram = new PerfHistogram([{ ...linear, buckets: 1 }]);
  histogram.record(7);
  expect(axisToHdr(histogram, 0, { strategy: 'upper' })).toMatchObject({
    open: 1,
    histogram: { min: 0, totalCount: 1 },
  });
});

test('refuses an unknown strategy', () => {
  const options = {} as { strategy: SlotValueStrategy };
  expect(
    refusalOf(() => axisToHdr(new PerfHistogram([SIZE]), 0, options), 'ERR_INVALID_OPTION').message,
  ).toMatch(/strategy must be 'lower', 'geometric' or 'upper', got undefined/);
});
