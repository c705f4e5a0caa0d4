import { StdinFeed } from '../src/stdin-feed.ts';
import { until } from './support/agents.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a later listener gets the bytes after those of the earlier one, and no byte is lost', async () => {
  const taken: string[] = [];
  let asked = 0;
  const feed = new StdinFeed(
    (async function* () {
      for (const text of ['a', 'b', 'c']) {
        asked++;
        yield bytes(text);
      }
    })(),
  );
  const listener = (name: string, onText: (text: string) => void = () => {}) => ({
    onBytes(chunk: Uint8Array) {
      const text = new TextDecoder().decode(chunk);
      taken.push(`${name} ${text}`);
      onText(text);
    },
    onEnd: () => taken.push(`${name} ended`),
    onError: () => taken.push(`${name} failed`),
  });
  expect(asked).toBe(0);
  const unlisten = feed.listen(listener('first', () => unlisten()));
  await until('the first has one', () => taken.length === 1);
  feed.listen(listener('second'));
  await until('it has ended', () => taken.includes('second ended'));
  expect(taken).toEqual(['first a', 'second b', 'second c', 'second ended']);
  feed.listen(listener('third'));
  expect(taken.at(-1)).toBe('third ended');
});

test('an error of the input is reported once', async () => {
  const reported: unknown[] = [];
  const feed = new StdinFeed({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('broken')) }),
  });
  feed.listen({
    onBytes: () => {},
    onEnd: () => reported.push('ended'),
    onError: (error) => reported.push((error as Error).message),
  });
  await until('it is reported', () => reported.length > 0);
  expect(reported).toEqual(['broken']);
});
