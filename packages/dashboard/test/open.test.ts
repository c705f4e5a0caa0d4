import { gzipSync } from 'node:zlib';
import { HdrscopeError } from '@hdrscope/core';
import type { BarPlot, Plot } from '@hdrscope/plot';
import { createRegistry } from '@hdrscope/registry';
import { FileOpener } from '../src/open-file.ts';
import { ask, endAll, serve } from './support.ts';

afterEach(endAll);

const PLOT: BarPlot = { kind: 'bars', unit: 'none', slots: [{ lower: 0, upper: 1 }], counts: [1] };

/** A plot whose count is the number of bytes of a file. */
async function counting(_: string, bytes: AsyncIterable<Uint8Array>): Promise<Plot[]> {
  let total = 0;
  for await (const chunk of bytes) total += chunk.length;
  return [{ ...PLOT, counts: [total] }];
}

function post(port: number, body: string, headers: Record<string, string> = {}, path = '/open?name=a.hlog') {
  return ask({
    port,
    path,
    method: 'POST',
    body,
    headers: { origin: `http://localhost:${port}`, ...headers },
  });
}

test('a file that the page sends is opened, and its plots are the answer', async () => {
  const opened: string[] = [];
  const { port } = await serve(createRegistry(), {
    openFile: (name, bytes) => {
      opened.push(name);
      return counting(name, bytes);
    },
  });

  const { status, headers, text } = await post(port, 'x'.repeat(100_000), {}, '/open?name=%C3%A4%20b.hlog');

  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(JSON.parse(text)).toEqual({ plots: [{ ...PLOT, counts: [100_000] }] });
  expect(opened).toEqual(['ä b.hlog']);
});

test.each([
  ['another site', { origin: 'http://evil.example' }],
  ['another port', { origin: 'http://localhost:1' }],
  ['a file', { origin: 'null' }],
  ['what is no origin', { origin: 'x y' }],
  ['another site that says so', { 'sec-fetch-site': 'cross-site' }],
])('a request of %s opens nothing', async (_, headers) => {
  const { port } = await serve(createRegistry(), { openFile: counting });

  expect((await post(port, 'x', headers)).status).toBe(403);
});

test('a request without an origin opens nothing', async () => {
  const { port } = await serve(createRegistry(), { openFile: counting });

  expect((await ask({ port, path: '/open?name=a', method: 'POST', body: 'x' })).status).toBe(403);
});

test('a page without openFile takes no files', async () => {
  const { port } = await serve(createRegistry());

  expect(await post(port, 'x')).toMatchObject({ status: 404, text: '{"error":"this page takes no files"}' });
});

test.each([
  [new HdrscopeError('ERR_LOG_FORMAT', 'it is no log'), 'a.hlog: it is no log'],
  [new Error('/secret/path'), 'a.hlog: it cannot be read'],
])('the answer to a file that cannot be read has its reason: %s', async (error, reason) => {
  const { port } = await serve(createRegistry(), { openFile: () => Promise.reject(error) });

  expect(await post(port, 'x')).toMatchObject({ status: 422, text: JSON.stringify({ error: reason }) });
});

test.each(['/open', '/open?name=', `/open?name=${'x'.repeat(256)}`])(
  'refuses %s, whose name is missing or too long',
  async (path) => {
    const { port } = await serve(createRegistry(), { openFile: counting });

    expect((await post(port, 'x', {}, path)).status).toBe(400);
  },
);

test('a file with a length above 256 MiB is refused before it is read', async () => {
  let isAsked = false;
  const { port } = await serve(createRegistry(), {
    openFile: async () => {
      isAsked = true;
      return [];
    },
  });

  const { status, text } = await post(port, '', { 'content-length': String(256 * 2 ** 20 + 1) });

  expect([status, text]).toEqual([413, '{"error":"a.hlog is larger than 256 MiB"}']);
  expect(isAsked).toBe(false);
});

