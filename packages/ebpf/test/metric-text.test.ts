import { createRegistry } from '@hdrscope/registry';
import { testUnless } from '@hdrscope/testing';
import { originOfMap } from '../src/bpf/programs.ts';
import { framesSource, ingestKernel, kernelMap, queueDepthLayout } from '../src/index.ts';
import { kernelMetricName } from '../src/internal.ts';
import { openKernelCounter } from '../src/loader/index.ts';
import { lackOfKernel } from './support/kernel.ts';

test.each([
  ['queue_hist', 'none', 'queue_hist'],
  ['@reads', 'none', 'reads'],
  ['AT_reads', 'bytes', 'reads'],
  ['@', 'us', 'bpftrace'],
  ['@wait_usecs', 'us', 'wait'],
  ['wait_ns', 'ns', 'wait'],
  ['wait_ns', 'us', 'wait_ns'],
  ['wait_ns', 'none', 'wait_ns'],
  ['@usecs', 'us', 'usecs'],
  ['_us', 'us', '_us'],
  ['queues', 's', 'queues'],
  ['io_size_kb', 'KiB', 'io_size'],
  ['AT_', 'none', 'AT_'],
] as const)('the metric of %s, in %s, is %s', (histogram, unit, name) => {
  expect(kernelMetricName(histogram, unit)).toBe(name);
});

test.each([
  [[], 'an eBPF map'],
  [['a'], 'an eBPF map of the program a'],
  [['a', 'b'], 'an eBPF map of the programs a and b'],
  [['a', 'b', 'c', 'd', 'e'], 'an eBPF map of the programs a, b, c and 2 more'],
])('names the programs %j of a map', (programs, origin) => {
  expect(originOfMap(programs)).toBe(origin);
});

test('a family without a description says what counts, in which slots and in which unit', async () => {
  const counts = Float64Array.of(5, 4, 1, 0, 0, 0, 0, 0);
  const histogram = { name: '@wait_us', attributes: {}, layout: queueDepthLayout(), counts, sums: undefined };
  const frame = { generation: '1', cpuCount: 1, counterBits: 64, histograms: [histogram] } as const;
  for (const [more, origin] of [
    [{}, ''],
    [{ origin: 'a map of a bpftrace script' }, ', a map of a bpftrace script'],
  ] as const) {
    const registry = createRegistry();
    ingestKernel(registry, framesSource([{ ...frame, ...more }]), { kernelUnit: 'us' });
    const [family] = (await registry.gather()).families;
    expect(family).toMatchObject({
      name: 'wait',
      unit: 's',
      description: `Values in @wait_us${origin}; slots: queue-depth, counted in us`,
    });
  }
});

testUnless(await lackOfKernel())('a map of the kernel names the programs that use it', async () => {
  const counter = await openKernelCounter({ name: 'hdr_metric_text' });
  const source = kernelMap({ id: counter.map.id, layout: queueDepthLayout() });
  try {
    expect((await source.read()).origin).toBe('an eBPF map of the program hdr_metric_text');
  } finally {
    await source.close();
    counter.close();
  }
});
