import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { readEncoded } from '../src/index.ts';

function encode(
  value: number,
  shape: { significantDigits: number; lowestDiscernibleValue?: number },
): string {
  const histogram = new Histogram({ autoResize: true, ...shape });
  histogram.record(value);
  return histogram.toBase64();
}

test('encoded histograms of unlike layouts have one sum in any order, whose slots contain theirs', async () => {
  const texts = [
    encode(427, { significantDigits: 3 }),
    encode(100_900, { significantDigits: 2 }),
    encode(16_000, { significantDigits: 3, lowestDiscernibleValue: 2 ** 14 }),
  ];
  const sums = [];
  for (const order of [texts, [...texts].reverse()]) {
    const bytes = new TextEncoder().encode(order.join('\n'));
    sums.push((await readEncoded(bytes)) as Histogram);
  }
  expect(sums[0]!.equals(sums[1]!)).toBe(true);
  const { layout } = sums[0]!;
  expect([layout.significantDigits, layout.lowestDiscernibleValue]).toEqual([2, 2 ** 14]);
});

test('integers and doubles have no sum', async () => {
  const doubles = new DoubleHistogram();
  doubles.record(0.5);
  const text = `${encode(7, { significantDigits: 3 })}\n${doubles.toBase64()}\n`;
  await expect(readEncoded(new TextEncoder().encode(text))).rejects.toMatchObject({
    code: 'ERR_INCOMPATIBLE',
  });
});
