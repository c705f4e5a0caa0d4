import { nearest } from '../../src/config/nearest.ts';
import { addressOf, bytesOf, isLoopback, millisecondsOf } from '../../src/config/quantities.ts';

test.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['24d', 2_073_600_000],
  ['25d', undefined],
  ['0s', undefined],
  ['10', undefined],
  ['s', undefined],
  ['1s 1s', undefined],
  ['-1s', undefined],
])('the duration %j is %p ms', (text, ms) => {
  expect(millisecondsOf(text)).toBe(ms);
});

test.each([
  ['1B', 1],
  ['64KiB', 65_536],
  ['100MB', 100_000_000],
  ['1.5 GiB', 1_610_612_736],
  ['0B', undefined],
  ['9999999999GB', undefined],
  ['5', undefined],
  ['5mb', undefined],
])('the size %j is %p bytes', (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes);
});

test.each([
  ['localhost:9464', 'localhost', 9464],
  ['127.0.0.1:0', '127.0.0.1', 0],
  ['[::1]:65535', '::1', 65_535],
  ['0.0.0.0:80', '0.0.0.0', 80],
])('the address %j is %p, %p', (text, host, port) => {
  expect(addressOf(text)).toEqual({ host, port });
});

test.each(['localhost', ':80', 'localhost:65536', '::1:80', 'http://localhost:80', 'a b:1', '9464', ''])(
  '%j is no address',
  (text) => {
    expect(addressOf(text)).toBeUndefined();
  },
);

test.each([
  ['localhost', true],
  ['127.8.9.1', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.example.org', false],
  ['10.0.0.1', false],
])('that %p is this machine alone is %p', (host, is) => {
  expect(isLoopback(host)).toBe(is);
});

test.each([
  ['pth', 'path'],
  ['adress', 'address'],
  ['Listen', 'listen'],
  ['intervall', 'interval'],
  ['zzzzzz', undefined],
])('%j is most likely %p', (word, meant) => {
  expect(nearest(word, ['path', 'address', 'listen', 'interval'])).toBe(meant);
});
