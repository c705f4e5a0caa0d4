import { formatMapValue } from '../../src/commands/ebpf/histogram.ts';

test.each([
  [0, 'ns', '0 ns'],
  [999, 'ns', '999 ns'],
  [16_384, 'ns', '16.4 µs'],
  [1_835_008, 'ns', '1.84 ms'],
  [999_999, 'ns', '1 ms'],
  [4096, 'us', '4.1 ms'],
  [7_200, 's', '2 h'],
  [5, 'none', '5'],
  [4096, 'bytes', '4 KiB'],
  [3, 'KiB', '3 KiB'],
  [2_097_151, 'KiB', '2 GiB'],
  [Number.POSITIVE_INFINITY, 'none', '∞'],
] as const)('%d %s is %s', (value, unit, text) => {
  expect(formatMapValue(value, unit)).toBe(text);
});

test('microseconds are ASCII on request', () => {
  expect(formatMapValue(16_384, 'ns', true)).toBe('16.4 us');
});
