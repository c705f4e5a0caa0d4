import { Histogram } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { formatInterval, ingestLogEntries, readEntries } from '../../src/index.ts';

test('added attributes override those of the log and those of seriesOf', async () => {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
  histogram.record(42);
  const line = (tag: string): string => formatInterval(histogram, { tag, startSec: 1, endSec: 2 });
  const note =
    '#[Family: {"name":"rpc","unit":"s","resolution":1e-9,"significantDigits":3,"description":""}]\n';
  const log = new TextEncoder().encode(`${note}${line('rpc?host=a&method=get')}${line('other')}`);
  const registry = createRegistry();
  const entries = ingestLogEntries(registry, {
    attributes: { host: 'b' },
    seriesOf: ({ tag }) => ({
      family: { name: 'else', significantDigits: 3 },
      attributes: { tag, host: 'c' },
    }),
  });
  for await (const entry of readEntries(log)) entries.take(entry);
  expect(entries.result).toEqual({ merged: 2, leftOut: 0, malformed: 0 });
  const { families } = await registry.gather();
  expect(families.map(({ name, series }) => [name, series.map(({ attributes }) => attributes)])).toEqual([
    ['rpc', [{ host: 'b', method: 'get' }]],
    ['else', [{ tag: 'other', host: 'b' }]],
  ]);
});

test('a family keeps its first description, and notes without effect are reported', async () => {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
  histogram.record(42);
  const line = formatInterval(histogram, { tag: 'rpc', startSec: 1, endSec: 2 });
  const note = (unit: string): string =>
    `#[Family: {"name":"rpc","unit":"${unit}","resolution":1e-9,"significantDigits":3,"description":""}]\n`;
  const bad = [
    '#[Family: {"name":7}]\n',
    '#[Family: not json]\n',
    '#[Family: [[[[]\n',
    note('s').slice(0, -9),
  ];
  const log = `${note('s')}${line}${bad.slice(0, 3).join('')}${note('By')}${line}${note('s')}${bad[3]}\n${line}`;
  const registry = createRegistry();
  const refused: unknown[] = [];
  const entries = ingestLogEntries(registry, {
    onRefusedNote: ({ code, details }) => refused.push([code, details.line]),
  });
  for await (const entry of readEntries(new TextEncoder().encode(log))) entries.take(entry);
  expect(entries.result).toEqual({ merged: 3, leftOut: 0, malformed: 0 });
  expect(refused).toEqual([
    ['ERR_LOG_FORMAT', 3],
    ['ERR_LOG_FORMAT', 4],
    ['ERR_LOG_FORMAT', 5],
    ['ERR_ALREADY_REGISTERED', 6],
    ['ERR_LOG_FORMAT', 9],
  ]);
  const { families } = await registry.gather();
  expect(families.map(({ name, unit }) => [name, unit])).toEqual([['rpc', 's']]);
});

test('descriptions beyond 10,000 families are refused, so a log cannot fill the memory with them', async () => {
  const note = (name: string): string =>
    `#[Family: {"name":"${name}","unit":"s","resolution":1e-9,"significantDigits":3,"description":""}]\n`;
  const log = Array.from({ length: 10_002 }, (_, at) => note(`f${at}`)).join('') + note('f0');
  const refused: unknown[] = [];
  const entries = ingestLogEntries(createRegistry(), {
    onRefusedNote: ({ details }) => refused.push(details),
  });
  for await (const entry of readEntries(new TextEncoder().encode(log))) entries.take(entry);
  expect(refused).toEqual([
    { line: 10_001, most: 10_000 },
    { line: 10_002, most: 10_000 },
  ]);
});

describe('a log cannot take much memory or time with what it says about families', () => {
  const note = (name: string, description: string, tagAttributes = {}): string => {
    const family = { name, unit: 's', resolution: 1e-9, significantDigits: 3, description, tagAttributes };
    return `#[Family: ${JSON.stringify(family)}]\n`;
  };

  async function refusedOf(lines: Iterable<string>): Promise<{ line: number; most: number }[]> {
    const refused: { line: number; most: number }[] = [];
    const entries = ingestLogEntries(createRegistry(), {
      onRefusedNote: ({ details }) => refused.push(details as { line: number; most: number }),
    });
    const log = new TextEncoder().encode([...lines].join(''));
    for await (const entry of readEntries(log)) entries.take(entry);
    return refused;
  }

  test('descriptions that are long together are refused', async () => {
    const long = 'x'.repeat(900_000);
    const refused = await refusedOf(Array.from({ length: 12 }, (_, at) => note(`f${at}`, long)));
    expect(refused).toEqual([10, 11, 12].map((line) => ({ line, most: 2 ** 23 })));
  });

  test('families of one name are refused beyond 100, since an interval looks at each', async () => {
    const started = process.cpuUsage();
    const refused = await refusedOf(Array.from({ length: 9000 }, (_, i) => note('f', '', { i })));
    const { user } = process.cpuUsage(started);
    expect(refused.length).toBe(8900);
    expect(refused[0]).toEqual({ line: 101, most: 100 });
    // Comparing each with all before it took more than 10 s.
    expect(user / 1000).toBeLessThan(3000);
  });

  test('the family without attributes in its tags stays the last one that is tried', async () => {
    const registry = createRegistry();
    const entries = ingestLogEntries(registry);
    const line = 'Tag=f?a=1,0.127,1.007,0.000,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n';
    const plain = note('f', '').replace(',"tagAttributes":{}', '');
    const log = plain + note('f', '', { a: 1 }) + line;
    for await (const entry of readEntries(new TextEncoder().encode(log))) entries.take(entry);
    const { families } = await registry.gather();
    expect(families.map(({ series }) => series.map(({ attributes }) => attributes))).toEqual([[{}]]);
  });
});
