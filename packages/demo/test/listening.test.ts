import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer } from '@hdrscope/kit';
import { HOST, listen } from '../src/listening.ts';

const servers: Server[] = [];

function newServer(): Server {
  const server = createServer((_, response) => response.end('here'));
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => closeServer(server)));
});

test('a server listens on the wanted port of the loopback interface', async () => {
  const free = await listen(newServer(), 0);
  await closeServer(servers.pop()!);
  const server = newServer();

  expect(await listen(server, free.port)).toEqual({ port: free.port, obstacle: undefined });
  expect((server.address() as AddressInfo).address).toBe(HOST);
});

test('a server uses a free port when the wanted one is taken, and reports that', async () => {
  const { port: taken } = await listen(newServer(), 0);

  const { port, obstacle } = await listen(newServer(), taken);

  expect(obstacle).toBe(`port ${taken} is taken`);
  expect(port).not.toBe(taken);
  expect(await (await fetch(`http://${HOST}:${port}`)).text()).toBe('here');
});

test('a failure that does not concern the port is passed on', async () => {
  const server = newServer();
  await listen(server, 0);

  await expect(listen(server, 0)).rejects.toMatchObject({ code: 'ERR_SERVER_ALREADY_LISTEN' });
});
