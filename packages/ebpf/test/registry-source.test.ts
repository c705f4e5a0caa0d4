import { createRegistry, type Registry } from '@hdrscope/registry';
import fc from 'fast-check';
import {
  bpftraceHistLayout,
  type Frame,
  framesSource,
  ingestKernel,
  type KernelLayout,
  type KernelSource,
  libbpfToolsLayout,
  queueDepthLayout,
} from '../src/index.ts';

type Counts = Record<number, number>[];

/** A source whose next frame the test sets: counts by the index of the program, for each CPU. */
class FakeSource implements KernelSource {
  readonly name = 'the map /sys/fs/bpf/depths';
  isClosed = false;
  reads = 0;
  next: () => Frame | Promise<Frame> = () => {
    throw new Error('not set');
  };

  read(): Frame | Promise<Frame> {
    this.reads++;
    return this.next();
  }

  close(): void {
    this.isClosed = true;
  }

  set(
    perCpu: Counts,
    options: { kernel?: KernelLayout; sums?: number[]; name?: string; generation?: string } = {},
  ): this {
    const frame = frameOf(perCpu, options);
    this.next = () => frame;
    return this;
  }
}

function frameOf(
  perCpu: Counts,
  {
    kernel = queueDepthLayout(),
    sums,
    name = 'depth',
    generation = '1',
  }: { kernel?: KernelLayout; sums?: number[]; name?: string; generation?: string } = {},
): Frame {
  const { slotCount } = kernel.slots;
  const counts = new Float64Array(slotCount * perCpu.length);
  for (const [cpu, bySlot] of perCpu.entries()) {
    for (const [slot, count] of Object.entries(bySlot)) counts[cpu * slotCount + Number(slot)] = count;
  }
  return {
    generation,
    cpuCount: perCpu.length,
    counterBits: 64,
    histograms: [
      { name, attributes: { dev: 'sda' }, layout: kernel, counts, sums: sums && Float64Array.from(sums) },
    ],
  };
}

async function seriesOf(registry: Registry) {
  const { families, errors } = await registry.gather();
  return { series: families[0]?.series ?? [], family: families[0]!, errors };
}

test('a gather adds the increase of all CPUs', async () => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  ingestKernel(registry, source.set([{ 0: 5, 2: 1 }, { 2: 2 }]), { attributes: { host: 'a' } });
  expect((await seriesOf(registry)).series[0]!.histogram.totalCount).toBe(8);
  source.set([
    { 0: 5, 2: 4 },
    { 2: 2, 7: 1 },
  ]);
  const { series, family } = await seriesOf(registry);
  expect(family).toMatchObject({ name: 'depth', unit: '', boundaries: [0, 1, 4, 8, 16, 32, 64] });
  expect(series).toHaveLength(1);
  expect(series[0]!.attributes).toEqual({ dev: 'sda', host: 'a' });
  expect(series[0]!.histogram.totalCount).toBe(12);
  expect(series[0]!.histogram.countAt(3)).toBe(6);
  expect(series[0]).toMatchObject({ sum: 6 * 3 + 65, min: 0, max: 65 });
});

test.each([
  ['was reset, as the time permits no turn, counts from 0', 3_000_000_000, 3_000_000_005, [1, 0]],
  ['may have turned or was reset adds nothing', 2 ** 32 - 3, 2 ** 32 - 3, [0, 1]],
])('a counter of 32 bits that %s', async (_, before, total, [resets, uncertain]) => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  const narrow = (count: number): Frame => ({ ...frameOf([{ 1: count }, {}]), counterBits: 32 });
  source.next = () => narrow(before!);
  const kernel = ingestKernel(registry, source);
  await registry.gather();
  source.next = () => narrow(5);
  expect((await seriesOf(registry)).series[0]!.histogram.totalCount).toBe(total);
  expect(kernel.health).toMatchObject({ resets, uncertain });
  // It goes on from there.
  source.next = () => narrow(7);
  expect((await seriesOf(registry)).series[0]!.histogram.totalCount).toBe(total + 2);
});

test('each CPU has its own series with perCpu', async () => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  ingestKernel(registry, source.set([{ 1: 5 }, {}, { 1: 2 }], { sums: [5, 0, 2] }), { perCpu: true });
  const { series } = await seriesOf(registry);
  expect(series.map(({ attributes, histogram, sum }) => [attributes, histogram.totalCount, sum])).toEqual([
    [{ dev: 'sda', cpu: 0 }, 5, 5],
    [{ dev: 'sda', cpu: 2 }, 2, 2],
  ]);
});

