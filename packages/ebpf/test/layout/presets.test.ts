import fc from 'fast-check';
import {
  bccLayout,
  bpftraceHistLayout,
  bpftraceLhistLayout,
  explicitKernelLayout,
  exporterExp2Layout,
  exporterExp2ZeroLayout,
  exporterFixedLayout,
  exporterLinearLayout,
  inspektorGadgetLayout,
  type KernelLayout,
  libbpfToolsLayout,
  logLinear8Layout,
  queueDepthLayout,
} from '../../src/index.ts';
import { slotOfIndex } from '../../src/layout/kernel-layout.ts';
import * as tool from '../support/tool-indices.ts';

type Convention = [name: string, layout: KernelLayout, indexOf: (value: bigint) => number];

const LOG2: Convention[] = [
  ['libbpf-tools', libbpfToolsLayout(), (value) => tool.libbpfToolsIndex(value, 26)],
  ['libbpf-tools, 64 slots', libbpfToolsLayout(64), (value) => tool.libbpfToolsIndex(value, 64)],
  ['bcc', bccLayout(), tool.bccIndex],
  ['Inspektor Gadget', inspektorGadgetLayout(), (value) => tool.inspektorGadgetIndex(value, 27)],
  ['ebpf_exporter exp2', exporterExp2Layout({ max: 26 }), (value) => tool.exporterExp2Index(value, 26)],
  [
    'ebpf_exporter exp2zero',
    exporterExp2ZeroLayout({ max: 27 }),
    (value) => tool.exporterExp2ZeroIndex(value, 27),
  ],
  ['bpftrace', bpftraceHistLayout(), (value) => tool.bpftraceHistIndex(value, 0)],
  ['bpftrace up to 0.17', bpftraceHistLayout(0, 34), tool.oldBpftraceHistIndex],
];

const ALL: Convention[] = [
  ...LOG2,
  ['queue depths', queueDepthLayout(), tool.queueDepthIndex],
  ['log-linear, 8 an octave', logLinear8Layout(), tool.logLinear8Index],
  [
    'ebpf_exporter linear',
    exporterLinearLayout({ max: 500 }),
    (value) => tool.exporterLinearIndex(value, 500),
  ],
  [
    'ebpf_exporter linear, in steps of 50',
    exporterLinearLayout({ max: 500, step: 50 }),
    (value) => tool.exporterLinearIndex(value / 50n, 500),
  ],
  ...[1, 2, 3, 4, 5].map(
    (k): Convention => [
      `bpftrace hist(n, ${k})`,
      bpftraceHistLayout(k),
      (value) => tool.bpftraceHistIndex(value, k),
    ],
  ),
  ...(
    [
      [0, 100, 10],
      [5, 100, 10],
      [-50, 50, 7],
      [0, 1000, 1],
      [7, 8, 1],
    ] as const
  ).map(
    ([min, max, step]): Convention => [
      `bpftrace lhist(n, ${min}, ${max}, ${step})`,
      bpftraceLhistLayout({ min, max, step }),
      (value) => tool.bpftraceLhistIndex(value, BigInt(min), BigInt(max), BigInt(step)),
    ],
  ),
];

// Powers of two up to 2^62, and the integers beside them.
const VALUES = [
  ...new Set(
    [0, 1, 5, 94, 95, 99, 100, 101, 500, 501, ...Array.from({ length: 63 }, (_, i) => 2 ** i)].flatMap(
      (value) => [value - 1, value, value + 1],
    ),
  ),
].filter((value) => value >= 0);

