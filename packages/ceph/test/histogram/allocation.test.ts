import { runInThread } from '@hdrscope/testing/threads';

const THREAD = new URL('../support/allocation-thread.ts', import.meta.url);

test.each([1, 2])('recording in %d dimensions allocates nothing', async (dimensions) => {
  expect(await runInThread<boolean>(THREAD, dimensions)).toBe(true);
});
