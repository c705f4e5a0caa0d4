import { TimeoutError, within } from '../src/index.ts';

test('what is done in time gives its result, or its failure', async () => {
  await expect(within(Promise.resolve(7), 1000)).resolves.toBe(7);
  await expect(within(Promise.reject(new Error('broken')), 1000)).rejects.toThrow('broken');
});

test('what is not done in time is refused, and a later failure of it is ignored', async () => {
  let fail = (_: Error): void => {};
  const work = new Promise<never>((_, reject) => {
    fail = reject;
  });
  await expect(within(work, 5)).rejects.toThrow(new TimeoutError('not done within 5 ms'));
  fail(new Error('later'));
});

test('a time without end can be waited for', async () => {
  await expect(within(Promise.resolve(7), Number.POSITIVE_INFINITY)).resolves.toBe(7);
});

test('only a wait with a reference keeps the process alive', async () => {
  const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const work = new Promise<void>((resolve) => setImmediate(resolve));
  const waits = [within(work, 60_000), within(work, 60_000, { unref: false })];
  const during = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  await Promise.all(waits);
  expect(during - before).toBe(1);
});
