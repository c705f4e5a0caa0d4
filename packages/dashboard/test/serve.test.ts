import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createRegistry } from '@hdrscope/registry';
import { LOCALHOST } from '@hdrscope/testing/tls';
import { ask, EventReader, endAll, serve } from './support.ts';

const TOKEN = 'a-token.of_sixteen~';
const OWNER = { authorization: `Bearer ${TOKEN}` };
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await endAll();
});

/** Connects without a request, or with the beginning of one. */
async function idle(port: number, text: string): Promise<void> {
  const socket = connect(port, 'localhost').on('error', () => {});
  sockets.push(socket);
  await new Promise((resolve) => socket.write(text, resolve));
}

test('500 idle connections neither keep the owner out nor end an open page', async () => {
  const { port } = await serve(createRegistry(), { token: TOKEN, intervalMs: 100 });
  const events = await EventReader.open({ port, headers: OWNER });
  await events.table();
  for (let n = 0; n < 500; n++) await idle(port, n % 2 === 0 ? 'GET' : '');

  const startMs = performance.now();
  const { status } = await ask({ port, path: '/icon.svg', headers: OWNER });
  const tookMs = performance.now() - startMs;

  expect([200, 503]).toContain(status);
  expect(tookMs).toBeLessThan(5000);
  const { timeMs } = await events.table();
  expect((await events.table()).timeMs).toBeGreaterThan(timeMs);
  expect(await ask({ port, path: '/healthz' })).toMatchObject({ status: 200, text: 'ok\n' });
}, 60_000);

test('what the server refuses shows on the page, by its reason', async () => {
  const { port, refusals } = await serve(createRegistry(), {
    token: TOKEN,
    intervalMs: 100,
  });
  const events = await EventReader.open({ port, headers: OWNER });
  expect((await events.table()).refusals).toEqual([]);
  await ask({ port });
  await ask({ port });
  await ask({ port, headers: { ...OWNER, origin: 'http://evil.example' } });
  const expected = [
    ['token', 2],
    ['origin', 1],
  ];
  // On a busy machine, older tables wait to be read.
  let { refusals: shown } = await events.table();
  while (!isDeepStrictEqual(shown, expected)) ({ refusals: shown } = await events.table());
  expect(refusals).toMatchObject({ token: 2, origin: 1 });
});

test('a page on which nothing changes stays open for longer than a connection may be idle', async () => {
  const { port } = await serve(createRegistry(), { intervalMs: 3_600_000, limits: { idleMs: 600 } });
  const events = await EventReader.open({ port });
  await events.table();
  const startMs = performance.now();
  while (performance.now() - startMs < 1300) expect(await events.block()).toBe(':');
});

test('pages that are open take no place of requests', async () => {
  const { port } = await serve(createRegistry(), { limits: { requests: 1 } });
  for (let n = 0; n < 3; n++) await EventReader.open({ port });
  expect([200, 503]).toContain((await ask({ port, path: '/icon.svg' })).status);
});

test('a proxy on this machine may call the page by a name that is allowed', async () => {
  const { port } = await serve(createRegistry(), { allowedHosts: ['page.lan'] });
  const statusOf = async (host: string): Promise<number> =>
    (await ask({ port, path: '/x', headers: { host } })).status;
  expect([await statusOf('page.lan'), await statusOf('page.lan:80'), await statusOf('other.lan')]).toEqual([
    404, 404, 403,
  ]);
});

test('the page is served over TLS, with a cookie for TLS only', async () => {
  const { port, url } = await serve(createRegistry(), {
    token: TOKEN,
    tls: { certFile: LOCALHOST.certFile, keyFile: LOCALHOST.keyFile },
  });
  expect(url).toBe(`https://localhost:${port}/`);
  const cookie = await new Promise((resolve, reject) => {
    const options = { port, path: `/?token=${TOKEN}`, ca: LOCALHOST.cert, agent: false };
    const asking = request({ host: 'localhost', ...options }, (response) => {
      resolve(response.headers['set-cookie']?.[0]);
      response.resume();
    });
    asking.on('error', reject).end();
  });
  expect(cookie).toMatch(/; Secure$/);
});

test.each([
  [{ limits: { requests: 0 } }, 'limits.requests must be an integer from 1'],
  [{ tls: { certFile: 7 } as never }, 'tls.certFile must be a text, got 7'],
  [{ allowedHosts: [''] }, 'allowedHosts[0] must be a text, not empty'],
])('refuses %j', async (options, message) => {
  await expect(serve(createRegistry(), options)).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringContaining(message),
  });
});

test('a page that is closed has left everything for the next one', async () => {
  const historyFolder = await mkdtemp(join(tmpdir(), 'serve-past-'));
  const registry = createRegistry();
  const jobs = registry.histogram({ name: 'jobs', unit: 's' }).with({ queue: 'mail' });
  const first = await serve(registry, { historyFolder, intervalMs: 100 });
  const events = await EventReader.open({ port: first.port });
  await events.table();
  jobs.record(1);
  jobs.record(2);
  await first.close();

  const second = await serve(createRegistry(), { historyFolder, intervalMs: 100 });
  const { history, past } = await (await EventReader.open({ port: second.port })).table();
  expect(past).toMatchObject({
    ...{ isKept: true, problem: null },
    earlier: { isWhole: true, endMs: history.range.toMs, damagedBytes: 0 },
  });
  const { fromMs, toMs } = history.range;
  const asked = await EventReader.open({ port: second.port, path: `/events?time=${fromMs}-${toMs}` });
  expect(await asked.rows()).toMatchObject({
    rows: [{ attributes: ['queue=mail'], count: 2 }],
    families: [{ name: 'jobs' }],
  });
  await second.close();
  await rm(historyFolder, { recursive: true });
});
