import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createRegistry } from '@hdrscope/registry';
import { LOCALHOST } from '@hdrscope/testing/tls';
import { servePrometheus } from '../../src/index.ts';
import { fetchExposition, readExposition } from '../../src/scraper/index.ts';

const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closes.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A target that answers so. Returns its URL. */
async function serve(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(answer))}/metrics`;
}

const TEXT = '# TYPE x_seconds histogram\nx_seconds_bucket{le="1"} 2\nx_seconds_bucket{le="+Inf"} 3\n';

function answerText(_: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
  response.end(TEXT);
}

test('asks as Prometheus does, for protobuf first, and for gzip', async () => {
  let headers: IncomingMessage['headers'] = {};
  const url = await serve((request, response) => {
    ({ headers } = request);
    answerText(request, response);
  });
  expect(await fetchExposition({ url, timeoutMs: 2500 })).toMatchObject({ format: 'text' });
  expect(headers.accept).toMatch(
    /^application\/vnd\.google\.protobuf;proto=io\.prometheus\.client\.MetricFamily;encoding=delimited/,
  );
  expect(headers).toMatchObject({ 'accept-encoding': 'gzip', 'x-prometheus-scrape-timeout-seconds': '2.5' });
});

test('a server of hdrscope answers with protobuf, compressed', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', unit: 's' });
  for (let i = 0; i < 300; i++) family.with({ i }).record(i / 100);
  const server = await servePrometheus(registry, { port: 0 });
  closes.push(() => server.close());
  const { bytes, format } = await fetchExposition({ url: `http://localhost:${server.port}/metrics` });
  expect(format).toBe('protobuf');
  const scraped = readExposition(bytes, format).families.find(({ name }) => name === 'x_seconds');
  expect(scraped!.histograms).toHaveLength(300);
});

test.each([
  ['text/plain; version=0.0.4; charset=utf-8', 'text'],
  ['text/plain;version=1.0.0', 'text1'],
  ['text/plain', 'text'],
  ['application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores', 'openmetrics'],
  ['application/openmetrics-text; version=0.0.1', 'openmetrics'],
  ['application/openmetrics-text; version=2.0.0', 'openmetrics2'],
  [
    'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
    'protobuf',
  ],
])('the content type %s is the format %s', async (contentType, format) => {
  const url = await serve((_, response) => {
    response.setHeader('content-type', contentType);
    response.end('x');
  });
  expect((await fetchExposition({ url })).format).toBe(format);
});

test('an answer without a content type is text', async () => {
  const url = await serve((_, response) => void response.end(TEXT));
  expect(await fetchExposition({ url })).toEqual({ bytes: Buffer.from(TEXT), format: 'text' });
});

test.each<[string, RequestListener, string]>([
  [
    'a page',
    (_, response) => response.setHeader('content-type', 'text/html').end('<html>'),
    'it answers with text/html, which is not a format of metrics',
  ],
  [
    'JSON',
    (_, response) => response.setHeader('content-type', 'application/json').end('{}'),
    'it answers with application/json, which is not a format of metrics',
  ],
  ['another status', (_, response) => response.writeHead(503).end(), 'it answers with status 503'],
  [
    'a redirect',
    (_, response) => response.writeHead(302, { location: '/login' }).end(),
    'it answers with status 302, with the location /login: the URL must be the one that answers',
  ],
  [
    'another encoding',
    (_, response) => response.setHeader('content-encoding', 'br').end('x'),
    'it answers with the encoding br, and only gzip was asked for',
  ],
  [
    'damaged gzip',
    (_, response) => response.setHeader('content-encoding', 'gzip').end('x'),
    'its answer is not gzip',
  ],
  ['silence', () => {}, 'it has not answered within 300 ms'],
  ['a body that stops', (_, response) => void response.write('x 1\n'), 'it has not answered within 300 ms'],
  [
    'a body that is cut off',
    (_, response) =>
      response.writeHead(200, { 'content-length': 10 }).write('x 1\n', () => response.destroy()),
    'aborted',
  ],
])('%s is an error', async (_, answer, problem) => {
  const url = await serve(answer);
  // A loaded machine may be slower than the shorter limit.
  const timeoutMs = problem.includes('300 ms') ? 300 : 30_000;
  const error = await fetchExposition({ url, timeoutMs }).catch((caught) => caught);
  expect(error).toMatchObject({ code: 'ERR_SCRAPE' });
  expect(error.message).toMatch(`the target cannot be scraped: ${problem}`);
});

test('a target that cannot be reached is an error that says why', async () => {
  const url = await serve(answerText);
  for (const close of closes.splice(0)) await close();
  await expect(fetchExposition({ url })).rejects.toThrow(/the target cannot be scraped: .*ECONNREFUSED/);
});

test.each([
  ['plain', (_: IncomingMessage, response: ServerResponse) => response.end('x'.repeat(2000))],
  [
    'compressed',
    (_: IncomingMessage, response: ServerResponse) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync('x'.repeat(1e6))),
  ],
])('an answer above the limit is refused, %s', async (_, answer) => {
  const url = await serve((request, response) => void answer(request, response));
  await expect(fetchExposition({ url, maxBytes: 1999 })).rejects.toThrow(
    'the answer must have at most 1999 bytes',
  );
});

test('headers and the user of the URL are sent', async () => {
  const seen: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    seen.push(request.headers.authorization);
    answerText(request, response);
  });
  await fetchExposition({ url, headers: { authorization: 'Bearer abc' } });
  await fetchExposition({ url: url.replace('http://', 'http://user:pass@') });
  expect(seen).toEqual(['Bearer abc', `Basic ${Buffer.from('user:pass').toString('base64')}`]);
});

test('a certificate is checked against the authorities that are named', async () => {
  const port = await listen(createSecureServer({ cert: LOCALHOST.cert, key: LOCALHOST.key }, answerText));
  const url = `https://localhost:${port}/metrics`;
  expect(await fetchExposition({ url, tls: { caFile: LOCALHOST.certFile } })).toMatchObject({
    format: 'text',
  });
  await expect(fetchExposition({ url })).rejects.toThrow('self-signed certificate');
});

test('a signal cuts the request off', async () => {
  const controller = new AbortController();
  const url = await serve(() => controller.abort());
  await expect(fetchExposition({ url, signal: controller.signal })).rejects.toThrow(
    'the request was cut off',
  );
});

test.each([
  [{ url: 'ftp://x' }],
  [{ url: 'http://x', timeoutMs: 0 }],
  [{ url: 'http://x', maxBytes: 0 }],
  [{ url: 'http://x', retries: 1 }],
])('the options %j are refused', async (options) => {
  await expect(fetchExposition(options)).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
});
