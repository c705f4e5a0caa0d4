import { createServer } from 'node:http';
import { isLoopback } from '@hdrscope/kit/server';
import { createRegistry } from '@hdrscope/registry';
import { serveDashboard } from '../src/index.ts';
import { ask, endAll, serve } from './support.ts';

afterEach(endAll);

const TOKEN = 'a-token.of_sixteen~';
const PATH = '/icon.svg';

/** A page that is not built answers 503, whoever asks. */
async function isLetIn(port: number, headers: Record<string, string>, path: string = PATH): Promise<boolean> {
  const { status } = await ask({ port, path, headers });
  return status === 200 || status === 503;
}

/** What a browser says of a request: https://www.w3.org/TR/fetch-metadata/. */
function fetched(site: string, mode: string, dest: string): Record<string, string> {
  return { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
}

test.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['localhost.example.org', false],
  ['127.0.0.1.example.org', false],
  ['127.1', false],
  ['', false],
])('knows whether %j is loopback: %j', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

describe('without a token', () => {
  test.each([
    ['localhost', true],
    ['localhost:80', true],
    ['127.0.0.1:9465', true],
    ['[::1]:9465', true],
    ['[::1]', true],
    ['evil.example', false],
    ['evil.example:9465', false],
    ['localhost.evil.example:9465', false],
    ['192.168.1.2', false],
  ])('a request whose Host is %j is let in: %j', async (host, expected) => {
    const { port } = await serve(createRegistry());

    expect(await isLetIn(port, { host })).toBe(expected);
  });

  test.each([
    ['a script of another site', { origin: 'http://evil.example' }, false],
    ['a page in a sandbox', { origin: 'null' }, false],
    ['a link of another site', fetched('cross-site', 'navigate', 'document'), true],
    ['a link of this site', fetched('same-origin', 'navigate', 'document'), true],
    ['the address line of a browser', fetched('none', 'navigate', 'document'), true],
    ['the page itself', fetched('same-origin', 'cors', 'empty'), true],
    ['a picture on a page of another site', fetched('cross-site', 'no-cors', 'image'), false],
    ['a script on a page of another site', fetched('cross-site', 'no-cors', 'script'), false],
    ['a script of a page on another port', fetched('same-site', 'no-cors', 'empty'), false],
    ['a frame on a page of another site', fetched('cross-site', 'navigate', 'iframe'), false],
    ['an old browser, which names the site alone', { 'sec-fetch-site': 'cross-site' }, false],
    ['a program', {}, true],
  ] as const)('a request of %s is let in: %j %j', async (_who, headers, expected) => {
    const { port } = await serve(createRegistry());
    expect(await isLetIn(port, headers)).toBe(expected);
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', 'example.org'])('refuses to listen on %s', async (host) => {
    await expect(serveDashboard(createRegistry(), { host, port: 0 })).rejects.toMatchObject({
      code: 'ERR_INVALID_OPTION',
      message: expect.stringContaining('without a token'),
    });
  });
});

describe('with a token', () => {
  test('refuses clients that do not know it', async () => {
    const { port } = await serve(createRegistry(), { token: TOKEN });

    const { status, headers, text } = await ask({ port });

    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(text).not.toContain(TOKEN);
    for (const path of ['/events', '/page.js', `${PATH}?token=wrong`, `${PATH}?token=`, '/open']) {
      expect((await ask({ port, path })).status).toBe(401);
    }
    for (const authorization of [`Bearer ${TOKEN}x`, 'Bearer', TOKEN, `Basic ${TOKEN}`]) {
      expect(await isLetIn(port, { authorization })).toBe(false);
    }
  });

  test('lets in clients that send it, under any name of the host', async () => {
    const { port } = await serve(createRegistry(), { token: TOKEN });

    expect(await isLetIn(port, { authorization: `Bearer ${TOKEN}`, host: 'example.org' })).toBe(true);
  });

  test('turns the token of an address into a cookie that no script reads, and removes it from the address', async () => {
    const { port } = await serve(createRegistry(), { token: TOKEN });

    const { status, headers } = await ask({ port, path: `/?token=${TOKEN}&x=1` });

    expect([status, headers.location]).toEqual([303, './?x=1']);
    const [cookie] = headers['set-cookie']!;
    expect(cookie).toMatch(/^hdrscope-\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(TOKEN);
    const [pair] = cookie!.split(';');
    expect(await isLetIn(port, { cookie: `other=1; ${pair}` })).toBe(true);
    expect(await isLetIn(port, { cookie: `${pair}x` })).toBe(false);
    expect(await isLetIn(port, { cookie: `x${pair}` })).toBe(false);
  });

  test('a cookie is useless for another server with the same token', async () => {
    const [one, other] = [
      await serve(createRegistry(), { token: TOKEN }),
      await serve(createRegistry(), { token: TOKEN }),
    ];
    const { headers } = await ask({ port: one.port, path: `/?token=${TOKEN}` });
    const value = headers['set-cookie']![0]!.split(';')[0]!.split('=')[1];

    expect(await isLetIn(other.port, { cookie: `hdrscope-${other.port}=${value}` })).toBe(false);
  });

  test('may listen for other machines', async () => {
    const { url, port } = await serve(createRegistry(), { token: TOKEN, host: '0.0.0.0' });

    expect(url).toBe(`http://0.0.0.0:${port}/`);
    expect(await isLetIn(port, { authorization: `Bearer ${TOKEN}` })).toBe(true);
  });

  test.each(['short', 'with spaces in the token', 'äöüäöüäöüäöüäöüäöü', 1, ''])(
    'refuses %j as a token',
    async (token) => {
      const refused = serveDashboard(createRegistry(), { token: token as string, port: 0 });

      await expect(refused).rejects.toMatchObject({
        code: 'ERR_INVALID_OPTION',
        message: 'token must be at least 16 letters, digits and -._~',
      });
    },
  );
});

test.each([
  [{ port: 65_536 }, 'port must be an integer from 0 to 65535, got 65536'],
  [{ port: 1.5 }, 'port must be an integer from 0 to 65535, got 1.5'],
  [{ host: '' }, 'host must be a name or an address, got ""'],
  [{ intervalMs: 99 }, 'intervalMs must be a finite number from 100 to 3600000, got 99'],
  [{ intervalMs: Number.NaN }, 'intervalMs must be a finite number from 100 to 3600000, got NaN'],
  [{ historyMs: 9999 }, 'historyMs must be a finite number from 10000 to 2592000000, got 9999'],
  [{ historyBytes: 64 }, 'historyBytes must be a finite number from 1048576 to 2^32, got 64'],
  [{ title: 1 as never }, 'title must be a text, got 1'],
])('refuses %j', async (options, message) => {
  await expect(serveDashboard(createRegistry(), options)).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message,
  });
});

test('rejects when the port is taken, and leaves nothing behind', async () => {
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(0, 'localhost', resolve));
  const { port } = squatter.address() as { port: number };

  await expect(serveDashboard(createRegistry(), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  squatter.close();
});
