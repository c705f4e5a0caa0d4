import { DoubleHistogram, Histogram } from '@hdrscope/core';
import type { PercentilePlot } from '@hdrscope/plot';
import { inStepsOf, readRecorded } from '../../src/inputs/recorded.ts';
import { numberUnit } from '../../src/numbers/number-unit.ts';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';
import { dataOf } from '../support/plots.ts';

const integers = new Histogram();
integers.record(7);
const doubles = new DoubleHistogram();
doubles.record(0.5);

const line = (encoded: string, unit = 'ms'): string => JSON.stringify({ unit, resolution: 1, encoded });

const read = (...lines: string[]): ReturnType<typeof readRecorded> =>
  readRecorded({
    kind: 'recorded',
    name: 'FILE',
    title: 'FILE',
    source: [Buffer.from(lines.join('\n'))],
    beginning: '',
  });

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
    name: 'Refusal',
    message: expect.stringContaining(message),
  });
});

test('histograms of doubles are scaled to the steps of a unit, as those of integers are', () => {
  const [integers, doubles] = [new Histogram(), new DoubleHistogram({ significantDigits: 3 })];
  for (const histogram of [integers, doubles]) {
    histogram.record(0, 2);
    histogram.record(5000, 3);
    const scaled = inStepsOf(numberUnit('ms'), { histogram, unit: 'ms', resolution: 0.001 }, 'FILE');
    expect([scaled.totalCount, scaled.min]).toEqual([5, 0]);
    expect(scaled.max / 5e6).toBeCloseTo(1, 2);
  }
});

describe('figures of a finer resolution than that of texts', () => {
  const folder = useFolder();
  const recordedFile = async (name: string, numbers: string, unit: string, step: string): Promise<string> => {
    const path = folder.pathOf(name);
    const options = ['--unit', unit, '--resolution', step, '--digits', '4', '--json', '-o', path];
    expect(await hdrscope(['record', ...options, '-'], { stdin: numbers })).toMatchObject({ exitCode: 0 });
    return path;
  };

  test('are compared and drawn in its steps', async () => {
    const path = await recordedFile('small.json', '1e-6\n2e-6\n', 'none', '1e-9');
    const { stdout } = await hdrscope(['diff', path, path, '--json']);
    expect(JSON.parse(stdout).before).toMatchObject({ min: 1e-6, max: 2e-6 });
    const { stdout: text } = await hdrscope(['diff', path, path]);
    expect(text).toMatch(/^ *p50 +0\.00000100 +0\.00000100 /m);
    const { curves } = await dataOf<PercentilePlot>([path]);
    expect(curves[0]!.points.at(-1)!.value).toBeCloseTo(2e-6, 9);
  });

  test('may be parts of a nanosecond', async () => {
    const path = await recordedFile('ns.json', '0.3ns\n12.3ns\n', 'ns', '0.1');
    const { stdout } = await hdrscope(['diff', path, path, '--json']);
    expect(JSON.parse(stdout).before).toMatchObject({ unit: 'ms', min: 3e-7, max: 1.23e-5 });
  });
});
