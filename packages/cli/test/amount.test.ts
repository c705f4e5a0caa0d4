import type { CountedUnit } from '@hdrscope/registry';
import { amountIn } from '../src/options.ts';

test.each<[string, CountedUnit, number | undefined]>([
  ['4096', 'bytes', 4096],
  ['4KiB', 'bytes', 4096],
  ['1.5TiB', 'bytes', 1.5 * 2 ** 40],
  ['4KiB', 'KiB', 4],
  ['1.5ms', 'ns', 1_500_000],
  ['0.1ms', 'ns', 100_000],
  ['1m30s', 's', 90],
  ['250', 'us', 250],
  ['7', 'none', 7],
  ['1ms', 'none', undefined],
  ['1ms', 'bytes', undefined],
  ['4KiB', 'ns', undefined],
  ['4kB', 'bytes', 4000],
  ['100MB', 'bytes', 1e8],
  ['1TiB', 'bytes', 2 ** 40],
  ['12ms', 'us', 12_000],
  ['12µs', 'ns', 12_000],
  ['1h', 's', 3600],
  ['4kb', 'bytes', undefined],
  ['-1', 'ns', undefined],
  ['', 'bytes', undefined],
])('%s of %s is %s', (text, unit, value) => {
  expect(amountIn(text, unit)).toBe(value);
});
