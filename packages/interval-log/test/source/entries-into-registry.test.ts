import { Histogram } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { entriesIntoRegistry, formatInterval, readEntries } from '../../src/index.ts';

test('added attributes override those of the log and those of seriesOf', async () => {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
  histogram.record(42);
  const line = (tag: string): string => formatInterval(histogram, { tag, startSec: 1, endSec: 2 });
  const note =
    '#[Family: {"name":"rpc","unit":"s","resolution":1e-9,"significantDigits":3,"description":""}]\n';
  const log = new TextEncoder().encode(`${note}${line('rpc?host=a&method=get')}${line('other')}`);
  const registry = createRegistry();
  const entries = entriesIntoRegistry(registry, {
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
  const entries = entriesIntoRegistry(registry, {
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
  const entries = entriesIntoRegistry(createRegistry(), {
    onRefusedNote: ({ details }) => refused.push(details),
  });
  for await (const entry of readEntries(new TextEncoder().encode(log))) entries.take(entry);
  expect(refused).toEqual([
    { line: 10_001, most: 10_000 },
    { line: 10_002, most: 10_000 },
  ]);
});
