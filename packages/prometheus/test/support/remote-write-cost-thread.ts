import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRegistry } from '@hdrscope/registry';
import { answer, measureLeast, taskOfThread } from '@hdrscope/testing/threads';
import { prometheusHandler } from '../../src/index.ts';
import { sendRemoteWrite } from '../../src/remote-write/index.ts';
import { PROTOBUF } from './http.ts';
import { respond } from './respond.ts';

// How many times the processor time of a scrape a remote write takes, when all series have changed.

const { series: count, limit } = taskOfThread<{ series: number; limit: number }>();
const registry = createRegistry();
const family = registry.histogram({ name: 'x', unit: 's', cardinalityLimit: count });
const record = (values: number): void => {
  for (let i = 0; i < count; i++) {
    const series = family.with({ route: `/orders/${i}`, method: i % 2 ? 'GET' : 'POST' });
    for (let n = 0; n < values; n++) series.record(0.001 * (1 + (i % 50)) * (1 + ((n * 7919) % 97)));
  }
};
record(50);
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(204, { 'x-prometheus-remote-write-histograms-written': '2000' }).end();
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const writer = sendRemoteWrite(registry, { url: `http://127.0.0.1:${port}/`, intervalMs: 3_600_000 });
const handler = prometheusHandler(registry);
const { scrape, write } = await measureLeast(
  {
    scrape: () => respond(handler, { accept: PROTOBUF, 'accept-encoding': 'gzip' }),
    write: () => writer.flush(),
  },
  ({ scrape, write }) => write <= limit * scrape,
  { rounds: 25, prepare: () => record(1) },
);
await writer.close();
server.close();
answer({ rejectedSamples: writer.health.rejectedSamples, processorTime: write / scrape });
