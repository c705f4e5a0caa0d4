import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest, type Server, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { expectRefused } from '@hdrscope/testing/refusals';
import { LOCALHOST, OTHER_HOST, type TestCertificate } from '@hdrscope/testing/tls';
import { closeServer } from '../../src/index.ts';
import {
  createGuardedServer,
  type GuardedHandler,
  type GuardedServerOptions,
  holdBytes,
  holdParts,
  listenAt,
  noRefusals,
  type ServerRefusals,
  writeParts,
} from '../../src/server/index.ts';

const HOST = '127.0.0.1';
const TOKEN = 'a-token-of-20-letters';
let servers: Server[] = [];
let sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.map((server) => closeServer(server, { graceMs: 1 })));
  servers = [];
  sockets = [];
});

async function serve(handler: GuardedHandler, options: Partial<GuardedServerOptions> = {}): Promise<number> {
  const server = createGuardedServer(handler, { host: HOST, ...options });
  servers.push(server);
  return listenAt(server, { host: HOST, port: 0 });
}

const hello: GuardedHandler = (_request, response) => response.end('hello');

/** A connection that sends a text, and what comes back on it. */
async function connection(port: number, text = ''): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, HOST);
  sockets.push(socket);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return { socket, received: () => received };
}

async function statusOf(port: number, headers: Record<string, string> = {}, path = '/'): Promise<number> {
  // `fetch` sets the header Host itself.
  const request = httpRequest({ port, host: HOST, path, headers, agent: false }).end();
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
  response.resume();
  return response.statusCode;
}

