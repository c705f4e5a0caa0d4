import { Histogram, hdrLayout } from '@hdrscope/core';
import {
  explicitCounts,
  fromTicks,
  hdrFit,
  resolutionOf,
  scaledLayout,
  unitBoundaries,
} from '@hdrscope/core/internal';
import {
  bccLayout,
  bpftraceHistLayout,
  bpftraceLhistLayout,
  exporterExp2Layout,
  exporterExp2ZeroLayout,
  exporterFixedLayout,
  exporterLinearLayout,
  inspektorGadgetLayout,
  type KernelLayout,
  libbpfToolsLayout,
  logLinear8Layout,
  queueDepthLayout,
} from '../src/index.ts';

const LAYOUTS: [name: string, kernel: KernelLayout, digits: number][] = [
  ['libbpf-tools', libbpfToolsLayout(), 0],
  ['bcc', bccLayout(), 0],
  ['Inspektor Gadget', inspektorGadgetLayout(), 0],
  ['bpftrace', bpftraceHistLayout(), 0],
  ['bpftrace, 32 an octave', bpftraceHistLayout(5), 2],
  ['log-linear, 8 an octave', logLinear8Layout(), 1],
  ['queue depths', queueDepthLayout(), 1],
  ['ebpf_exporter exp2', exporterExp2Layout({ max: 26 }), 1],
  ['ebpf_exporter exp2, all bits', exporterExp2Layout({ max: 64 }), 1],
  ['ebpf_exporter exp2zero', exporterExp2ZeroLayout({ max: 27 }), 1],
  ['ebpf_exporter linear', exporterLinearLayout({ max: 100 }), 2],
  ['ebpf_exporter linear, wide', exporterLinearLayout({ min: 8000, max: 12_000 }), 4],
  ['ebpf_exporter fixed', exporterFixedLayout([10, 25, 50, 100, 2500]), 1],
  ['bpftrace lhist', bpftraceLhistLayout({ min: 5, max: 1000, step: 7 }), 3],
];

describe.each(LAYOUTS)('a family for %s', (_, { slots: layout }, digits) => {
  test('has the fewest digits that keep its slots apart', () => {
    expect(hdrFit(layout)).toEqual({ significantDigits: digits, isExact: true });
  });

  test.each([1, 1e-9, 1e-6, 1024])('has its slots as explicit buckets, at a scale of %d', (scale) => {
    const hdr = hdrLayout({ highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits: digits });
    const resolution = resolutionOf(scale);
    const boundaries = unitBoundaries(layout, resolution);
    const slots = Array.from({ length: layout.slotCount }, (_unused, slot) => slot).filter(
      (slot) => layout.midpoint(slot) >= 0 && layout.midpoint(slot) <= Number.MAX_SAFE_INTEGER,
    );
    const histogram = new Histogram({ layout: hdr });
    for (const slot of slots) histogram.record(layout.midpoint(slot), slot + 1);
    const counts = explicitCounts(
      histogram.counts,
      { unitLayout: scaledLayout(hdr, resolution) },
      boundaries,
    );
    // The counts of the kernel up to each boundary, which is a bound of its slots.
    const expected = [...boundaries, Number.POSITIVE_INFINITY].map((boundary, i) => {
      const above = i === 0 ? Number.NEGATIVE_INFINITY : boundaries[i - 1]!;
      const within = slots.filter((slot) => {
        const upper = fromTicks(resolution, layout.upper(slot));
        return upper > above && upper <= boundary;
      });
      return within.reduce((sum, slot) => sum + slot + 1, 0);
    });
    expect(counts).toEqual(expected);
  });
});

test('every second, fourth or eighth of many bounds is a boundary', () => {
  const one = resolutionOf(1);
  expect(unitBoundaries(exporterLinearLayout({ max: 160 }).slots, one)).toHaveLength(160);
  expect(unitBoundaries(exporterLinearLayout({ max: 161 }).slots, one)).toEqual(
    Array.from({ length: 80 }, (_, i) => 2 * i + 1),
  );
  const octaves = unitBoundaries(logLinear8Layout().slots, one);
  expect(octaves.length).toBeLessThanOrEqual(160);
  expect(octaves.slice(0, 8)).toEqual([3, 7, 11, 15, 23, 31, 47, 63]);
});

test('single integers that 5 digits do not keep apart are inexact', () => {
  expect(hdrFit(exporterLinearLayout({ min: 300_000, max: 300_010 }).slots)).toEqual({
    significantDigits: 5,
    isExact: false,
  });
});
