import { runInThread } from '@hdrscope/testing/threads';

const THREAD = new URL('../support/allocation-thread.ts', import.meta.url);

test.each(['dense', 'sparse'])('recording allocates nothing, %s', async (storage) => {
  expect(await runInThread<boolean>(THREAD, storage)).toBe(true);
});
