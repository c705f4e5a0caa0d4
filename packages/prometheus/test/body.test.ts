import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { sendBody } from '../src/body.ts';

/** Pieces of many lengths, 3 MB in all. */
const BODY = Array.from({ length: 300 }, (_, i) => new Uint8Array((i * i) % 20_000).fill(i));
const BYTES = Buffer.concat(BODY);

test('a body arrives whole at a stream that takes it slowly', async () => {
  const received: Buffer[] = [];
  const slow = new Writable({
    highWaterMark: 1000,
    write(chunk, _, done) {
      received.push(chunk);
      setImmediate(done);
    },
  });
  await sendBody(slow, BODY);
  expect(Buffer.concat(received).equals(BYTES)).toBe(true);
  expect(received.length).toBeGreaterThan(10);
  expect(slow.writableEnded).toBe(true);
});

test('a body waits in its pieces, not in the stream, until the client reads on', async () => {
  const stream = new PassThrough();
  const sent = sendBody(stream, BODY);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(stream.writableLength + stream.readableLength).toBeLessThan(BYTES.length / 2);
  stream.resume();
  await sent;
});

test.each([
  ['a short body', [new Uint8Array([104, 105])], () => {}],
  ['a body for a host without a stream', BODY, undefined],
])('%s is passed to end whole, as a buffer that converts to its text', async (_, body, write) => {
  const ended: unknown[] = [];
  await sendBody({ end: (bytes) => ended.push(bytes), ...(write && { write, on: () => {} }) }, body);
  expect(ended).toHaveLength(1);
  expect(Buffer.isBuffer(ended[0])).toBe(true);
  expect(Buffer.concat(body).equals(ended[0] as Buffer)).toBe(true);
});

test('a client that goes away ends the sending without an error', async () => {
  let sending: Promise<void> | undefined;
  const large = Array<Uint8Array>(100).fill(new Uint8Array(1 << 20));
  const server = createServer((_, response) => {
    sending = sendBody(response, large);
  }).listen(0, 'localhost');
  await new Promise((resolve) => server.once('listening', resolve));
  const socket = connect((server.address() as AddressInfo).port, 'localhost');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await expect(sending).resolves.toBeUndefined();
  server.close();
});
