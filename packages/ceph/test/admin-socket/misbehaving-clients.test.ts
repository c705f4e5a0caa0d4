import { setImmediate as nextTurn } from 'node:timers/promises';
import { anyCharacter } from '@hdrscope/testing/any-character';
import fc from 'fast-check';
import { askAdminSocket } from '../../src/index.ts';
import { bodyIn, converse, exchange } from './support/raw-client.ts';
import { useSockets } from './support/sockets.ts';

const sockets = useSockets();
const PING = '{"prefix":"0"}\0';
const PONG = Buffer.from('\0\0\0\x012');

describe('answers', () => {
  test.each([
    ['a request between a space and a carriage return', ' {"prefix":"0"}\r\n'],
    ['a request that ends in a newline', '{"prefix":"0"}\n'],
    ['a request of old clients', Buffer.alloc(4)],
    ['a request with unknown keys', '{"prefix":"0","cluster":{"a":null}}\0'],
  ])('%s', async (_, request) => {
    const { path } = await sockets.serve();

    expect((await exchange(path, request)).reply).toEqual(PONG);
  });

  test('a request that arrives byte by byte', async () => {
    const { path } = await sockets.serve();
    const { reply } = await converse(path, async (socket) => {
      for (const byte of PING) {
        socket.write(byte);
        await nextTurn();
      }
    });

    expect(reply).toEqual(PONG);
  });

  test('the first of two requests in one piece, and ignores the second', async () => {
    const { path } = await sockets.serve();

    expect((await exchange(path, `${PING}{"prefix":"version"}\0`)).reply).toEqual(PONG);
  });

  test('a client that has closed its half', async () => {
    const { path } = await sockets.serve();
    const { reply } = await converse(path, (socket) => socket.end(PING));

    expect(reply).toEqual(PONG);
  });

  test('a request of limits.requestBytes, and no longer one', async () => {
    const { path } = await sockets.serve({ limits: { requestBytes: 32 } });
    const requestOf = (bytes: number) => `${PING.slice(0, -1).padEnd(bytes - 1)}\0`;

    expect((await exchange(path, requestOf(32))).reply).toEqual(PONG);
    expect((await exchange(path, requestOf(33))).reply).toHaveLength(0);
  });

  test('200 clients at once', async () => {
    const { path } = await sockets.serve();
    const replies = await Promise.all(Array.from({ length: 200 }, () => exchange(path, PING)));

    expect(replies.map(({ reply }) => reply.toString())).toEqual(replies.map(() => PONG.toString()));
  });

  test.each([
    ['a prefix that is not a string', '{"prefix":5}'],
    ['a format that is not a string', '{"prefix":"0","format":["json"]}'],
  ])('%s with an error', async (_, request) => {
    const { path } = await sockets.serve();
    const { reply } = await exchange(path, `${request}\0`);

    expect(bodyIn(reply)).toBe('ERROR: (22) Invalid argument\ninvalid json, missing format and/or prefix\n');
  });

  test.each(['__proto__', 'constructor', 'toString'])('the prefix %s as an unknown one', async (prefix) => {
    const { path } = await sockets.serve();
    const { reply } = await exchange(path, `{"prefix":"${prefix}"}\0`);

    expect(bodyIn(reply)).toBe(`ERROR: (22) Invalid argument\nunknown command prefix ${prefix}\n`);
  });
});

describe('disconnects', () => {
  test.each([
    ['says nothing', ''],
    ['stops in the middle', '{"prefix":'],
    ['stops in an old request', '\0\0'],
  ])('a client that %s', async (_, request) => {
    const { path } = await sockets.serve({ limits: { requestMs: 20 } });

    expect((await exchange(path, request)).reply).toHaveLength(0);
  });

  test('a client that sends without an end', async () => {
    const { path } = await sockets.serve({ limits: { requestMs: 50 } });
    const { reply } = await converse(path, async (socket) => {
      while (!socket.closed) {
        socket.write(' ');
        await nextTurn();
      }
    });

    expect(reply).toHaveLength(0);
  });

  test('a client that does not read its reply', async () => {
    const big = 'x'.repeat(32 * 2 ** 20);
    const { path } = await sockets.serve({
      limits: { requestMs: 50, connections: 1 },
      commands: [{ prefix: 'big', run: () => big }],
    });
    const { reply, errorCode } = await converse(path, async (socket) => {
      socket.pause();
      socket.write('{"prefix":"big"}\0');
      // No other client can connect until the server disconnects this one.
      while ((await exchange(path, PING)).reply.length === 0) await nextTurn();
      socket.resume();
    });

    expect(reply.length).toBeLessThan(big.length);
    expect([undefined, 'ECONNRESET', 'EPIPE']).toContain(errorCode);
  });

  test('clients beyond the limit, when all others have sent a request', async () => {
    const asked = withResolvers();
    const goOn = withResolvers();
    const run = async () => {
      asked.resolve();
      await goOn.promise;
      return '2';
    };
    const { path } = await sockets.serve({ limits: { connections: 1 }, commands: [{ prefix: 'slow', run }] });
    const { reply } = await converse(path, async (first) => {
      first.write('{"prefix":"slow"}\0');
      await asked.promise;
      expect((await exchange(path, PING)).reply).toHaveLength(0);
      goOn.resolve();
    });

    expect(reply).toEqual(PONG);
  });
});

test('a client that hangs up before its reply does no harm', async () => {
  const asked = withResolvers();
  const goOn = withResolvers();
  const { path } = await sockets.serve({
    commands: [
      {
        prefix: 'slow',
        run: () => {
          asked.resolve();
          return goOn.promise.then(() => 'late');
        },
      },
    ],
  });
  const { reply } = await converse(path, async (socket) => {
    socket.write('{"prefix":"slow"}\0');
    await asked.promise;
    socket.destroy();
  });
  goOn.resolve();

  expect(reply).toHaveLength(0);
  expect(await askAdminSocket(path, '0')).toBe('2');
});

test('survives 1,000 requests of garbage', async () => {
  const { path } = await sockets.serve({ limits: { requestMs: 1000 } });
  const word = fc.constantFrom('prefix', 'format', 'perf dump', 'logger', '0', 'help');
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 1200 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: anyCharacter, maxLength: 300 }).map((text) => Buffer.from(text)),
    fc.dictionary(word, fc.jsonValue()).map((request) => Buffer.from(JSON.stringify(request))),
    fc
      .dictionary(word, fc.oneof(word, fc.jsonValue()))
      .map((request) => Buffer.from(JSON.stringify(request).slice(0, -1))),
  );
  const requests = fc.array(fc.tuple(garbage, fc.boolean()), { minLength: 50, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(requests, async (all) => {
      const send = async ([bytes, complete]: (typeof all)[number]): Promise<void> => {
        const request = complete ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes;
        const { reply } = await converse(path, (socket) => socket.end(request));
        if (reply.length > 0) bodyIn(reply);
      };
      await Promise.all(all.map(send));
    }),
    { numRuns: 20 },
  );

  expect(await askAdminSocket(path, '0')).toBe('2');
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
