import { countNumbers } from '../../src/index.ts';
import type { BadLine } from '../../src/internal.ts';
import type { NumberText } from '../../src/numbers/count-numbers.ts';

const text = (beginning: string): NumberText => ({
  name: 'FILE',
  beginning,
  bytes: [new TextEncoder().encode(beginning)],
});

test('counts numbers, quantities and quoted cells in one unit', async () => {
  const { histogram, most, ticksPerUnit } = await countNumbers([text('12ms\n1.5s\n')], { unit: 'ms' });
  expect([histogram.totalCount, most / ticksPerUnit]).toEqual([2, 1500]);
  const table = text('"a, b",ms\n"/x, y",7\n');
  expect((await countNumbers([table], { column: 'ms' })).most).toBe(7000);
  const json = text('{"latency":{"ms":1.5}}\n{"latency":{"ms":"2ms"}}\n');
  expect((await countNumbers([json], { unit: 'ms', field: 'latency.ms' })).most).toBe(2e6);
});

test('bad lines end the counting, or go to the caller', async () => {
  await expect(countNumbers([text('1\ntwo\n')])).rejects.toMatchObject({
    code: 'ERR_DECODE',
    message: expect.stringMatching(/^FILE: line 2 /),
  });
  const bad: BadLine[] = [];
  const { histogram } = await countNumbers([text('1\ntwo\n3\n')], { onBadLine: (line) => bad.push(line) });
  expect([histogram.totalCount, bad.map(({ lineNumber }) => lineNumber)]).toEqual([2, [2]]);
});

test('refuses units of something else and places without numbers', async () => {
  await expect(countNumbers([text('4KiB\n')], { unit: 'ms' })).rejects.toMatchObject({
    code: 'ERR_INCOMPATIBLE',
    message: 'FILE has "4KiB", and others are in ms: count them separately',
  });
  await expect(countNumbers([text('{"ms":1}\n')], { field: 'mss' })).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: 'FILE has no numbers in the field mss: did you mean ms?; the fields with numbers are ms',
  });
});