test.each([
  ['ns', 's', 1e-9],
  ['us', 's', 1e-6],
  ['ms', 's', 1e-3],
  ['s', 's', 1],
  ['bytes', 'By', 1],
  ['KiB', 'By', 1024],
  ['none', '', 1],
] as const)('counts in %s become a family in "%s"', async (kernelUnit, unit, scale) => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  const kernel = libbpfToolsLayout();
  ingestKernel(registry, source.set([{ 3: 2 }], { kernel, sums: [21] }), { kernelUnit });
  const { series, family } = await seriesOf(registry);
  expect(family.unit).toBe(unit);
  expect(family.boundaries![3]).toBeCloseTo(15 * scale, 12);
  expect(series[0]!.sum).toBeCloseTo(21 * scale, 12);
  expect(series[0]!.min).toBeCloseTo(11 * scale, 12);
  // In ticks, which are units of the kernel, the slot is the same as in the kernel.
  expect([series[0]!.histogram.min, series[0]!.histogram.max]).toEqual([8, 15]);
});

test('histograms of one name can have other options', async () => {
  const registry = createRegistry();
  const source = new FakeSource().set([{ 1: 1 }], { name: 'lat' });
  ingestKernel(registry, source, {
    kernelUnit: 'us',
    attributes: { host: 'a' },
    families: {
      lat: {
        name: 'io.latency',
        description: 'Of disks',
        unit: 'ms',
        scale: 1e-3,
        significantDigits: 3,
        boundaries: [1, 2],
        cardinalityLimit: 7,
        scope: { name: 'disk' },
      },
    },
  });
  const { family, series } = await seriesOf(registry);
  expect(family).toMatchObject({
    name: 'io.latency',
    description: 'Of disks',
    unit: 'ms',
    boundaries: [1, 2],
    scope: { name: 'disk' },
  });
  expect(family.layout.significantDigits).toBe(3);
  expect(series[0]!.attributes).toEqual({ dev: 'sda', host: 'a' });
  expect(registry.family({ name: 'io.latency', scope: { name: 'disk' } })!.cardinalityLimit).toBe(7);
});

test('the snapshot names a source that fails, and its totals stay', async () => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  const kernel = ingestKernel(registry, source.set([{ 1: 5 }]));
  await registry.gather();
  source.next = () => Promise.reject(new Error('gone'));
  const failed = await seriesOf(registry);
  expect(failed.errors).toEqual([{ source: source.name, error: new Error('gone') }]);
  expect(failed.series[0]!.histogram.totalCount).toBe(5);
  expect(kernel.health.readErrors).toBe(1);
  source.set([{ 1: 6 }]);
  const again = await seriesOf(registry);
  expect(again.errors).toEqual([]);
  expect(again.series[0]!.histogram.totalCount).toBe(6);
});

test('totals stay through resets, new maps and evictions, and health counts them', async () => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  const kernel = ingestKernel(registry, source.set([{ 1: 5 }]));
  const total = async () => (await seriesOf(registry)).series[0]!.histogram.totalCount;
  expect(await total()).toBe(5);
  source.set([{ 1: 2 }]);
  expect(await total()).toBe(7);
  source.set([{ 1: 3 }], { generation: '2' });
  expect(await total()).toBe(10);
  source.next = () => ({ generation: '2', cpuCount: 1, counterBits: 64, histograms: [] });
  expect(await total()).toBe(10);
  source.set([{ 1: 1, 7: 4 }], { generation: '2' });
  expect(await total()).toBe(15);
  expect(kernel.health).toMatchObject({
    resets: 1,
    generations: 2,
    evicted: 1,
    readErrors: 0,
    open: 4,
    inexact: 0,
  });
});

test('counts that grow faster than events can come are an error with the numbers, and later ones are added', async () => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  const kernel = ingestKernel(registry, source.set([{ 1: 5 }, {}]));
  await registry.gather();
  source.set([{ 1: 2 ** 50 }, { 2: 3 }]);
  const { errors, series } = await seriesOf(registry);
  expect(errors.map(({ error }) => (error as Error).message)).toEqual([
    expect.stringMatching(/"depth": counts must grow by at most [\d.]+, got 1125899906842619 in slot 1$/),
  ]);
  // The other CPU was counted.
  expect(series[0]!.histogram.totalCount).toBe(8);
  expect(kernel.health).toMatchObject({ refused: { malformed: 1 }, readErrors: 1, resets: 0 });
  source.set([{ 1: 2 ** 50 + 2 }, { 2: 3 }]);
  const later = await seriesOf(registry);
  expect([later.errors, later.series[0]!.histogram.totalCount]).toEqual([[], 10]);
});

