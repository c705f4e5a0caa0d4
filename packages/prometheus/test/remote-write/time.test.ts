import { runInThread } from '@hdrscope/testing/threads';

const THREAD = new URL('../support/remote-write-cost-thread.ts', import.meta.url);

test('3,000 series are written in at most twice the processor time of a scrape, when all have changed', async () => {
  const cost = await runInThread<{ rejectedSamples: number; processorTime: number }>(THREAD, {
    series: 3000,
    limit: 2,
  });
  expect(cost.rejectedSamples).toBe(0);
  expect(cost.processorTime).toBeLessThanOrEqual(2);
});