describe.each(ALL)('the layout of %s', (_name, kernel, indexOf) => {
  const { slots: layout } = kernel;

  test('has each value at the index that the tool computes', () => {
    const wrong = VALUES.filter((value) => {
      const slot = layout.slotOf(value);
      const isWithin = layout.lower(slot) <= value && value <= layout.upper(slot);
      return slotOfIndex(kernel, indexOf(BigInt(value))) !== slot || !isWithin;
    });
    expect(wrong).toEqual([]);
  });

  test('leaves no gap, and has the middle of a slot within the slot', () => {
    const slots = Array.from({ length: layout.slotCount }, (_unused, slot) => slot);
    const wrong = slots.filter((slot) => {
      const [lower, upper, middle] = [layout.lower(slot), layout.upper(slot), layout.midpoint(slot)];
      const isInSlot = (value: number): boolean => !Number.isFinite(value) || layout.slotOf(value) === slot;
      // Above 2^53 integers are no longer all doubles.
      const follows = slot === 0 || lower > Number.MAX_SAFE_INTEGER || lower === layout.upper(slot - 1) + 1;
      const isMiddle = Number.isInteger(middle) && middle >= lower && middle <= upper;
      return !(
        lower <= upper &&
        isInSlot(lower) &&
        isInSlot(upper) &&
        isInSlot(middle) &&
        isMiddle &&
        follows
      );
    });
    expect(wrong).toEqual([]);
  });

  test('is open upwards in its last slot only', () => {
    const open = Array.from({ length: layout.slotCount }, (_, slot) => layout.upper(slot)).map(
      (upper) => !Number.isFinite(upper),
    );
    expect(open.lastIndexOf(true)).toBe(layout.slotCount - 1);
    expect(open.filter(Boolean)).toHaveLength(1);
  });

  test('has any value at the index that the tool computes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 53 }), fc.maxSafeNat(), (bits, any) => {
        const value = Math.floor(any / 2 ** bits);
        expect(slotOfIndex(kernel, indexOf(BigInt(value)))).toBe(layout.slotOf(value));
      }),
    );
  });
});

test.each(VALUES)('all conventions for powers of two agree about %i', (value) => {
  for (const [, kernel, indexOf] of LOG2) {
    const slot = slotOfIndex(kernel, indexOf(BigInt(value)));
    expect(slot).toBeDefined();
    const [lower, upper] = [kernel.slots.lower(slot!), kernel.slots.upper(slot!)];
    expect(value >= lower && value <= upper).toBe(true);
    // No slot is wider than an octave, except the slot of 0 and 1, and the last slot.
    if (Number.isFinite(upper) && lower > 0) expect(upper).toBeLessThan(2 * Math.max(lower, 1) + 1);
  }
});

describe('the same value has another index with each tool', () => {
  test.each([
    // value, exp2, libbpf-tools, Inspektor Gadget, bcc, bpftrace
    [0, 0, 0, 0, 1, 1],
    [1, 0, 0, 1, 1, 2],
    [3, 2, 1, 2, 2, 3],
    [4, 2, 2, 3, 3, 4],
    [256, 8, 8, 9, 9, 10],
  ])('%i', (value, exp2, libbpf, gadget, bcc, bpftrace) => {
    const indices: [KernelLayout, number][] = [
      [exporterExp2Layout({ max: 26 }), exp2],
      [libbpfToolsLayout(), libbpf],
      [inspektorGadgetLayout(), gadget],
      [bccLayout(), bcc],
      [bpftraceHistLayout(), bpftrace],
    ];
    for (const [kernel, index] of indices)
      expect(slotOfIndex(kernel, index)).toBe(kernel.slots.slotOf(value));
  });
});

test('values below zero have a slot only in layouts of tools that count them', () => {
  expect(bpftraceHistLayout().slots.slotOf(-5)).toBe(0);
  expect(bpftraceHistLayout(5).slots.slotOf(-1)).toBe(0);
  expect(bpftraceHistLayout().slots.lower(0)).toBe(Number.NEGATIVE_INFINITY);
  expect(bpftraceLhistLayout({ min: 10, max: 20, step: 5 }).slots.slotOf(-1)).toBe(0);
  expect(bpftraceLhistLayout({ min: 10, max: 20, step: 5 }).slots.lower(0)).toBe(Number.NEGATIVE_INFINITY);
  for (const { slots: layout } of [
    libbpfToolsLayout(),
    bccLayout(),
    queueDepthLayout(),
    logLinear8Layout(),
  ]) {
    expect(layout.slotOf(-1)).toBe(-1);
    expect(layout.lower(0)).toBe(0);
  }
});

test('the last slot of lhist begins after the last whole step', () => {
  const { slots: layout } = bpftraceLhistLayout({ min: 5, max: 100, step: 10 });
  expect([layout.lower(9), layout.upper(9), layout.lower(10)]).toEqual([85, 94, 95]);
});