test('values outside the range of the family count as rejected', async () => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  const layout = bpftraceHistLayout();
  const kernel = ingestKernel(registry, source.set([{ 0: 2, 1: 3, 65: 4 }], { kernel: layout }));
  const { series } = await seriesOf(registry);
  expect(series[0]!.histogram.totalCount).toBe(3);
  expect(series[0]!.rejected).toMatchObject({ negative: 2, tooLarge: 4, largest: 2 ** 63 });
  expect(kernel.health.open).toBe(6);
});

test('health counts values in slots finer than the digits of their family', async () => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  const kernel = ingestKernel(registry, source.set([{ 3: 5 }], { kernel: bpftraceHistLayout() }));
  await registry.gather();
  expect(kernel.health.inexact).toBe(0);
  source.set([{ 3: 5, 9: 2 }], { kernel: bpftraceHistLayout(3), generation: '2' });
  const { series } = await seriesOf(registry);
  expect([series[0]!.histogram.totalCount, kernel.health.inexact]).toEqual([12, 7]);
});

test('since: now counts from the first frame', async () => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  ingestKernel(registry, source.set([{ 1: 5 }]), { since: 'now' });
  expect((await seriesOf(registry)).family).toBeUndefined();
  source.set([{ 1: 7 }]);
  expect((await seriesOf(registry)).series[0]!.histogram.totalCount).toBe(2);
});

test('simultaneous gathers read once', async () => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  ingestKernel(registry, source);
  source.next = async () => frameOf([{ 1: 5 }]);
  await Promise.all([registry.gather(), registry.gather()]);
  expect(source.reads).toBe(1);
});

test('a closed source is not read again, and its counts stay', async () => {
  const [registry, source] = [createRegistry(), new FakeSource()];
  const kernel = ingestKernel(registry, source.set([{ 1: 5 }]));
  await registry.gather();
  await kernel.close();
  expect(source.isClosed).toBe(true);
  const { series, errors } = await seriesOf(registry);
  expect([series[0]!.histogram.totalCount, errors, source.reads]).toEqual([5, [], 1]);
});

test('invalid options are refused, or appear as errors when they are used', async () => {
  const [registry, source] = [createRegistry(), new FakeSource().set([{ 1: 5 }])];
  expect(() => ingestKernel(registry, source, { since: 'then' as never })).toThrow('since must be');
  expect(() => ingestKernel(registry, source, { timeoutMs: 0 })).toThrow('timeoutMs must be');
  const message = "kernelUnit must be 'ns', 'us', 'ms', 's', 'bytes', 'KiB' or 'none', got \"weeks\"";
  expect(() => ingestKernel(registry, source, { kernelUnit: 'weeks' as never })).toThrow(message);
  const frame = frameOf([{ 1: 5 }]);
  const metric = { kernelUnit: 'weeks' as never };
  const reported = { ...frame, histograms: frame.histograms.map((one) => ({ ...one, metric })) };
  ingestKernel(registry, framesSource([reported]));
  ingestKernel(registry, source, { significantDigits: 9 });
  expect((await registry.gather()).errors).toMatchObject([
    { error: { message } },
    { error: { message: expect.stringContaining('significantDigits must be') } },
  ]);
});

test('every event is in the total once, in its slot', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat({ max: 1000 }), { minLength: 8, maxLength: 8 }), {
        minLength: 1,
        maxLength: 6,
      }),
      async (gains) => {
        const [registry, source] = [createRegistry(), new FakeSource()];
        ingestKernel(registry, source);
        const totals = new Array<number>(8).fill(0);
        const { slots } = queueDepthLayout();
        for (const gain of gains) {
          for (const [slot, count] of gain.entries()) totals[slot]! += count;
          source.set([Object.fromEntries(totals.entries())]);
          const { series } = await seriesOf(registry);
          for (const [slot, total] of totals.entries()) {
            expect(series[0]?.histogram.countAt(slots.midpoint(slot)) ?? 0).toBe(total);
          }
        }
      },
    ),
    { numRuns: 30 },
  );
});