describe('who may use a server', () => {
  test.each([
    ['its address', {}, 200],
    ['a loopback name', { host: 'localhost:1' }, 200],
    ['the address in brackets', { host: '[::1]:9464' }, 200],
    ['a name of somebody else', { host: 'evil.example' }, 403],
    ['a name that begins like a loopback one', { host: 'localhost.evil.example:80' }, 403],
    ['an allowed name', { host: 'proxy.example:8080' }, 200],
    ['a page of another site', { origin: 'http://evil.example' }, 403],
    ['a page in a sandbox', { origin: 'null' }, 403],
    ['a link of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['the address line of a browser', { 'sec-fetch-site': 'none' }, 200],
  ] as const)('on loopback: a request by %s', async (_who, headers, status) => {
    const port = await serve(hello, { allowedHosts: ['proxy.example'] });
    expect(await statusOf(port, headers)).toBe(status);
  });

  test.each([
    ['no token', {}, 401],
    ['a wrong token', { authorization: 'Bearer nope' }, 401],
    ['the token', { authorization: `Bearer ${TOKEN}` }, 200],
    ['the token and any name', { authorization: `Bearer ${TOKEN}`, host: 'metrics.example' }, 200],
    [
      'the token on a page of another site',
      { authorization: `Bearer ${TOKEN}`, origin: 'http://a.example' },
      403,
    ],
  ] as const)('with a token: a request with %s', async (_what, headers, status) => {
    const port = await serve(hello, { token: TOKEN });
    expect(await statusOf(port, headers)).toBe(status);
  });

  test('on all interfaces everybody who knows a name of the machine may ask', async () => {
    const port = await serve(hello, { host: '0.0.0.0' });
    expect(await statusOf(port, { host: 'node-7.example' })).toBe(200);
  });

  test('a token that could be guessed is refused without showing it', () => {
    expectRefused(() => createGuardedServer(hello, { host: HOST, token: 'hunter2' }), 'ERR_INVALID_OPTION');
    try {
      createGuardedServer(hello, { host: HOST, token: 'hunter2' });
    } catch (error) {
      expect(String(error)).not.toContain('hunter2');
    }
  });

  test.each([{ limits: { connection: 3 } }, { limits: { requests: 0 } }, { allowedHosts: [''] }])(
    'wrong options are refused: %j',
    (options) => {
      expectRefused(
        () => createGuardedServer(hello, { host: HOST, ...options } as GuardedServerOptions),
        'ERR_INVALID_OPTION',
      );
    },
  );
});

test('connections without a request do not hold up the end of a server', async () => {
  const port = await serve(hello);
  const unused = await connection(port);
  // This answer comes after the other connection.
  await statusOf(port);
  const closed = once(unused.socket, 'close');
  await closeServer(servers[0]!, { graceMs: 60_000 });
  await closed;
});

describe('many clients', () => {
  test('that are idle or send half a request make room for one that asks', async () => {
    const port = await serve(hello, { limits: { connections: 20 } });
    for (let i = 0; i < 60; i++) await connection(port, i % 2 === 0 ? '' : 'GET / HTTP/1.1\r\nHost: loc');
    const startMs = performance.now();
    expect(await statusOf(port)).toBe(200);
    expect(performance.now() - startMs).toBeLessThan(1000);
  });

  test('that come again keep their connections, rather than those that send nothing', async () => {
    const port = await serve(hello, { limits: { connections: 10 } });
    const known = await connection(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    while (!known.received().includes('hello')) await sleep(5);
    for (let i = 0; i < 30; i++) await connection(port);
    known.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    while (known.received().split('hello').length < 3) await sleep(5);
  });

  test('whose requests are being answered keep their connections', async () => {
    const waiting: ServerResponse[] = [];
    const port = await serve((_request, response) => void waiting.push(response), {
      limits: { connections: 2 },
    });
    const two = await Promise.all(
      [1, 2].map(() => connection(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')),
    );
    while (waiting.length < 2) await sleep(5);
    const third = await connection(port);
    await once(third.socket, 'close');
    for (const response of waiting) response.end('late');
    while (two.some(({ received }) => !received().includes('late'))) await sleep(5);
  });

  test('wait where too many requests are being answered, and /healthz answers', async () => {
    const waiting: ServerResponse[] = [];
    const port = await serve((_request, response) => void waiting.push(response), {
      limits: { requests: 2 },
    });
    const answers = [1, 2, 3, 4].map(() => statusOf(port));
    while (waiting.length < 2) await sleep(5);
    expect(await statusOf(port, {}, '/healthz')).toBe(200);
    expect(waiting.length).toBe(2);
    for (let done = 0; done < 4; done++) {
      while (waiting.length <= done) await sleep(5);
      waiting[done]!.end();
    }
    expect(await Promise.all(answers)).toEqual([200, 200, 200, 200]);
  });

  test('that have got the beginning of their answers take no place', async () => {
    const port = await serve((_request, response) => void response.write('a part'), {
      limits: { requests: 1 },
    });
    expect([await statusOf(port), await statusOf(port), await statusOf(port)]).toEqual([200, 200, 200]);
  });
});

describe('clients that do not read', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const MIB = 2 ** 20;
  /** More than the kernel takes. */
  const LARGE = 16 * MIB;

  /** Opens connections that ask and never read. */
  async function neverReading(port: number, count: number): Promise<Socket[]> {
    const opened = [];
    for (let i = 0; i < count; i++) {
      const { socket } = await connection(port);
      socket.pause().write(GET);
      opened.push(socket);
    }
    return opened;
  }

  const partsOf = (bytes: number): Buffer[] =>
    Array.from({ length: bytes / 65_536 }, () => Buffer.alloc(65_536));

  /** Sends a body of its own to each client, and counts how many are under way. */
  function bodies(bytes: number): { handler: GuardedHandler; underWay: () => number } {
    let underWay = 0;
    return {
      underWay: () => underWay,
      handler: (_request, response) => {
        underWay++;
        response.once('close', () => underWay--);
        const parts = partsOf(bytes);
        holdParts(response, parts);
        void writeParts(response, parts);
      },
    };
  }

  test.each([
    ['the connections', { connections: 4, pendingBytes: 20 * LARGE }],
    ['the bytes', { pendingBytes: LARGE }],
  ])('do not keep %s from one that does', async (_what, limits) => {
    const { handler } = bodies(LARGE);
    const port = await serve(handler, { limits });
    const read = async (): Promise<number> => {
      const startMs = performance.now();
      expect(await lengthOf(port)).toBe(LARGE);
      return performance.now() - startMs;
    };
    const aloneMs = await read();
    // By the bytes, each of them is closed for the next one, within 200 ms to a second, and later on a busy machine.
    await neverReading(port, 5);
    await sleep(300);
    expect(await read()).toBeLessThan(5000 + 5 * aloneMs);
  });

  test('hold no more bytes than the limit, and one answer more', async () => {
    const { handler, underWay } = bodies(LARGE);
    const port = await serve(handler, { limits: { pendingBytes: 3 * LARGE } });
    await neverReading(port, 10);
    for (let n = 0; n < 20; n++) {
      await sleep(50);
      expect(underWay()).toBeLessThanOrEqual(3);
    }
  });

  test('count once for a body that all of them share', async () => {
    const parts = partsOf(LARGE);
    let underWay = 0;
    const share: GuardedHandler = (_request, response) => {
      underWay++;
      holdParts(response, parts);
      void writeParts(response, parts);
    };
    const port = await serve(share, { limits: { pendingBytes: 2 * LARGE } });
    await neverReading(port, 10);
    await sleep(300);
    expect(underWay).toBe(10);
  });

  test('and share a body are closed together for one that waits, as the last of them frees it', async () => {
    const parts = partsOf(LARGE);
    const readers: ServerResponse[] = [];
    const closedMs: number[] = [];
    const share: GuardedHandler = (_request, response) => {
      if (readers.length === 30) return void response.end('hello');
      readers.push(response);
      response.once('close', () => closedMs.push(performance.now()));
      holdParts(response, parts);
      void writeParts(response, parts);
    };
    const port = await serve(share, { limits: { pendingBytes: 2 * LARGE } });
    await neverReading(port, 30);
    while (readers.length < 30) await sleep(10);
    const more = [...parts, ...partsOf(LARGE)];
    for (const response of readers) holdParts(response, more);
    expect(await lengthOf(port)).toBe('hello'.length);
    expect(performance.now() - closedMs[0]!).toBeLessThan(1500);
    expect(closedMs).toHaveLength(30);
  });

  test('keep their connections while nobody waits, also with an answer above the limit', async () => {
    const { handler, underWay } = bodies(LARGE);
    const port = await serve(handler, { limits: { pendingBytes: MIB } });
    await neverReading(port, 1);
    await sleep(1800);
    expect(underWay()).toBe(1);
  });

  test('that take a little now and then are closed for others, and those that take more are not', async () => {
    const { handler } = bodies(LARGE);
    const refusals = noRefusals();
    const port = await serve(handler, { limits: { pendingBytes: 2 * LARGE }, refusals });
    const [dripping, steady] = (await neverReading(port, 2)) as [Socket, Socket];
    const taking = setInterval(() => {
      dripping.read(64);
      steady.read(200 * 1024);
    }, 20);
    let isClosed = false;
    steady.once('close', () => {
      isClosed = true;
    });
    await sleep(500);
    expect(await lengthOf(port)).toBe(LARGE);
    clearInterval(taking);
    expect([refusals.timeout, isClosed]).toEqual([1, false]);
  });

  /** Reads an answer whole. */
  async function lengthOf(port: number): Promise<number> {
    const request = httpRequest({ port, host: HOST, agent: false }).end();
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
    let length = 0;
    for await (const chunk of response) length += chunk.length;
    return length;
  }
});

describe('requests that are sent ahead', () => {
  const ask = 'GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n';

  test('are answered one at a time, in their order', async () => {
    let [now, most, count] = [0, 0, 0];
    const port = await serve(async (_request, response) => {
      now++;
      most = Math.max(most, now);
      await sleep(5);
      now--;
      response.end(`answer ${++count}.`);
    });
    const { received } = await connection(port, ask.repeat(10));
    while (!received().includes('answer 10.')) await sleep(5);
    expect(received().match(/answer \d+/g)).toEqual(Array.from({ length: 10 }, (_, i) => `answer ${i + 1}`));
    expect(most).toBe(1);
  });

  test('in hundreds end the connection', async () => {
    let handled = 0;
    const port = await serve(() => void handled++);
    const { socket } = await connection(port, ask.repeat(200));
    await once(socket, 'close');
    expect(handled).toBe(1);
  });

  test('for /healthz are answered in their turn, and in hundreds end the connection', async () => {
    const port = await serve((_request, response) => void sleep(20).then(() => response.end('first.')));
    const health = ask.replace('/a', '/healthz');
    const { received } = await connection(port, ask + health);
    while (!received().includes('ok\n')) await sleep(5);
    expect(received()).toMatch(/first\..*ok\n/s);
    const { socket } = await connection(port, ask + health.repeat(200));
    await once(socket, 'close');
  });

  test('are forgotten when their client goes', async () => {
    let handled = 0;
    let isGone = false;
    const port = await serve(async (request, response) => {
      handled++;
      await once(request.socket, 'close');
      isGone = true;
      response.end();
    });
    const { socket } = await connection(port, ask.repeat(10));
    while (handled === 0) await sleep(2);
    socket.destroy();
    while (!isGone) await sleep(2);
    await sleep(200);
    expect(handled).toBe(1);
  });
});

describe('what is refused is counted by its reason', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const silent: GuardedHandler = () => {};
  const tooLarge: GuardedHandler = (_request, response) => response.writeHead(413).end();
  const send =
    (...texts: string[]) =>
    async (port: number): Promise<void> => {
      for (const text of texts) await connection(port, text);
    };
  const ask =
    (headers: Record<string, string>) =>
    async (port: number): Promise<void> =>
      void (await statusOf(port, headers));

  test.each<
    [
      what: string,
      handler: GuardedHandler,
      options: Partial<GuardedServerOptions>,
      act: (port: number) => Promise<void>,
      refusals: Partial<ServerRefusals>,
    ]
  >([
    ['a request without the token', hello, { token: TOKEN }, ask({}), { token: 1 }],
    ['a name of somebody else', hello, {}, ask({ host: 'evil.example' }), { host: 1 }],
    ['a page of another site', hello, {}, ask({ origin: 'http://evil.example' }), { origin: 1 }],
    [
      'connections beyond the limit',
      hello,
      { limits: { connections: 2 } },
      send('', '', '', '', ''),
      { connections: 3 },
    ],
    [
      'a request for which there is no room in time',
      (request, response) => {
        response.write('a part');
        holdBytes(request, 10);
      },
      { limits: { pendingBytes: 10, answerMs: 100 } },
      send(GET, GET),
      { requests: 1 },
    ],
    ['hundreds of requests that are sent ahead', silent, {}, send(GET.repeat(200)), { requests: 1 }],
    [
      'long headers',
      hello,
      {},
      send(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
      { headers: 1 },
    ],
    ['a large body', tooLarge, {}, ask({}), { body: 1 }],
    ['what is not HTTP', hello, {}, send('SSH-2.0-OpenSSH_9.6\r\n\r\n'), { malformed: 1 }],
    [
      'a client that sends half of its headers',
      hello,
      { limits: { headersMs: 100, requestMs: 100 } },
      send('GET / HTTP/1.1\r\nHost: loc'),
      { timeout: 1 },
    ],
    ['an answer that takes too long', silent, { limits: { answerMs: 50 } }, send(GET), { timeout: 1 }],
    ['a client that does not read', silent, { limits: { idleMs: 100 } }, send(GET), { timeout: 1 }],
    ['nothing: an answer', hello, {}, ask({}), {}],
  ])('%s', async (_what, handler, options, act, expected) => {
    const refusals = noRefusals();
    const port = await serve(handler, { ...options, refusals });
    await act(port);
    const wanted = { ...noRefusals(), ...expected };
    const endMs = performance.now() + 4000;
    while (JSON.stringify(refusals) !== JSON.stringify(wanted) && performance.now() < endMs) await sleep(10);
    // Later refusals would be counted twice.
    await sleep(50);
    expect(refusals).toEqual(wanted);
  });

  test('connections that a client leaves or keeps are no refusals', async () => {
    const refusals = noRefusals();
    const port = await serve(hello, { limits: { idleMs: 500 }, refusals });
    const half = await connection(port, 'GET / HTTP/1.1\r\nHo');
    half.socket.end();
    half.socket.destroy();
    const idle = await connection(port, GET);
    await once(idle.socket, 'close');
    expect(idle.received()).toContain('hello');
    expect(refusals).toEqual(noRefusals());
  });
});

describe('the signal of a handler', () => {
  test('is aborted when the client goes', async () => {
    let signal: AbortSignal | undefined;
    const port = await serve((_request, _response, aborted) => {
      signal = aborted;
    });
    const { socket } = await connection(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    while (signal === undefined) await sleep(2);
    expect(signal.aborted).toBe(false);
    socket.destroy();
    while (!signal.aborted) await sleep(2);
  });

  test('is aborted when the answer takes too long, which the client learns', async () => {
    let signal: AbortSignal | undefined;
    const port = await serve(
      (_request, _response, aborted) => {
        signal = aborted;
      },
      { limits: { answerMs: 30 } },
    );
    expect([await statusOf(port), signal!.aborted]).toEqual([503, true]);
  });
});

describe('HTTPS', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-tls-'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function certificateName(port: number): Promise<string> {
    const request = httpsRequest({ port, host: HOST, rejectUnauthorized: false, agent: false }).end();
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { socket: TLSSocket }];
    const name = response.socket.getPeerCertificate().subject.CN;
    response.resume();
    return String(name);
  }

  test('takes a new certificate when the files change, and keeps the old one while they do not fit', async () => {
    const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
    const use = ({ certFile, keyFile }: TestCertificate): void => {
      copyFileSync(keyFile, files.keyFile);
      copyFileSync(certFile, files.certFile);
    };
    use(LOCALHOST);
    const problems: Error[] = [];
    const port = await serve(hello, { tls: files, onProblem: (problem) => problems.push(problem) });
    expect(await certificateName(port)).toBe(LOCALHOST.name);
    copyFileSync(OTHER_HOST.keyFile, files.keyFile);
    while (problems.length === 0) await sleep(50);
    expect(await certificateName(port)).toBe(LOCALHOST.name);
    use(OTHER_HOST);
    while ((await certificateName(port)) !== OTHER_HOST.name) await sleep(50);
  }, 20_000);

  test('counts clients that speak no TLS', async () => {
    const refusals = noRefusals();
    const port = await serve(hello, {
      tls: { certFile: LOCALHOST.certFile, keyFile: LOCALHOST.keyFile },
      refusals,
    });
    await connection(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    while (refusals.malformed === 0) await sleep(10);
    expect(refusals).toEqual({ ...noRefusals(), malformed: 1 });
  });

  test('needs files that can be read', () => {
    const tls = { certFile: join(folder, 'none.pem'), keyFile: join(folder, 'none.key') };
    expect(() => createGuardedServer(hello, { host: HOST, tls })).toThrow(/ENOENT/);
  });

  test('needs a certificate and its key', () => {
    const tls = { certFile: LOCALHOST.keyFile, keyFile: LOCALHOST.certFile };
    expectRefused(() => createGuardedServer(hello, { host: HOST, tls }), 'ERR_INVALID_OPTION');
  });
});

test.each([
  { token: 'short' },
  { limits: { connections: 0 } },
  { limits: null },
  { allowedHosts: 7 },
  { tls: { certFile: 'no.crt' } },
])('a server is not made with %j', (options) => {
  expectRefused(
    () => createGuardedServer(hello, { host: HOST, ...(options as object) }),
    'ERR_INVALID_OPTION',
  );
});
