import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { readEncoded } from '../src/index.ts';

function encodedOf(...values: number[]): string {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
  for (const value of values) histogram.record(value);
  return histogram.toBase64();
}

test('adds up several histograms, each broken into lines', async () => {
  const broken = encodedOf(1, 2)
    .match(/.{1,20}/g)!
    .join('\r\n');
  const sum = await readEncoded(Buffer.from(`\n${broken} ${encodedOf(3)}\t\n${encodedOf(4)}\n\n`));
  expect([sum.totalCount, sum.max]).toEqual([4, 4]);
});

test('decodes doubles', async () => {
  const doubles = new DoubleHistogram({ highestToLowestValueRatio: 1000 });
  doubles.record(1.5);
  expect(await readEncoded(Buffer.from(doubles.toBase64()))).toBeInstanceOf(DoubleHistogram);
});

test('white space takes time in proportion to its length', async () => {
  const start = performance.now();
  const { totalCount } = await readEncoded(
    Buffer.from(`${encodedOf(1)}${' \n'.repeat(500_000)}${encodedOf(2)}`),
  );
  expect(totalCount).toBe(2);
  expect(performance.now() - start).toBeLessThan(1000);
});

test('many histograms let others work in between, and end when the command does', async () => {
  const text = `${encodedOf(1, 2, 3)} `.repeat(20_000);
  const ending = new AbortController();
  const decoded = readEncoded(Buffer.from(text), { signal: ending.signal });
  setImmediate(() => ending.abort(new Error('ended')));
  await expect(decoded).rejects.toThrow('ended');
});

test('a damaged histogram is refused with the name of the text', async () => {
  await expect(readEncoded(Buffer.from('HISTFAAA'), { name: 'x.txt' })).rejects.toThrow(/^x\.txt: /);
});
