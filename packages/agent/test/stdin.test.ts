import { numberReader } from '../src/sources/numbers.ts';
import { StdinFeed } from '../src/sources/stdin-feed.ts';
import { until } from './support/agents.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What is read of chunks: numbers as such, other words as they are. */
function read(...chunks: readonly (string | Uint8Array)[]): (number | string)[] {
  const found: (number | string)[] = [];
  const take = (one: number | string): void => {
    found.push(one);
  };
  const reader = numberReader(take, take);
  for (const chunk of chunks) reader.push(typeof chunk === 'string' ? bytes(chunk) : chunk);
  reader.end();
  return found;
}

test.each([
  ['1 2\n3\r\n\t4,5;6', [1, 2, 3, 4, 5, 6]],
  ['-1 +2 .5 5. 1e3 1E-3', [-1, 2, 0.5, 5, 1000, 0.001]],
  ['', []],
  ['  \n', []],
  ['0x10 NaN Infinity 1_000 1e 12ms', ['0x10', 'NaN', 'Infinity', '1_000', '1e', '12ms']],
])('%j is %p', (text, numbers) => {
  expect(read(text)).toEqual(numbers);
});

test('where chunks are cut does not matter, also within a letter', () => {
  const text = bytes('12.5 µ 34\n56');
  for (let at = 0; at <= text.length; at++) {
    expect(read(text.subarray(0, at), text.subarray(at))).toEqual([12.5, 'µ', 34, 56]);
  }
});

test('a word without end takes no more memory than one of 400 letters', () => {
  const words = read(...Array.from({ length: 100 }, () => 'x'.repeat(1000)), ' 7');
  expect(words.map((word) => (typeof word === 'string' ? word.length : word))).toEqual([400, 7]);
});

test('a listener that comes later takes what comes after the one before, and nothing is lost between', async () => {
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

test('that reading fails is told once', async () => {
  const told: unknown[] = [];
  const feed = new StdinFeed({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('broken')) }),
  });
  feed.listen({
    onBytes: () => {},
    onEnd: () => told.push('ended'),
    onError: (error) => told.push((error as Error).message),
  });
  await until('it is told', () => told.length > 0);
  expect(told).toEqual(['broken']);
});
