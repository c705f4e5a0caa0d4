import fc from 'fast-check';
import { snappy } from '../../src/remote-write/snappy.ts';
import { unsnappy } from '../support/snappy.ts';

test.each<[title: string, bytes: Uint8Array]>([
  ['nothing', new Uint8Array()],
  ['a byte', new Uint8Array([7])],
  ['a run', new Uint8Array(1000).fill(1)],
  ['a run of many blocks', new Uint8Array(300_000).fill(1)],
  ['a block', new Uint8Array(65_536).map((_, i) => (i * 7919) >>> 5)],
  ['a block and a byte', new Uint8Array(65_537).map((_, i) => (i * 7919) >>> 5)],
  ['words', Buffer.from('the quick brown fox jumps over the lazy dog; '.repeat(5000))],
  ['noise', Buffer.from(Array.from({ length: 200_000 }, (_, i) => Math.imul(i, 2_654_435_761) >>> 24))],
])('%s is restored', (_title, bytes) => {
  expect(Buffer.compare(unsnappy(snappy(bytes)), bytes)).toBe(0);
});

test('any bytes are restored', () => {
  const piece = fc.uint8Array({ maxLength: 40 });
  const repeated = fc
    .tuple(piece, fc.nat(200))
    .map(([one, count]) => Buffer.concat(new Array(count).fill(one)));
  const bytes = fc.array(fc.oneof(piece, repeated), { maxLength: 40 }).map((all) => Buffer.concat(all));
  fc.assert(
    fc.property(bytes, (all) => {
      expect(Buffer.compare(unsnappy(snappy(all)), all)).toBe(0);
    }),
  );
});

test('repeated text takes a small part of its bytes', () => {
  const text = Buffer.from('http_server_request_duration_seconds{route="/orders"} '.repeat(2000));
  expect(snappy(text).length).toBeLessThan(text.length / 15);
});
