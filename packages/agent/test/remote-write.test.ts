import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { configOf, until, useWorld } from './support/agents.ts';

const world = useWorld();

/** A receiver that counts requests. */
async function startReceiver(answer: (response: ServerResponse) => void) {
  const received: { headers: NodeJS.Dict<string | string[]>; bytes: number }[] = [];
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, bytes });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/write` };
}

const take = (response: ServerResponse): void => {
  const written = { 'x-prometheus-remote-write-histograms-written': '100000' };
  response.writeHead(204, { ...written, 'x-prometheus-remote-write-samples-written': '100000' }).end();
};

const yaml = (url: string, more = ''): string => `sources: [{ type: stdin, metric: { name: job, unit: ms } }]
sinks: [{ type: remote-write, url: 'http://${url}', interval: 300ms, timeout: 300ms${more} }]`;

async function* typed(text: string): AsyncGenerator<Uint8Array, void> {
  yield new TextEncoder().encode(text);
}

test('a sink sends at its interval, with its headers, and its deliveries grow over a reload', async () => {
  const { received, url } = await startReceiver(take);
  const agent = await world.start(
    yaml(`u:hunter22@${url}`, ', headers: { x-scope-orgid: me }'),
    typed('1\n2\n'),
  );
  await until('it has sent twice', () => received.length >= 2);
  expect(received[0]!.headers).toMatchObject({
    'content-encoding': 'snappy',
    'x-scope-orgid': 'me',
    authorization: `Basic ${btoa('u:hunter22')}`,
  });
  const deliveredNow = () => agent.health.entries.find(({ kind }) => kind === 'sink')!.delivery!;
  await until('the answers have come', () => deliveredNow().requests >= 2);
  const { requests } = deliveredNow();
  await agent.reload(() => configOf(yaml(url, ', buckets: native')));
  await until('it goes on', () => deliveredNow().requests > requests);
  expect(deliveredNow()).toMatchObject({ pendingValues: 0, rejectedPoints: 0 });
  const before = received.length;
  expect(await agent.stop()).toEqual([]);
  expect(received.length).toBeGreaterThan(before);
  expect(world.lines.join('\n')).not.toContain('hunter22');
});

test('a sink whose receiver refuses samples is failing, and counts them', async () => {
  const { url } = await startReceiver((response) => {
    response.writeHead(400, { 'x-prometheus-remote-write-histograms-written': '0' }).end('out of order');
  });
  const agent = await world.start(yaml(url), typed('1\n'));
  const sink = () => agent.health.entries.find(({ kind }) => kind === 'sink')!;
  await until('samples were refused', () => (sink().delivery?.rejectedPoints ?? 0) > 0);
  expect(sink().state).toBe('failing');
  expect(sink().lastError).toMatch(/has answered 400 and has not written \d+ of \d+ samples: out of order/);
});

test.each(['url: "ftp://h"', 'timeout: 1h', 'buckets: both', 'labels: 5'])('%s is refused', (key) => {
  expect(() =>
    configOf(`sources: [{ type: stdin, metric: { name: job, unit: ms } }]
sinks: [{ type: remote-write, ${key} }]`),
  ).toThrow(key.split(':')[0]!);
});
