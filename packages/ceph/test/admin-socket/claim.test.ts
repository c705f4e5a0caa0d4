import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { adminSocketPath, askAdminSocket, serveAdminSocket } from '../../src/index.ts';
import { leaveSocket } from './support/processes.ts';
import { useSockets } from './support/sockets.ts';

const sockets = useSockets();

function modeOf(path: string): string {
  return (lstatSync(path).mode & 0o777).toString(8);
}

test('only its user can connect, under any umask', async () => {
  const before = process.umask(0);
  try {
    const { path } = await sockets.serve();

    expect(modeOf(path)).toBe('600');
    expect(process.umask()).toBe(0);
  } finally {
    process.umask(before);
  }
});

test('leaves no other file next to the socket, and no file at all once it is closed', async () => {
  const server = await sockets.serve();
  expect(readdirSync(dirname(server.path))).toEqual(['x.asok']);

  await server.close();
  await server.close();
  expect(readdirSync(dirname(server.path))).toEqual([]);
});

test('many servers in one process share one listener', async () => {
  const before = process.listenerCount('exit');
  const servers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => sockets.serve({ path: sockets.pathOf(`${i}.asok`) })),
  );
  expect(process.listenerCount('exit')).toBe(before + 1);

  await Promise.all(servers.map((server) => server.close()));
  expect(process.listenerCount('exit')).toBe(before);
});

test('replaces the socket of a dead process', async () => {
  const path = sockets.pathOf('x.asok');
  leaveSocket(path);
  expect(existsSync(path)).toBe(true);
  await sockets.serve();

  expect(await askAdminSocket(path, '0')).toBe('2');
  expect(readdirSync(dirname(path))).toEqual(['x.asok']);
});

test('of two servers one gets the path, and the other is refused', async () => {
  const path = sockets.pathOf('x.asok');
  const outcomes = await Promise.allSettled([sockets.serve(), sockets.serve()]);
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');

  expect(refused.map(({ reason }) => reason)).toEqual([
    expect.objectContaining({
      code: 'ERR_ALREADY_REGISTERED',
      message: `${path} is served by another server`,
    }),
  ]);
  expect(await askAdminSocket(path, '0')).toBe('2');
  expect(readdirSync(dirname(path))).toEqual(['x.asok']);
});

test('does not replace a server that accepts connections and never answers', async () => {
  const path = sockets.pathOf('x.asok');
  const silent = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => silent.listen(path, resolve));
  try {
    await expect(sockets.serve()).rejects.toMatchObject({ code: 'ERR_ALREADY_REGISTERED' });
  } finally {
    await new Promise((resolve) => silent.close(resolve));
  }
});

test.each([
  ['a file', (path: string) => writeFileSync(path, 'precious')],
  ['a folder', (path: string) => mkdirSync(path)],
  ['a link', (path: string) => symlinkSync('elsewhere', path)],
])('does not replace %s', async (_, create) => {
  const path = sockets.pathOf('x.asok');
  create(path);
  const before = lstatSync(path);

  await expect(sockets.serve()).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringContaining('path must be unused, or a socket that was left behind'),
  });
  expect(lstatSync(path)).toMatchObject({ ino: before.ino, mode: before.mode });
  expect(readdirSync(dirname(path))).toEqual(['x.asok']);
});

test('does not remove a file that took the path of the socket', async () => {
  const server = await sockets.serve();
  renameSync(server.path, `${server.path}.old`);
  writeFileSync(server.path, "another's");
  await server.close();

  expect(readFileSync(server.path, 'utf8')).toBe("another's");
});

test('closes after its socket was removed', async () => {
  const server = await sockets.serve();
  renameSync(server.path, `${server.path}.old`);
  await server.close();

  expect(readdirSync(dirname(server.path))).toEqual(['x.asok.old']);
});

test('says why it cannot listen', async () => {
  const path = sockets.pathOf('none/x.asok');
  await expect(sockets.serve({ path })).rejects.toMatchObject({
    code: 'ERR_ADMIN_SOCKET',
    message: expect.stringMatching(/x\.asok cannot be served: ENOENT/),
    details: { socket: path, errno: 2 },
  });
});

test('refuses paths that Node.js would cut', async () => {
  const folder = sockets.pathOf('.').slice(0, -1);
  const pathOf = (bytes: number): string => folder.padEnd(bytes, 'é').slice(0, bytes);
  const longest = `${folder}${'x'.repeat(107 - Buffer.byteLength(folder))}`;
  const server = await sockets.serve({ path: longest });
  expect(await askAdminSocket(longest, '0')).toBe('2');
  await server.close();

  for (const path of [`${longest}x`, pathOf(107), '', 'a\0b']) {
    await expect(serveAdminSocket({ path })).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
  }
});

test('refuses a path that is too long for a folder next to it', async () => {
  await expect(serveAdminSocket({ path: `/${'x'.repeat(100)}/x` })).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringContaining('path, with .XXXXXX/s as its last part, must be at most 107 bytes'),
  });
});

test.each([
  ['requestBytes', { requestBytes: 3 }],
  ['requestMs', { requestMs: 0 }],
  ['answerMs', { answerMs: 2 ** 31 }],
  ['connections', { connections: 1.5 }],
  ['requests', { requests: 0 }],
])('refuses a wrong %s', async (name, limits) => {
  await expect(sockets.serve({ limits })).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringMatching(`^limits.${name} must be an integer from`),
  });
});

test('adminSocketPath names a socket for each process', () => {
  expect(adminSocketPath('/run/shop', 'checkout')).toBe(`/run/shop/checkout.${process.pid}.asok`);
  expect(() => adminSocketPath('/run', '../checkout')).toThrow('name must be a non-empty name without /');
  expect(() => adminSocketPath('/run', 'x'.repeat(100))).toThrow('at most 107 bytes long');
});
