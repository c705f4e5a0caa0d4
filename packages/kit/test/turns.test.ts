import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from '../src/turns.ts';

/** Work of so many pieces of a millisecond each. */
function* work(name: string, pieces: number, done: string[]): Generator<void, string, void> {
  for (let i = 0; i < pieces; i++) {
    const end = performance.now() + 1;
    while (performance.now() < end);
    done.push(name);
    yield;
  }
  return name;
}

test('works run one after another, in the order in which they came, and others run between their pieces', async () => {
  const turns = new Turns();
  const done: string[] = [];
  let others = 0;
  const timer = setInterval(() => others++, 1);
  const results = await Promise.all(['a', 'b', 'c'].map((name) => turns.take(() => work(name, 20, done))));
  clearInterval(timer);
  expect(results).toEqual(['a', 'b', 'c']);
  expect(done.join('')).toBe('a'.repeat(20) + 'b'.repeat(20) + 'c'.repeat(20));
  expect(others).toBeGreaterThan(2);
});

test('a work that throws does not stop those after it', async () => {
  const turns = new Turns();
  const failed = turns.take(() => {
    throw new Error('out of order');
  });
  const next = turns.take(() => work('next', 1, []));
  await expect(failed).rejects.toThrow('out of order');
  expect(await next).toBe('next');
});

test('a work begins only at its turn', async () => {
  const turns = new Turns();
  const done: string[] = [];
  const first = turns.take(() => work('first', 20, done));
  let begun = 0;
  const second = turns.take(() => {
    begun = done.length;
    return work('second', 1, done);
  });
  await sleep(1);
  await Promise.all([first, second]);
  expect(begun).toBe(20);
});
