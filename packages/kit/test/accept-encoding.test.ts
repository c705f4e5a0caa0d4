import { wantsGzip } from '../src/accept-encoding.ts';

test.each([
  ['gzip', true],
  ['deflate, gzip;q=1.0, *;q=0.5', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['*', true],
  ['gzip;q=0.5, identity;q=0.5', true],
  ['gzip ; q=0.001', true],
  ['*;q=0, gzip', true],
])('the header %p allows gzip', (header, expected) => {
  expect(wantsGzip(header)).toBe(expected);
});

test.each([
  [undefined],
  [''],
  ['identity'],
  ['br, deflate'],
  ['gzip;q=0'],
  ['gzip; q=0.0, *'],
  ['*;q=0'],
  ['gzip;q=0.5, identity'],
  ['gzip;q=nonsense'],
  ['gzip;q=2'],
  ['gzipped'],
  [',;=,'],
])('the header %p gets a plain body', (header) => {
  expect(wantsGzip(header)).toBe(false);
});
