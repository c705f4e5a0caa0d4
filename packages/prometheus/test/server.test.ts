import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInThread } from '@hdrscope/testing/threads';
import { MetricsServer, type RequestHandler } from '../src/server.ts';
import { ask, askRaw } from './support/http.ts';

const RESOURCES = new URL('./support/server-resources-thread.ts', import.meta.url);

const running: MetricsServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

const sayHello: RequestHandler = (_, response) => void response.end('hello');

function metricsServer(handler = sayHello, port = 0, endpoint = '/metrics'): MetricsServer {
  const server = new MetricsServer({ host: 'localhost', port, endpoint }, handler);
  running.push(server);
  return server;
}

async function started(handler = sayHello): Promise<{ server: MetricsServer; port: number }> {
  const server = metricsServer(handler);
  await server.start();
  return { server, port: server.port! };
}

test('a server answers on its endpoint with any query', async () => {
  const { port } = await started();
  expect((await ask(port)).text).toBe('hello');
  expect((await ask(port, { path: '/metrics?name[]=up' })).text).toBe('hello');
});

test.each(['/', '/metrics/', '/metricsX', '/Metrics', '/metrics/x'])(
  'a server answers %s with 404',
  async (path) => {
    const { port } = await started();
    const { status, text } = await ask(port, { path });
    expect([status, text]).toEqual([404, 'metrics are at /metrics\n']);
  },
);

test('an invalid URL gets 400', async () => {
  const { port } = await started();
  const text = await askRaw(port, 'GET //[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*Bad Request\n$/);
});

test('a server has a port while it listens, and only then', async () => {
  const server = metricsServer();
  expect(server.port).toBeUndefined();
  await server.start();
  expect(server.port).toBeGreaterThan(0);
  await server.stop();
  expect(server.port).toBeUndefined();
});

test('a second start of a running server does nothing', async () => {
  const server = metricsServer();
  await Promise.all([server.start(), server.start()]);
  const { port } = server;
  await server.start();
  expect(server.port).toBe(port);
});

test('a stopped server can start again, even at once', async () => {
  const { server, port } = await started();
  const stopped = server.stop();
  const restarted = server.start();
  await stopped;
  await restarted;
  expect((await ask(server.port!)).text).toBe('hello');
  await server.stop();
  await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
});

test('a server that stops while it starts does not listen', async () => {
  const server = metricsServer();
  const starting = server.start();
  await server.stop();
  await starting;
  expect(server.port).toBeUndefined();
});

test('a second stop, or a stop without a start, does nothing', async () => {
  const server = metricsServer();
  await server.stop();
  await server.start();
  await Promise.all([server.stop(), server.stop()]);
});

test('a taken port rejects the start, which can be retried', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, 'localhost', resolve));
  const server = metricsServer(sayHello, (other.address() as AddressInfo).port);
  await expect(server.start()).rejects.toThrow('EADDRINUSE');
  await new Promise((resolve) => other.close(resolve));
  await server.start();
  expect((await ask(server.port!)).text).toBe('hello');
});

test('a stopping server answers running requests', async () => {
  let answer = (): void => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { server, port } = await started((_, response) => {
    answer();
    setTimeout(() => response.end('in time'), 50);
  });
  const answering = ask(port);
  await asked;
  await server.stop();
  expect((await answering).text).toBe('in time');
});

test('a stopping server cuts an answer that does not end', async () => {
  let reached = (): void => {};
  const asked = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { server, port } = await started(() => reached());
  const answering = ask(port);
  // Without this, its rejection would have no handler while the server stops.
  const outcome = expect(answering).rejects.toThrow('socket hang up');
  await asked;
  const start = performance.now();
  await server.stop();
  expect(performance.now() - start).toBeLessThan(30_000);
  await outcome;
});

test('a server and its connections do not keep a process alive', async () => {
  const ofNetwork = await runInThread<readonly string[]>(RESOURCES, undefined);
  // The client's end of the connection.
  expect(ofNetwork).toEqual(['TCPSocketWrap']);
});
