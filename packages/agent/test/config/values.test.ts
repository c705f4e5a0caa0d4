import { parseConfig } from '../../src/index.ts';

/** The value of a key of an entry; `undefined` when it is refused. */
function readKey(entry: string, key: string, text: string): unknown {
  const yaml = `sources: []\nsinks: [{ ${entry}, ${key}: ${JSON.stringify(text)} }]`;
  const [sink] = parseConfig(yaml).config?.sinks ?? [];
  return (sink as Readonly<Record<string, unknown>> | undefined)?.[key];
}

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
  expect(readKey('type: history, folder: a', 'interval', text)).toBe(ms);
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
  expect(readKey('type: otlp', 'maxRequestSize', text)).toBe(bytes);
});

test.each([
  ['localhost:9464', 'localhost', 9464],
  ['127.0.0.1:0', '127.0.0.1', 0],
  ['[::1]:65535', '::1', 65_535],
  ['0.0.0.0:80', '0.0.0.0', 80],
])('the address %j is %p, %p', (text, host, port) => {
  expect(readKey('type: health', 'listen', text)).toEqual({ host, port });
});

test.each(['localhost', ':80', 'localhost:65536', '::1:80', 'http://localhost:80', 'a b:1', '9464', ''])(
  '%j is not an address',
  (text) => {
    expect(readKey('type: health', 'listen', text)).toBeUndefined();
  },
);
