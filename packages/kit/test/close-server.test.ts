import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer } from '../src/index.ts';

interface Asked {
  readonly server: Server;
  readonly answer: Promise<Response>;
  readonly response: ServerResponse;
}

/** A server that has been asked and has not answered yet. */
async function askedServer(): Promise<Asked> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = once(server, 'request');
  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  answer.catch(() => {});
  const [, response] = await request;
  return { server, answer, response };
}

test('a request that is being answered is answered before the server closes', async () => {
  const { server, answer, response } = await askedServer();
  const closed = closeServer(server, { graceMs: 60_000 });
  response.end('late');
  expect(await (await answer).text()).toBe('late');
  await closed;
  expect(server.listening).toBe(false);
});

test('a connection that its client keeps after the answer does not delay the end', async () => {
  const { server, answer, response } = await askedServer();
  const closed = closeServer(server, { graceMs: 60_000 });
  const startMs = performance.now();
  response.end('late');
  await (await answer).text();
  await closed;
  // Node.js keeps it for five seconds.
  expect(performance.now() - startMs).toBeLessThan(4000);
});

test('a request that takes longer than the grace is cut', async () => {
  const { server, answer } = await askedServer();
  await closeServer(server, { graceMs: 1 });
  await expect(answer).rejects.toThrow('fetch failed');
});

test('a server that has never listened, or is closed already, closes', async () => {
  const server = createServer();
  await closeServer(server);
  await closeServer(server);
  expect(server.listening).toBe(false);
});
