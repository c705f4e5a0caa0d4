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
