import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { BuiltPackages } from '@hdrscope/testing';
import { askAdminSocket } from '../../src/index.ts';
import { useSockets } from './support/sockets.ts';

const built = new BuiltPackages(['ceph']);
const sockets = useSockets();
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  built.remove();
});

const serving = `
  import { serveAdminSocket } from '@hdrscope/ceph';
  const serve = (path, options) => serveAdminSocket({ path, ...options });
`;

async function run(name: string, code: string, path: string): Promise<{ status: number; output: string }> {
  const child = start(name, code, path);
  let output = '';
  child.stdout!.on('data', (chunk) => {
    output += chunk;
  });
  const [status] = await once(child, 'close');
  return { status, output };
}

function start(name: string, code: string, path: string): ChildProcess {
  const child = spawn(process.execPath, [built.script(name, serving + code), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 90_000,
    killSignal: 'SIGKILL',
  });
  started.push(child);
  return child;
}

test.each([
  ['ends by itself', ''],
  ['calls exit', 'process.exit(0);'],
])('a process that %s leaves no socket', async (_, ending) => {
  const path = sockets.pathOf('x.asok');
  const code = `
    await serve(process.argv[2]);
    console.log((await import('node:fs')).existsSync(process.argv[2]));
    ${ending}`;

  expect(await run('ending', code, path)).toEqual({ status: 0, output: 'true\n' });
  expect(readdirSync(dirname(path))).toEqual([]);
});

test.each([
  [{}, 0, 0],
  [{ unref: true }, 0, 0],
  [{ unref: false }, 1, 2],
])(
  'a socket with %j keeps the event loop alive by %i handles, and by %i with a client',
  async (options, alone, withClient) => {
    const handles = (): number =>
      process.getActiveResourcesInfo().filter((type) => type === 'PipeWrap').length;
    const before = handles();
    const { path } = await sockets.serve(options);
    expect(handles() - before).toBe(alone);
    const client = createConnection(path).unref();
    // An answer to a later client shows that this one was accepted. It is disconnected after five seconds.
    expect(await askAdminSocket(path, '0')).toBe('2');
    for (let i = 0; i < 200 && handles() - before !== withClient; i++) await setTimeout(10);
    expect(handles() - before).toBe(withClient);
    client.destroy();
  },
);

test('with `unref: false` a socket keeps its process alive', async () => {
  const path = sockets.pathOf('x.asok');
  const code = `
    const server = await serve(process.argv[2], {
      unref: false,
      commands: [{ prefix: 'stop', run: () => void server.close() }],
    });
    console.log('ready');`;
  const child = start('alive', code, path);
  await once(child.stdout!, 'data');

  expect(child.exitCode).toBeNull();
  expect(await askAdminSocket(path, 'stop')).toBe('');
  expect(await once(child, 'close')).toEqual([0, null]);
});

test('a killed process leaves a socket, which the next process replaces', async () => {
  const path = sockets.pathOf('x.asok');
  const child = start(
    'killed',
    `await serve(process.argv[2], { unref: false }); console.log('ready');`,
    path,
  );
  await once(child.stdout!, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');

  expect(existsSync(path)).toBe(true);
  await expect(askAdminSocket(path, '0')).rejects.toMatchObject({ code: 'ERR_ADMIN_SOCKET' });
  await sockets.serve({ path });
  expect(await askAdminSocket(path, '0')).toBe('2');
});

const thread = `${serving}
  import { parentPort, workerData } from 'node:worker_threads';
  await serve(workerData);
  parentPort.once('message', () => parentPort.close());
  parentPort.postMessage('ready');
`;

test('a thread serves its own socket, and removes it when it ends', async () => {
  const path = sockets.pathOf('x.asok');
  const worker = new Worker(built.script('thread', thread), { workerData: path, execArgv: [] });
  await once(worker, 'message');

  expect((lstatSync(path).mode & 0o777).toString(8)).toBe('600');
  expect(await askAdminSocket(path, '0')).toBe('2');
  const exit = once(worker, 'exit');
  worker.postMessage('end');
  expect(await exit).toEqual([0]);
  expect(readdirSync(dirname(path))).toEqual([]);
});

test('a terminated thread leaves a socket that can be replaced', async () => {
  const path = sockets.pathOf('x.asok');
  const worker = new Worker(built.script('thread', thread), { workerData: path, execArgv: [] });
  await once(worker, 'message');
  await worker.terminate();
  await sockets.serve({ path });

  expect(await askAdminSocket(path, '0')).toBe('2');
});

test('each process of a cluster serves its own socket', async () => {
  const path = sockets.pathOf('shop');
  const code = `
    import cluster from 'node:cluster';
    import { dirname } from 'node:path';
    import { adminSocketPath, askAdminSocket } from '@hdrscope/ceph';
    const folder = dirname(process.argv[2]);
    if (cluster.isPrimary) {
      const workers = [cluster.fork(), cluster.fork()];
      await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
      const ask = ({ process: { pid } }) => askAdminSocket(adminSocketPath(folder, 'shop', pid), 'pid');
      const replies = await Promise.all(workers.map(ask));
      console.log(replies.every((reply, i) => reply === String(workers[i].process.pid)));
      for (const worker of workers) worker.send('end');
    } else {
      await serve(adminSocketPath(folder, 'shop'), { commands: [{ prefix: 'pid', run: () => String(process.pid) }] });
      process.once('message', () => process.exit());
      process.send('ready');
    }`;

  expect(await run('cluster', code, path)).toEqual({ status: 0, output: 'true\n' });
  expect(readdirSync(dirname(path))).toEqual([]);
});
