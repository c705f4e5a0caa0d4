import { testUnless } from '@hdrscope/testing';
import { kernelMap, queueDepthLayout } from '../../src/index.ts';
import { type KernelCounter, openKernelCounter } from '../../src/loader/index.ts';
import { onlineCpus } from '../../src/system-files.ts';
import { lackOfKernel } from '../support/kernel.ts';
import { expectGone } from '../support/loaded.ts';

const testKernel = testUnless(await lackOfKernel());

let counter: KernelCounter;

afterEach(() => counter?.close());

async function countsOf({ map }: KernelCounter): Promise<readonly number[]> {
  const source = kernelMap({ id: map.id, layout: queueDepthLayout() });
  const { histograms } = await source.read();
  await source.close();
  return [...histograms[0]!.counts];
}

testKernel('counts on the given CPU, or on each in turn, until it is reset', async () => {
  counter = await openKernelCounter();
  const [cpu] = onlineCpus();
  for (const depth of [0, 1, 1, 4, 64, 65, 2 ** 40]) counter.record(depth, cpu);
  expect((await countsOf(counter)).slice(0, 8)).toEqual([1, 2, 1, 0, 0, 0, 1, 2]);

  counter.reset();
  for (let i = 0; i < 3 * onlineCpus().length; i++) counter.record(7);
  const counts = await countsOf(counter);
  expect(counts.filter((count) => count > 0)).toEqual(onlineCpus().map(() => 3));
  expect(counts[3]).toBe(3);
});

testKernel('refuses invalid values, and every call after it is closed', async () => {
  counter = await openKernelCounter({ name: 'hdrscope_closed' });
  expect(() => counter.record(-1)).toThrow('value must be an integer from 0 to 2^53 − 1, got -1');
  expect(() => counter.record(1.5)).toThrow('value must be');
  expect(() => counter.pin('/tmp/hdrscope-no-bpffs', 0o4000)).toThrow('mode must be');

  counter.close();
  counter.close();

  expect(() => counter.record(1)).toThrow('the counter is closed');
  expect(() => counter.reset()).toThrow('the counter is closed');
  await expectGone({ maps: [counter.map.id], programs: [] });
});
