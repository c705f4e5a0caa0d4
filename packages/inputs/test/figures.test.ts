import { DoubleHistogram, Histogram } from '@hdrscope/core';
import type { RecordedFigures } from '../src/figures.ts';
import { readFigures } from '../src/index.ts';
import { numberUnit, scaleFigures } from '../src/internal.ts';

const integers = new Histogram();
integers.record(7);
const doubles = new DoubleHistogram();
doubles.record(0.5);

const line = (encoded: string, unit = 'ms'): string => JSON.stringify({ unit, resolution: 1, encoded });

const read = (...lines: string[]): Promise<RecordedFigures> =>
  readFigures(Buffer.from(lines.join('\n')), { name: 'FILE' });

test.each([
  ['integers', integers.toBase64(), 7],
  ['doubles', doubles.toBase64(), 0.5],
])('adds up the histograms of several lines: %s', async (_, encoded, max) => {
  const { histogram, unit, resolution } = await read(line(encoded), line(encoded));
  expect([histogram.totalCount, unit, resolution]).toEqual([2, 'ms', 1]);
  expect(histogram.max).toBeCloseTo(max, 3);
});

test.each([
  ['integers and doubles', [line(integers.toBase64()), line(doubles.toBase64())], 'FILE: '],
  ['two units', [line(integers.toBase64()), line(integers.toBase64(), 's')], 'in ms and in s'],
  ['a broken histogram', [line('HISTAAAA')], 'FILE: '],
  ['a text that is no histogram', [line('AAAA')], 'FILE has a document without its histogram'],
  ['an unknown unit', [line(integers.toBase64(), 'parsecs')], 'FILE has a document without its histogram'],
])('refuses %s', async (_, lines, message) => {
  await expect(read(...lines)).rejects.toMatchObject({
    name: 'HdrscopeError',
    message: expect.stringContaining(message),
  });
});

test('histograms of doubles are scaled to the steps of a unit, as those of integers are', () => {
  const [integers, doubles] = [new Histogram(), new DoubleHistogram({ significantDigits: 3 })];
  for (const histogram of [integers, doubles]) {
    histogram.record(0, 2);
    histogram.record(5000, 3);
    const scaled = scaleFigures(numberUnit('ms'), { histogram, unit: 'ms', resolution: 0.001 }, 'FILE');
    expect([scaled.totalCount, scaled.min]).toEqual([5, 0]);
    expect(scaled.max / 5e6).toBeCloseTo(1, 2);
  }
});
