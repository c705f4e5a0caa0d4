import { testUnless } from '@hdrscope/testing';
import { newestMapId } from '../src/internal.ts';
import { openKernelCounter } from '../src/loader/index.ts';
import { lackOfKernel } from './support/kernel.ts';

const testKernel = testUnless(await lackOfKernel());

testKernel('a map that is made later has a larger id', async () => {
  const before = await newestMapId();
  const counter = await openKernelCounter({ name: 'hdrscope_newest' });
  try {
    expect(counter.map.id).toBeGreaterThan(before!);
    // Other programs of the machine make maps too.
    expect(await newestMapId()).toBeGreaterThanOrEqual(counter.map.id);
    expect(await newestMapId(before)).toBeGreaterThanOrEqual(counter.map.id);
  } finally {
    counter.close();
  }
});

testKernel('an id that no map exceeds stays', async () => {
  expect(await newestMapId(2 ** 31 - 2)).toBe(2 ** 31 - 2);
});
