import { setTimeout as sleep } from 'node:timers/promises';
import { SteppedWork } from '../../browser/stepped-work.ts';

/** A work that notes each of its three steps, and in which task it was done. */
function notedWork() {
  const done: string[] = [];
  let times = 0;
  const work = new SteppedWork(function* () {
    const time = ++times;
    for (const step of ['a', 'b', 'c']) {
      if (step !== 'a') yield;
      done.push(`${step}${time}`);
    }
  });
  return { work, done };
}

beforeAll(() => Object.assign(globalThis, { window: globalThis }));
afterAll(() => Reflect.deleteProperty(globalThis, 'window'));

test('each step is a task of its own, and tasks that were due before it come first', async () => {
  const order: string[] = [];
  const work = new SteppedWork(function* () {
    for (const step of ['a', 'b']) {
      order.push(step);
      setTimeout(() => order.push(`after ${step}`));
      yield;
    }
    order.push('c');
  });
  work.doSoon();
  expect(order).toEqual([]);
  while (!order.includes('c')) await sleep(1);
  expect(order).toEqual(['a', 'after a', 'b', 'after b', 'c']);
});

test('a work that becomes due while its steps are under way is done again after them', async () => {
  const { work, done } = notedWork();
  work.doSoon();
  while (done.length < 1) await sleep(1);
  work.doSoon();
  work.doSoon();
  while (done.length < 6) await sleep(1);
  await sleep(20);
  expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
});

test('a work that is done at once takes the place of the steps that were still to come', async () => {
  const { work, done } = notedWork();
  work.doSoon();
  while (done.length < 1) await sleep(1);
  work.doSoon();
  work.doNow();
  await sleep(20);
  expect(done).toEqual(['a1', 'a2', 'b2', 'c2']);
});
