import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { askAdminSocket } from '../../src/index.ts';
import { exchange } from './support/raw-client.ts';
import { useSockets } from './support/sockets.ts';

const sockets = useSockets();
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});

function connect(path: string, bytes: string | Buffer = ''): Promise<void> {
  return new Promise((resolve) => {
    const client = createConnection(path, () => client.write(bytes, () => resolve()));
    client.on('error', () => resolve());
    client.on('close', () => resolve());
    clients.push(client);
  });
}

test.each([
  ['say nothing', ''],
  ['stop in the middle of a request', '{"prefix":'],
])('500 clients that %s lock nobody out', async (_, bytes) => {
  const { path } = await sockets.serve({ limits: { requestMs: 60_000 } });
  await Promise.all(Array.from({ length: 500 }, () => connect(path, bytes)));

  const startMs = performance.now();
  expect(await askAdminSocket(path, '0')).toBe('2');
  // Half as long as the others may be silent.
  expect(performance.now() - startMs).toBeLessThan(30_000);
});

test('a client that drips its request is disconnected when its time is over', async () => {
  const { path } = await sockets.serve({ limits: { requestMs: 100 } });
  const client = createConnection(path);
  client.on('error', () => {});
  const startMs = performance.now();
  while (!client.closed) {
    client.write(' ');
    await sleep(5);
  }
  expect(performance.now() - startMs).toBeLessThan(5000);
});

test('requests beyond the limit wait for their turn, also behind clients that have left', async () => {
  let running = 0;
  let most = 0;
  const run = async () => {
    most = Math.max(most, ++running);
    await sleep(5);
    running--;
    return 'done';
  };
  const { path } = await sockets.serve({ limits: { requests: 3 }, commands: [{ prefix: 'slow', run }] });
  const request = '{"prefix":"slow"}\0';
  await Promise.all(Array.from({ length: 40 }, () => connect(path, request)));
  for (const client of clients.splice(0)) client.destroy();
  const replies = await Promise.all(Array.from({ length: 20 }, () => exchange(path, request)));

  expect(replies.map(({ reply }) => reply.toString('utf8', 4))).toEqual(replies.map(() => 'done'));
  expect(most).toBeLessThanOrEqual(3);
});

test('replies that nobody reads take the memory of few', async () => {
  const body = Buffer.alloc(8 * 2 ** 20);
  const { path } = await sockets.serve({
    limits: { requests: 4, requestMs: 60_000 },
    commands: [{ prefix: 'big', run: () => body }],
  });
  const before = process.memoryUsage().rss;
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      await connect(path, '{"prefix":"big"}\0');
      clients.at(-1)!.pause();
    }),
  );
  for (const client of clients) client.pause();
  await sleep(300);
  // 100 of them would be 800 MiB.
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
});

test('a megabyte of pipelined requests costs one answer', async () => {
  let answers = 0;
  const { path } = await sockets.serve({ commands: [{ prefix: 'count', run: () => String(++answers) }] });
  const { reply } = await exchange(path, '{"prefix":"count"}\0'.repeat(50_000));
  expect(reply.length === 0 || reply.toString('utf8', 4) === '1').toBe(true);
  expect(await askAdminSocket(path, '0')).toBe('2');
  expect(answers).toBe(1);
});
