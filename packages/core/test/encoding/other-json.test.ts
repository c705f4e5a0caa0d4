import fc from 'fast-check';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { LayoutHistogram } from '../../src/histogram/layout-histogram.ts';
import { decimalLayout } from '../../src/layout/decimal.ts';
import { explicitLayout } from '../../src/layout/edges.ts';
import { exponentialLayout } from '../../src/layout/exponential.ts';
import { hdrLayout } from '../../src/layout/hdr.ts';
import { integerLayout } from '../../src/layout/integer.ts';
import type { Layout } from '../../src/layout/layout.ts';
import { linearLayout } from '../../src/layout/linear.ts';
import { logLinearLayout } from '../../src/layout/log-linear.ts';
import { log2Layout } from '../../src/layout/log2.ts';
import { resolutionOf, scaledLayout } from '../../src/layout/scaled.ts';
import { toHex } from '../support/bytes.ts';
import { refusalOf } from '../support/refused.ts';

const throughText = (histogram: object): unknown => JSON.parse(JSON.stringify(histogram));

describe('JSON of doubles', () => {
  const recording = fc.array(
    fc.tuple(fc.double({ min: 1e-5, max: 1e5, noNaN: true }), fc.integer({ min: 1, max: 2 ** 40 })),
  );

  test('loses nothing, in either storage', () => {
    fc.assert(
      fc.property(recording, fc.nat(3), fc.constantFrom('dense', 'sparse'), (all, digits, storage) => {
        const histogram = new DoubleHistogram({ significantDigits: digits });
        for (const [value, count] of all) histogram.record(value, count);
        [histogram.startTimeMs, histogram.endTimeMs, histogram.tag] = [1, 2, 'reads'];
        const copy = DoubleHistogram.fromJSON(throughText(histogram), {
          storage: storage as 'dense' | 'sparse',
        });
        expect(toHex(copy.encode())).toBe(toHex(histogram.encode()));
        const { totalCount, max, startTimeMs, endTimeMs, tag, autoResize } = histogram;
        expect(copy).toMatchObject({ totalCount, max, startTimeMs, endTimeMs, tag, autoResize, storage });
      }),
    );
  });

  test('keeps a fixed range', () => {
    const histogram = new DoubleHistogram({ highestToLowestValueRatio: 1000 });
    histogram.record(5);
    const copy = DoubleHistogram.fromJSON(throughText(histogram));
    expect([copy.autoResize, copy.highestToLowestValueRatio, copy.currentHighestTrackableValue]).toEqual([
      false,
      1000,
      histogram.currentHighestTrackableValue,
    ]);
  });

  test.each<[string, object]>([
    ['another type', { type: 'hdr' }],
    ['another version', { version: 2 }],
    ['too many digits', { significantDigits: 6 }],
    ['no ratio', { highestToLowestValueRatio: 1 }],
    ['a ratio beyond all doubles', { highestToLowestValueRatio: '9223372036854775807' }],
    ['a range below all doubles', { lowestExponent: -1022 }],
    ['a range above all doubles', { lowestExponent: 1e6 }],
    ['counts of slots that it lacks', { counts: [[1e9, 1]] }],
    ['a fraction of an octave', { movedOctaves: 0.5 }],
    ['no word on resizing', { autoResize: undefined }],
  ])('is refused with %s', (_what, change) => {
    const json = { ...new DoubleHistogram().toJSON(), ...change };
    expect(refusalOf(() => DoubleHistogram.fromJSON(json)).code).toBe('ERR_DECODE');
  });
});

describe('JSON of a histogram of any layout', () => {
  test.each<[string, Layout]>([
    ['HDR', hdrLayout({ highestTrackableValue: 2n ** 60n, significantDigits: 2 })],
    ['explicit', explicitLayout([-1, 0.1, 0.5])],
    ['explicit, lower bound inclusive', explicitLayout([1, 2], 'lower')],
    ['linear', linearLayout({ min: 5, width: 2.5, slots: 8 })],
    ['log2', log2Layout({ quantum: 100, slots: 8, inclusive: 'upper' })],
    ['log-linear', logLinearLayout({ subBucketsPerOctave: 4, octaves: 8 })],
    ['decimal', decimalLayout({ lowestPower: -2, decades: 3, inclusive: 'upper' })],
    ['exponential', exponentialLayout({ scale: 3, minIndex: -8, maxIndex: 40 })],
    [
      'exponential on both sides',
      exponentialLayout({
        scale: 0,
        minIndex: 0,
        maxIndex: 9,
        negative: { minIndex: 2, maxIndex: 3 },
        zeroThreshold: 0.5,
      }),
    ],
    ['integers', integerLayout([0, 1, 4, 8], 0)],
    ['integers, open downwards', integerLayout([-4, 8], Number.NEGATIVE_INFINITY)],
  ])('loses nothing: %s', (_kind, layout) => {
    const histogram = new LayoutHistogram(layout);
    histogram.recordValues([0, 0.3, 1, 3, 7, 12].filter((value) => layout.slotOf(value) >= 0));
    const copy = LayoutHistogram.fromJSON(throughText(histogram), { storage: 'sparse' });
    expect(copy.equals(histogram) && histogram.equals(copy)).toBe(true);
    const bounds = ({ layout: { slotCount, lower, upper } }: LayoutHistogram): unknown =>
      layout.kind === 'hdr' ? slotCount : [slotCount, lower(0), upper(slotCount - 1), copy.layout.kind];
    expect(bounds(copy)).toEqual(bounds(histogram));
  });

  test('is refused of a layout that no function here makes', () => {
    const layout = scaledLayout(hdrLayout({ highestTrackableValue: 1000 }), resolutionOf(0.001));
    expect(refusalOf(() => new LayoutHistogram(layout).toJSON()).code).toBe('ERR_INCOMPATIBLE');
  });

  test.each<[string, object | null]>([
    ['no layout', null],
    ['no kind', {}],
    ['an unknown kind', { kind: 'cubic' }],
    ['edges that descend', { kind: 'explicit', edges: [2, 1], inclusive: 'upper' }],
    ['no edges', { kind: 'linear', inclusive: 'upper' }],
    ['no inclusive bound', { kind: 'log2', edges: [1, 2] }],
    ['an impossible scale', { kind: 'exponential', scale: 50, minIndex: 0, maxIndex: 3, zeroThreshold: 0 }],
    [
      'more slots than a reader makes memory for',
      { kind: 'exponential', scale: 20, minIndex: 0, maxIndex: 2 ** 24, zeroThreshold: 0 },
    ],
    ['bounds that are no integers', { kind: 'integers', bounds: [0.5], lowest: 0 }],
  ])('is refused with %s', (_what, layout) => {
    const json = { type: 'layout', version: 1, layout, counts: [] };
    expect(refusalOf(() => LayoutHistogram.fromJSON(json)).code).toBe('ERR_DECODE');
  });
});
