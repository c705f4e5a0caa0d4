import { bucketCounts, type CountedUnit, createRegistry } from '@hdrscope/registry';
import type { EntryContext } from '../../src/part.ts';
import { createNumberReader } from '../../src/sources/shared.ts';

test.each<[CountedUnit, unit: string, asText: (threshold: number) => string]>([
  ['ns', 's', (threshold) => `${threshold}e-9`],
  ['us', 's', (threshold) => `${threshold}e-6`],
  ['ms', 's', (threshold) => `${threshold}e-3`],
  ['s', 's', String],
  ['KiB', 'By', (threshold) => `${threshold * 1024}`],
  ['none', '', String],
])('a number on a threshold counts within it, and the next one does not: %s', (counted, unit, asText) => {
  for (let threshold = 1; threshold <= 500; threshold++) {
    const registry = createRegistry();
    const context = { registry, added: () => {} } as unknown as EntryContext;
    const metric = {
      ...{ name: 'x', description: '', unit: counted },
      ...{ significantDigits: 2, thresholds: [threshold] },
    };
    const reader = createNumberReader({ metric, attributes: {} }, context, 'a test');
    reader.push(Buffer.from(`${threshold} ${threshold + 1}\n`));
    reader.end();
    const family = registry.histogram({ name: 'x', unit }).snapshot();
    // Rules name the threshold by its shortest text.
    expect(family.thresholds).toEqual([Number(asText(threshold))]);
    expect(bucketCounts(family, family.series[0]!, family.thresholds)).toEqual([1, 1]);
  }
});
