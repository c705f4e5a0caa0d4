import { Worker } from 'node:worker_threads';
import type { Allocation } from '../support/allocation-thread.ts';
import { answerOf } from '../support/recording-threads.ts';

test.each(['dense', 'sparse'] as const)('recording allocates nothing, %s', async (storage) => {
  const values = Float64Array.from({ length: 10_000 }, (_, i) => (i % 10) * 1.000_1 ** i);
  const repeats = 10;
  const limit = (repeats * values.length) / 10;
  const workerData: Allocation = { storage, values, repeats, limit };
  // V8 compiles a record according to the calls that it has seen, and a thread has seen none of other tests.
  const thread = new Worker(new URL('../support/allocation-thread.ts', import.meta.url), { workerData });
  expect(await answerOf<number>(thread)).toBeLessThan(limit);
});