/** A request in chunks, without a length. */
function requestOf(chunks: Iterable<Uint8Array>) {
  return {
    headers: {},
    async *iterator() {
      yield* chunks;
    },
  } as never;
}

test('a file without a length is refused when it exceeds 256 MiB', async () => {
  let taken = 0;
  function* endless(): Generator<Uint8Array> {
    for (;;) {
      taken += 2 ** 20;
      yield new Uint8Array(2 ** 20);
    }
  }
  const opener = new FileOpener(counting, 4 * 2 ** 20);

  expect(await opener.answer(requestOf(endless()), 'a.hlog')).toEqual({
    status: 413,
    body: { error: 'a.hlog is larger than 4 MiB' },
  });
  expect(taken).toBe(5 * 2 ** 20);
});

test('no more than two files are opened at once', async () => {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const opener = new FileOpener(async () => {
    await released;
    return [];
  });
  const first = [opener.answer(requestOf([]), 'a'), opener.answer(requestOf([]), 'b')];

  expect((await opener.answer(requestOf([]), 'c')).status).toBe(503);
  release();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await opener.answer(requestOf([]), 'c')).status).toBe(200);
});

describe('a file that is short only while it is compressed', () => {
  const lines = gzipSync(Buffer.alloc(100_000_000, 'Tag=x,1.0,1.0,2.0,HISTFAAAAB\n'), { level: 9 });
  const longLine = gzipSync(Buffer.alloc(300 * 2 ** 20, '1'), { level: 9 });

  function chunksOf(bytes: Uint8Array, length: number): Uint8Array[] {
    const count = Math.ceil(bytes.length / length);
    return Array.from({ length: count }, (_, i) => bytes.subarray(i * length, (i + 1) * length));
  }

  test.each([
    ['lines', lines, 'a file must have at most 1000000 lines: drop a part of it'],
    ['bytes', longLine, 'the text of a file must have at most 268435456 bytes'],
  ])('is refused by its %s before it is opened, in little time and memory', async (_, bytes, reason) => {
    let opened = 0;
    const opener = new FileOpener(async (_name, chunks) => {
      for await (const chunk of chunks) opened += chunk.length;
      return [];
    });
    const { rss } = process.memoryUsage();
    const before = process.cpuUsage();

    const answer = await opener.answer(requestOf(chunksOf(bytes, 10_000)), 'a.hlog.gz');

    expect(answer).toEqual({ status: 422, body: { error: `a.hlog.gz: ${reason}` } });
    expect(opened).toBe(0);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(5000);
    expect(process.memoryUsage().rss - rss).toBeLessThan(200 * 2 ** 20);
  });

  test.each([1, 2, 3, 20_000])('is refused in chunks of %d bytes', async (length) => {
    const opener = new FileOpener(counting, undefined, { bytes: 1000, lines: 10 });
    const bytes = gzipSync('x\n'.repeat(11));

    const { status, body } = await opener.answer(requestOf(chunksOf(bytes, length)), 'a');

    expect([status, body]).toEqual([
      422,
      { error: 'a: a file must have at most 10 lines: drop a part of it' },
    ]);
  });

  test.each<[string, Uint8Array]>([
    ['within the limits', gzipSync('x\n'.repeat(10))],
    ['cut short', gzipSync('x\n'.repeat(10)).subarray(0, -9)],
    ['broken', Buffer.concat([gzipSync('x\n'.repeat(10)), Buffer.from('and more')])],
    ['not compressed', Buffer.from('x\n'.repeat(10))],
    ['empty', new Uint8Array()],
  ])('is opened with its own bytes when it is %s', async (_, bytes) => {
    const opener = new FileOpener(counting, undefined, { bytes: 1000, lines: 10 });

    const { status, body } = await opener.answer(requestOf(chunksOf(bytes, 7)), 'a');

    expect([status, body]).toEqual([200, { plots: [{ ...PLOT, counts: [bytes.length] }] }]);
  });
});
