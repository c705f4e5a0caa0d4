import { duration, size } from '../../src/config/values.ts';

test.each([
  ['500ms', 500],
  ['12ms', 12],
  ['12us', 0.012],
  ['12µs', 0.012],
  ['10s', 10_000],
  ['1h', 3_600_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['24d', 2_073_600_000],
  ['25d', undefined],
  ['0s', undefined],
  ['10', undefined],
  ['s', undefined],
  ['1s  1s', undefined],
  ['-1s', undefined],
])('the duration %j is %p ms', (text, ms) => {
  expect(duration.safeParse(text).data).toBe(ms);
});

test.each([
  ['1B', 1],
  ['64KiB', 65_536],
  ['100MB', 100_000_000],
  ['1TiB', 2 ** 40],
  ['1.5 GiB', 1_610_612_736],
  ['0B', undefined],
  ['9999999999GB', undefined],
  ['5', undefined],
  ['5mb', undefined],
])('the size %j is %p bytes', (text, bytes) => {
  expect(size.safeParse(text).data).toBe(bytes);
});
