import { hostnameOf, inUrl, isLoopback } from '../../src/server/index.ts';

test.each([
  'localhost',
  'LocalHost',
  '127.0.0.1',
  '127.255.0.9',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::0001',
  '::ffff:127.0.0.1',
  '::ffff:127.9.9.9',
  '[::FFFF:7f00:1]',
])('%s leads to this machine only', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each([
  '',
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '127.example',
  'localhost.example',
  '::2',
  '::ffff:7f',
  '::ffff:10.0.0.1',
  'fe80::1%lo',
  '1::ffff:7f00:1',
])('%j may lead to other machines', (host) => {
  expect(isLoopback(host)).toBe(false);
});

test.each([
  ['localhost:9464', 'localhost'],
  [' Metrics.Example ', 'metrics.example'],
  ['[::1]:9464', '::1'],
  ['[::1]', '::1'],
  ['127.0.0.1:80', '127.0.0.1'],
])('the name in the header %j is %j', (header, name) => {
  expect(hostnameOf(header)).toBe(name);
});

test.each([
  ['::1', '[::1]'],
  ['[::1]', '[::1]'],
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', 'localhost'],
])('the host %s stands in a URL as %s', (host, text) => {
  expect(inUrl(host)).toBe(text);
});
