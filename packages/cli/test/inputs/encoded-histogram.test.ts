import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { decodeEncoded } from '../../src/inputs/encoded-histogram.ts';

function encodedOf(...values: number[]): string {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
  for (const value of values) histogram.record(value);
  return histogram.toBase64();
}

test('adds up several histograms, each broken into lines', async () => {
  const broken = encodedOf(1, 2)
    .match(/.{1,20}/g)!
    .join('\r\n');
  const sum = await decodeEncoded(`\n${broken} ${encodedOf(3)}\t\n${encodedOf(4)}\n\n`, 'x');
  expect([sum.totalCount, sum.max]).toEqual([4, 4]);
});

test('decodes doubles', async () => {
  const doubles = new DoubleHistogram({ highestToLowestValueRatio: 1000 });
  doubles.record(1.5);
  expect(await decodeEncoded(doubles.toBase64(), 'x')).toBeInstanceOf(DoubleHistogram);
});

test('white space takes time in proportion to its length', async () => {
  const start = performance.now();
  const { totalCount } = await decodeEncoded(`${encodedOf(1)}${' \n'.repeat(500_000)}${encodedOf(2)}`, 'x');
  expect(totalCount).toBe(2);
  expect(performance.now() - start).toBeLessThan(1000);
});

test('many histograms let others work in between, and end when the command does', async () => {
  const text = `${encodedOf(1, 2, 3)} `.repeat(20_000);
  let pauses = 0;
  const decoded = decodeEncoded(text, 'x', () => {
    if (++pauses === 3) throw new Error('ended');
  });
  await expect(decoded).rejects.toThrow('ended');
});

test('a damaged histogram is refused with the name of the text', async () => {
  await expect(decodeEncoded('HISTFAAA', 'x.txt')).rejects.toThrow(/^x\.txt: /);
});
