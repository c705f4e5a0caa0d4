import { request } from 'node:http';
import { noRefusals } from '@hdrscope/kit/server';
import { parseConfig } from '../src/index.ts';
import { guardOptions, type ServerConfig } from '../src/server.ts';
import { sample, until, urlIn, useWorld } from './support/agents.ts';

const world = useWorld();

/** The status and the text of an answer. `fetch` cannot send another `Host`. */
function answerOf(url: string, headers: Record<string, string> = {}): Promise<[number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve([response.statusCode, text]));
    });
    sent.on('error', reject).end();
  });
}

async function statusOf(...args: Parameters<typeof answerOf>): Promise<number | undefined> {
  const [status] = await answerOf(...args);
  return status;
}

test('every server gets the protection of its entry', () => {
  const keys = 'token: 0123456789abcdef, allowedHosts: [a.example], limits: { answerTimeout: 5s }';
  const { config } = parseConfig(`sources: [{ type: otlp }]
sinks: [{ type: prometheus, ${keys}, tls: { certFile: a.pem, keyFile: b.pem } }]`);
  const refusals = noRefusals();
  expect(guardOptions(config!.sources[0] as unknown as ServerConfig, { refusals })).toEqual({ refusals });
  expect(guardOptions(config!.sinks[0] as unknown as ServerConfig, { refusals })).toEqual({
    refusals,
    token: '0123456789abcdef',
    allowedHosts: ['a.example'],
    limits: { answerMs: 5000 },
    tls: { certFile: 'a.pem', keyFile: 'b.pem' },
  });
});

test('the health of the agent names what fails, and no more', async () => {
  const agent = await world.start(
    `sources: [{ type: ceph, name: "osd\\e[31m", socket: ${world.pathOf('gone.asok')} }]
sinks: [{ type: health, listen: '127.0.0.1:0' }]`,
  );
  const url = urlIn(world.lines, 'health');
  expect(await answerOf(url)).toEqual([200, 'ok\n']);
  await agent.registry.gather();
  expect(await answerOf(url)).toEqual([503, 'source osd\\x1b[31m: failing\n']);
  expect(await answerOf(`${url}z`)).toEqual([200, 'ok\n']);
  expect(await answerOf(url.replace('/health', '/'))).toEqual([404, 'health is at /health and /healthz\n']);
  expect(await statusOf(url, { host: 'evil.example' })).toBe(403);
});

test('a token and allowed hosts of the configuration protect the health of the agent', async () => {
  await world.start(`sources: []
sinks:
  - { name: a, type: health, listen: '127.0.0.1:0', allowedHosts: [proxy.example] }
  - { name: b, type: health, listen: '127.0.0.1:0', token: 0123456789abcdef, limits: { requests: 4, idleTimeout: 1s } }`);
  expect(await statusOf(urlIn(world.lines, 'a'), { host: 'proxy.example' })).toBe(200);
  const url = urlIn(world.lines, 'b');
  expect(await statusOf(url)).toBe(401);
  expect(await statusOf(url, { authorization: 'Bearer 0123456789abcdef' })).toBe(200);
});

test('what the servers of the agent refuse shows in its health and in its metrics, also after a restart', async () => {
  const yaml = (
    path: string,
  ): string => `sources: [{ type: otlp, listen: '127.0.0.1:0', token: 0123456789abcdef }]
sinks: [{ type: prometheus, listen: '127.0.0.1:0', path: ${path} }, { type: dashboard, listen: '127.0.0.1:0' }]`;
  const agent = await world.start(yaml('/a'));
  const refusedBy = (name: string): unknown =>
    agent.health.entries.find((entry) => entry.name === name)!.refusals;
  const source = world.lines.find((line) => line.startsWith('source otlp has started'))!;
  await statusOf(source.replace(/.*(?=http:)/, ''));
  await statusOf(urlIn(world.lines, 'prometheus'), { host: 'evil.example' });
  await statusOf(urlIn(world.lines, 'dashboard'), { origin: 'http://evil.example' });
  await agent.reload(() => parseConfig(yaml('/b')).config!);
  await until('it has started again', () => world.lines.some((line) => line.endsWith('/b')));
  const url = world.lines.find((line) => line.endsWith('/b'))!.replace(/.*(?=http:)/, '');
  await statusOf(url, { host: 'evil.example' });
  expect(refusedBy('otlp')).toEqual({ ...noRefusals(), token: 1 });
  expect(refusedBy('prometheus')).toEqual({ ...noRefusals(), host: 2 });
  expect(refusedBy('dashboard')).toEqual({ ...noRefusals(), origin: 1 });
  for (const [labels, count] of [
    ['kind="source",name="otlp",type="otlp",reason="token"', 1],
    ['kind="sink",name="prometheus",type="prometheus",reason="host"', 2],
    ['kind="sink",name="dashboard",type="dashboard",reason="origin"', 1],
  ] as const) {
    expect(await sample(url, `hdrscope_agent_server_refusals_total{${labels}}`)).toBe(count);
  }
});

test('the log notes once that other machines reach a server without a token', async () => {
  const yaml = (extra: string): string => `sources: [{ type: otlp, listen: '0.0.0.0:0', allowRemote: true }]
sinks: [{ type: prometheus, listen: '0.0.0.0:0', ${extra} }, { type: health, listen: '127.0.0.1:0' }]`;
  const agent = await world.start(yaml(''));
  await agent.reload(() => parseConfig(yaml('path: /m')).config!);
  await until('it has started again', () => world.lines.some((line) => line.endsWith('/m')));
  const notes = world.lines.filter((line) => line.includes('has no token'));
  expect(notes.sort()).toEqual([
    'sink prometheus: 0.0.0.0:0 has no token: everybody who reaches this port can read all counts',
    'source otlp: 0.0.0.0:0 has no token: everybody who reaches this port can write metrics',
  ]);
  expect(
    await sample(
      urlIn(world.lines).replace('0.0.0.0', '127.0.0.1'),
      'hdrscope_agent_errors_total{kind="sink",name="prometheus",type="prometheus"}',
    ),
  ).toBe(0);
});
