import { addressOf } from '../../src/config/address.ts';

test.each([
  ['localhost:9464', 'localhost', 9464],
  ['127.0.0.1:0', '127.0.0.1', 0],
  ['[::1]:65535', '::1', 65_535],
  ['0.0.0.0:80', '0.0.0.0', 80],
])('the address %j is %p, %p', (text, host, port) => {
  expect(addressOf(text)).toEqual({ host, port });
});

test.each(['localhost', ':80', 'localhost:65536', '::1:80', 'http://localhost:80', 'a b:1', '9464', ''])(
  '%j is not an address',
  (text) => {
    expect(addressOf(text)).toBeUndefined();
  },
);
