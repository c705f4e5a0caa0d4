import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import fc from 'fast-check';
import { type Port, socketPort } from '../../../src/register/page/ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'hdrscope-ports-'));
const path = join(folder, 's');
let server: Server;
let accepted: (socket: Socket) => void;

beforeAll(async () => {
  server = createServer((socket) => accepted(socket));
  await new Promise<void>((resolve) => server.listen(path, resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

/** The two ends of a connection. */
async function connected(): Promise<readonly [Socket, Socket]> {
  const other = new Promise<Socket>((resolve) => {
    accepted = resolve;
  });
  const one = connect(path);
  return [one, await other];
}

function messagesOf(port: Port, count: number): Promise<unknown[]> {
  const messages: unknown[] = [];
  return new Promise((resolve) => {
    port.on('message', (message) => {
      messages.push(message);
      if (messages.length === count) resolve(messages);
    });
    port.on('close', () => resolve(messages));
  });
}

test('messages arrive whole and in order, in whatever pieces their bytes come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.string(), fc.uint8Array({ maxLength: 3000 }), fc.double({ noNaN: true })), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 50 }),
      async (sent, pieces) => {
        const [one, other] = await connected();
        const received = messagesOf(socketPort(other), sent.length);
        const bytes = Buffer.concat(
          sent.flatMap((message) => {
            const body = serialize(message);
            const length = Buffer.alloc(4);
            length.writeUInt32BE(body.length);
            return [length, body];
          }),
        );
        let at = 0;
        for (const length of pieces) {
          one.write(bytes.subarray(at, at + length));
          at += length;
          await new Promise(setImmediate);
        }
        one.write(bytes.subarray(Math.min(at, bytes.length)));
        expect(await received).toEqual(sent);
        one.destroy();
      },
    ),
    { numRuns: 50 },
  );
});

test('what a port posts, the other one receives', async () => {
  const [one, other] = await connected();
  const received = messagesOf(socketPort(other), 2);
  const port = socketPort(one);
  port.postMessage({ counts: new Uint32Array([1, 2 ** 31]) });
  port.postMessage(undefined);
  expect(await received).toEqual([{ counts: new Uint32Array([1, 2 ** 31]) }, undefined]);
  one.destroy();
});

test.each([
  ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['a message of 4 GB', Buffer.from([255, 255, 255, 255])],
  ['bytes that are no message', Buffer.from([0, 0, 0, 4, 1, 2, 3, 4])],
])('%s ends the connection, and nothing else', async (_, bytes) => {
  const [one, other] = await connected();
  const received = messagesOf(socketPort(other), 1);
  one.on('error', () => {});
  one.write(bytes);
  expect(await received).toEqual([]);
  one.destroy();
});

test('a listener that fails ends its connection, and nothing else', async () => {
  const [one, other] = await connected();
  const port = socketPort(other);
  port.on('message', () => {
    throw new Error('malformed');
  });
  const closed = new Promise<void>((resolve) => port.on('close', resolve));
  socketPort(one).postMessage(null);
  await closed;
});

test('what atEnd brings comes before the end', async () => {
  const [one, other] = await connected();
  const port = socketPort(other, (ending) => ending.emit('message', 'the last word'));
  const events: unknown[] = [];
  port.on('message', (message) => events.push(message));
  const closed = new Promise<void>((resolve) => port.on('close', resolve));
  socketPort(one).postMessage('the first word');
  await new Promise((resolve) => setTimeout(resolve, 20));
  one.end();
  await closed;
  expect(events).toEqual(['the first word', 'the last word']);
});
