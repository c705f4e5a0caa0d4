import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { askAdminSocket } from '../../src/index.ts';
import { closeFakeDaemons, fakeDaemon, framed } from './support/fake-daemon.ts';
import { leaveSocket } from './support/processes.ts';
import { useSockets } from './support/sockets.ts';

const sockets = useSockets();
afterEach(closeFakeDaemons);

describe('reads the reply of a daemon that', () => {
  test('sends the header and the body byte by byte', async () => {
    const path = sockets.pathOf('x');
    await fakeDaemon(path, async (socket) => {
      for (const byte of framed('hé')) {
        socket.write(Buffer.of(byte));
        await nextTurn();
      }
    });

    expect(await askAdminSocket(path, 'x')).toBe('hé');
  });

  test('keeps the connection open', async () => {
    const path = sockets.pathOf('x');
    await fakeDaemon(path, (socket) => socket.write(framed('2')));

    expect(await askAdminSocket(path, '0')).toBe('2');
  });

  test('sends more bytes than the header states', async () => {
    const path = sockets.pathOf('x');
    await fakeDaemon(path, (socket) => socket.end(framed('2 and more', 1)));

    expect(await askAdminSocket(path, '0')).toBe('2');
  });

  test('sends an empty body', async () => {
    const path = sockets.pathOf('x');
    await fakeDaemon(path, (socket) => socket.end(framed('')));

    expect(await askAdminSocket(path, 'x')).toBe('');
  });

  test('sends 4 MiB', async () => {
    const path = sockets.pathOf('x');
    const body = '0123456789abcdef'.repeat(2 ** 18);
    await fakeDaemon(path, (socket) => socket.end(framed(body)));

    expect(await askAdminSocket(path, 'x')).toBe(body);
  });

  test('hangs up before it has read the whole request', async () => {
    const path = sockets.pathOf('x');
    await fakeDaemon(path, (socket) => {
      socket.pause();
      socket.write(framed('2'), () => socket.destroy());
    });

    expect(await askAdminSocket(path, '0', { pad: 'x'.repeat(500_000) })).toBe('2');
  });
});

describe('refuses a reply', () => {
  test.each([
    ['that is cut off', framed('half', 8), 'ERR_DECODE', 'must have 12 bytes, as it says, got 8'],
    ['whose header is cut off', Buffer.from('\0\0'), 'ERR_DECODE', 'must have 4 bytes, its length, got 2'],
    ['of no bytes', Buffer.alloc(0), 'ERR_ADMIN_SOCKET', 'has hung up without a reply'],
    [
      'that is longer than maxBytes',
      framed('x'.repeat(101)),
      'ERR_TOO_LARGE',
      'at most 100 bytes long, got 101',
    ],
    ['that claims to be huge', framed('', 2 ** 32 - 1), 'ERR_TOO_LARGE', 'got 4294967295'],
  ])('%s', async (_, reply, code, words) => {
    const path = sockets.pathOf('x');
    await fakeDaemon(path, (socket) => socket.end(reply));

    await expect(askAdminSocket(path, 'x', {}, { maxBytes: 100 })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
  });

  test('and says that the request was too long for a daemon', async () => {
    const path = sockets.pathOf('x');
    await fakeDaemon(path, (socket) => socket.destroy());

    await expect(askAdminSocket(path, '0', { pad: 'x'.repeat(1200) })).rejects.toMatchObject({
      code: 'ERR_ADMIN_SOCKET',
      message: `${path} has hung up without a reply: requests must be at most 1024 bytes long, this one has 1224`,
    });
  });

  test('that is a refusal, with the words and the number of the daemon', async () => {
    const { path } = await sockets.serve();

    await expect(askAdminSocket(path, 'nonesuch')).rejects.toMatchObject({
      code: 'ERR_ADMIN_SOCKET',
      message: `${path} refuses 'nonesuch': Invalid argument: unknown command prefix nonesuch`,
      details: { socket: path, command: 'nonesuch', errno: 22 },
    });
  });
});

test.each([
  ['connects', () => {}],
  ['sends a part of its reply', (socket: Socket) => socket.write(framed('half', 8))],
])('waits no longer than timeoutMs for a daemon that only %s', async (_, behave) => {
  const path = sockets.pathOf('x');
  await fakeDaemon(path, behave);

  await expect(askAdminSocket(path, 'x', {}, { timeoutMs: 30 })).rejects.toMatchObject({
    code: 'ERR_ADMIN_SOCKET',
    message: `${path} has not answered within 30 ms`,
    details: { socket: path, command: 'x' },
  });
});

describe('explains', () => {
  test('that a socket does not exist', async () => {
    const path = sockets.pathOf('none');
    await expect(askAdminSocket(path, '0')).rejects.toMatchObject({
      code: 'ERR_ADMIN_SOCKET',
      message: expect.stringContaining('ENOENT, the socket does not exist: the daemon is not running'),
      details: { socket: path, command: '0', errno: 2 },
      cause: { code: 'ENOENT' },
    });
  });

  test('that a dead process left the socket behind', async () => {
    const path = sockets.pathOf('x');
    leaveSocket(path);

    await expect(askAdminSocket(path, '0')).rejects.toMatchObject({
      code: 'ERR_ADMIN_SOCKET',
      message: expect.stringContaining('ECONNREFUSED, nobody listens there'),
    });
  });

  test('that a file does not answer', async () => {
    const path = sockets.pathOf('x');
    writeFileSync(path, '');

    await expect(askAdminSocket(path, '0')).rejects.toMatchObject({ code: 'ERR_ADMIN_SOCKET' });
  });
});

test('refuses a path that Node.js would cut, and limits that are not above 0', async () => {
  const path = `/tmp/${'x'.repeat(103)}`;
  await expect(askAdminSocket(path, '0')).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringContaining('path must be at most 107 bytes long'),
  });
  await expect(askAdminSocket('/x', '0', {}, { timeoutMs: 0 })).rejects.toThrow('timeoutMs must be');
  await expect(askAdminSocket('/x', '0', {}, { maxBytes: Number.NaN })).rejects.toThrow('maxBytes must be');
});

test('sends the prefix and the arguments as JSON', async () => {
  const path = sockets.pathOf('x');
  await fakeDaemon(path, (socket, request) => socket.end(framed(request.toString())));

  expect(await askAdminSocket(path, 'perf dump', { logger: 'osd', big: 2n ** 60n })).toBe(
    '{"logger":"osd","big":1152921504606846976,"prefix":"perf dump"}\0',
  );
});
