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

test.each([
  ['a column of seconds', 'at,ms\n10.5,1\n11,"2"\n', { column: 'ms', time: 'at' }, [10.5, 11]],
  [
    'a column of dates',
    'ms;at\n1;2026-11-27T10:00:00Z\n2ms;2026-11-27T10:00:01.5Z\n',
    { column: '1', time: '2', unit: 'ms' },
    [1_795_773_600, 1_795_773_601.5],
  ],
  ['a field', '{"ms":1,"t":{"at":7}}\n{"ms":2,"t":{"at":"8"}}\n', { field: 'ms', time: 't.at' }, [7, 8]],
] as const)('%s has the time of each number', async (_, content, options, expected) => {
  const found: [ticks: number, moment: number][] = [];
  const { ticksPerUnit } = await countNumbers([text(content)], {
    ...options,
    onTimed: (ticks, moment) => found.push([ticks, moment]),
  });
  expect(found).toEqual([
    [ticksPerUnit, expected[0]],
    [2 * ticksPerUnit, expected[1]],
  ]);
});

test('a line without its time is bad, and a place without times is refused', async () => {
  const bad: BadLine[] = [];
  const table = text('at,ms\n1,1\nsoon,2\n,3\n4,4\n');
  const options = { column: 'ms', time: 'at', onBadLine: (line: BadLine): unknown => bad.push(line) };
  expect((await countNumbers([table], options)).histogram.totalCount).toBe(2);
  expect(bad.map(({ lineNumber }) => lineNumber)).toEqual([3, 4]);
  const missing = { code: 'ERR_INVALID_OPTION' };
  await expect(countNumbers([table], { column: 'ms', time: 'start' })).rejects.toMatchObject(missing);
  await expect(countNumbers([text('{"ms":1}\n')], { field: 'ms', time: 'at' })).rejects.toMatchObject(
    missing,
  );
});