test('ebpf_exporter counts nothing below its first key', () => {
  const { slots: layout } = exporterExp2Layout({ min: 3, max: 5 });
  expect([layout.lower(0), layout.upper(0), layout.lower(1), layout.upper(1)]).toEqual([5, 8, 9, 16]);
  expect(layout.slotOf(4)).toBe(-1);
});

test('fixed keys are their own indices', () => {
  const kernel = exporterFixedLayout([0, 10, 500]);
  expect([0, 1, 10, 11, 500, 501].map((key) => slotOfIndex(kernel, key))).toEqual([
    0,
    undefined,
    1,
    undefined,
    2,
    undefined,
  ]);
  expect([0, 1, 10, 11, 501].map((value) => kernel.slots.slotOf(value))).toEqual([0, 1, 1, 2, 2]);
});

test('an index without a slot in the layout has no slot', () => {
  expect(slotOfIndex(bccLayout(), 0)).toBeUndefined();
  expect(slotOfIndex(libbpfToolsLayout(), 26)).toBeUndefined();
  expect(slotOfIndex(libbpfToolsLayout(), 1.5)).toBeUndefined();
});

test.each([
  ['no bounds', () => explicitKernelLayout([]), 'bounds must be at least one integer, got an array of 0'],
  ['a fraction', () => explicitKernelLayout([1, 2.5]), 'bounds[1] must be an integer above 1, got 2.5'],
  ['no order', () => explicitKernelLayout([4, 4]), 'bounds[1] must be an integer above 4, got 4'],
  [
    'a lowest integer above the first bound',
    () => explicitKernelLayout([4], { lowest: 5 }),
    'lowest must be an integer up to 4, or -Infinity, got 5',
  ],
  [
    'too few keys',
    () => explicitKernelLayout([4], { keys: [1] }),
    'keys must be 2 different integers, got an array of 1',
  ],
  [
    'equal keys',
    () => explicitKernelLayout([4], { keys: [1, 1] }),
    'keys must be 2 different integers, got an array of 2',
  ],
  [
    'a first index that is not an integer',
    () => explicitKernelLayout([4], { firstIndex: 0.5 }),
    'firstIndex must be an integer, got 0.5',
  ],
  ['too many slots', () => libbpfToolsLayout(65), 'slots must be an integer from 2 to 64, got 65'],
  ['too few slots', () => bccLayout(2), 'slots must be an integer from 3 to 65, got 2'],
  [
    'more slots than 64 bits have',
    () => bpftraceHistLayout(1, 130),
    'slots must be an integer from 2 to 129, got 130',
  ],
  ['k', () => bpftraceHistLayout(6), 'k must be an integer from 0 to 5, got 6'],
  [
    'steps',
    () => bpftraceLhistLayout({ min: 0, max: 1e6, step: 1 }),
    'step must be an integer from 1000 to 1000000, got 1',
  ],
  ['max', () => bpftraceLhistLayout({ min: 0, max: 0, step: 1 }), 'max must be an integer above 0, got 0'],
  ['min', () => bpftraceLhistLayout({ min: 0.5, max: 2, step: 1 }), 'min must be an integer, got 0.5'],
  ['bucket_max', () => exporterExp2Layout({ max: 65 }), 'max must be an integer from 1 to 64, got 65'],
  [
    'bucket_min',
    () => exporterLinearLayout({ min: -1, max: 5 }),
    'min must be an integer from 0 to 9007199254740990, got -1',
  ],
  [
    'a step that is a fraction',
    () => exporterLinearLayout({ max: 5, step: 0.5 }),
    'step must be an integer of at least 1, got 0.5',
  ],
  ['one fixed key', () => exporterFixedLayout([5]), 'keys must be at least two integers, got an array of 1'],
  [
    'fixed keys that fall',
    () => exporterFixedLayout([5, 3]),
    'keys[1] must be an integer of at least 6, got 3',
  ],
])('refuses %s', (_name, build, message) => {
  expect(build).toThrow(expect.objectContaining({ code: 'ERR_INVALID_OPTION', message }));
});
