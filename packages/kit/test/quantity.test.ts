import fc from 'fast-check';
import { durationNs, formatDuration, formatSize, sizeBytes } from '../src/index.ts';

test.each([
  ['7ns', 7],
  ['12us', 12_000],
  ['12\u00b5s', 12_000],
  ['12\u03bcs', 12_000],
  ['12ms', 12e6],
  ['1.5s', 1.5e9],
  ['1m', 60e9],
  ['1min', 60e9],
  ['1h', 3600e9],
  ['7d', 7 * 86_400e9],
  ['1h30m', 5400e9],
  ['1s500ms', 1.5e9],
  ['100us200us', 300_000],
  ['12 ms', 12e6],
  ['0s', 0],
  ['0.4ns', 0],
  ['0.1ms0.2ms', 300_000],
])('the duration %j has %d ns', (text, ns) => {
  expect(durationNs(text)).toBe(ns);
});

test.each(['', '12', 's', ' 1s', '1  s', '-1s', '1s  1s', '1m30', '1x', '1e3s', '.5s', 'Infinity', '1MS'])(
  '%j is no duration',
  (text) => {
    expect(durationNs(text)).toBeUndefined();
  },
);

test('a duration beyond all doubles is refused', () => {
  expect(durationNs(`${'9'.repeat(400)}s`)).toBeUndefined();
});

test.each([
  ['0B', 0],
  ['512B', 512],
  ['4kB', 4000],
  ['4KB', 4000],
  ['100MB', 1e8],
  ['2GB', 2e9],
  ['1TB', 1e12],
  ['64KiB', 65_536],
  ['1MiB', 2 ** 20],
  ['1.5 GiB', 1.5 * 2 ** 30],
  ['1TiB', 2 ** 40],
])('the size %j has %d bytes', (text, bytes) => {
  expect(sizeBytes(text)).toBe(bytes);
});

test.each(['', '5', 'MB', '5mb', '5Mb', '-1B', '1KiB1B', '1ms', '9999999999GB'])('%j is no size', (text) => {
  expect(sizeBytes(text)).toBeUndefined();
});

test.each([
  [0, '0 ns'],
  [16_383, '16.4 \u00b5s'],
  [999_999_999, '1 s'],
  [59.6e9, '59.6 s'],
  [3580e9, '59 min 40 s'],
  [84_600e9, '23 h 30 min'],
  [59.98e9, '1 min'],
  [90e9, '90 s'],
  [100.4e9, '100 s'],
  [300e9, '5 min'],
  [599e9, '599 s'],
  [1000e9, '16 min 40 s'],
  [-7500e9, '-2 h 5 min'],
  [86_390e9, '1 d'],
  [90_000e9, '1 d 1 h'],
  [86_400e9, '1 d'],
  [-2e6, '-2 ms'],
  [123_456 * 86_400e9, '123456 d'],
  [86_400e9 * 1e22, '10000000000000000000000 d'],
  [1e-9, '0.000000001 ns'],
])('%d ns are shown as %j', (ns, text) => {
  expect(formatDuration(ns)).toBe(text);
});

test.each([
  [1, '1 B'],
  [1023.9, '1 KiB'],
  [4096, '4 KiB'],
  [1.5 * 2 ** 40, '1.5 TiB'],
])('%d bytes are shown as %j', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test('what is printed with all digits is read again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), (amount) => {
      expect(durationNs(formatDuration(amount, 15))).toBe(amount);
      expect(sizeBytes(formatSize(amount, 17))).toBe(amount);
    }),
  );
});

test('durationNs reads what formatDuration writes, also in two units', () => {
  // Beside a larger unit, seconds, minutes and hours are whole: half of one may be missing.
  const halves = [
    [86_400e9, 1800e9],
    [3600e9, 30e9],
    [60e9, 0.5e9],
  ] as const;
  const upTo = (max: number): fc.Arbitrary<number> => fc.double({ min: 0, max, noNaN: true });
  fc.assert(
    fc.property(fc.oneof(upTo(1e30), upTo(2e14)), (ns) => {
      const read = durationNs(formatDuration(ns));
      const half = halves.find(([larger]) => ns >= larger)?.[1] ?? 0;
      expect(Math.abs(read! - ns)).toBeLessThanOrEqual(Math.max(0.0051 * ns, half) + 1);
    }),
    { examples: [[86_842_898_783_798.38]] },
  );
  expect(formatDuration(4935253071231317 * 86_400e9)).not.toContain('-');
  expect(durationNs('1 h  30 min')).toBeUndefined();
  expect(durationNs('1 h 30 min ')).toBeUndefined();
});
