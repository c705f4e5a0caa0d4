import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askAdminSocket } from '@hdrscope/ceph';
import { parseConfig, startAgent } from '../src/index.ts';
import { until, useWorld } from './support/agents.ts';

const world = useWorld();

test('no log line, health answer or ending shows a secret or the value of a variable', async () => {
  // The receiver puts what it gets into its answer, and the exporter may show that.
  const server = createServer((request, response) => {
    response.writeHead(400, 'no', { 'content-type': 'text/plain' });
    response.end(`refused ${request.headers.authorization} ${request.headers['x-key']} ${request.url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world.atEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  const environment = {
    FOLDER: world.pathOf('canary-folder'),
    SOCKET: world.pathOf('canary.asok'),
    PROGRAM: 'canary-program',
    PASSWORD: 'canary-p%40ss',
    TOKEN: 'canary-token-0123456789',
    HEADER: 'canary\u{1b}[31m\nheader',
    MAP: '/sys/fs/bpf/canary',
    LABEL: 'canary\u{202e}label',
  };
  const socket = world.pathOf('h.asok');
  const { config } = parseConfig(
    `sources:
  - { type: ceph, name: "c-\${LABEL}", socket: "\${SOCKET}" }
  - { type: bpftrace, script: 'BEGIN {}', program: "\${PROGRAM}" }
  - { type: ebpf-map, map: "\${MAP}", layout: queue-depth }
  - { type: interval-log, path: "\${FOLDER}" }
sinks:
  - { type: admin-socket, path: ${socket} }
  - { type: dashboard, listen: '127.0.0.1:0', token: "\${TOKEN}" }
  - { type: interval-log, path: "\${FOLDER}/a/all.hlog" }
  - name: push
    type: otlp
    url: http://canary-user:\${PASSWORD}@127.0.0.1:${port}/v1/metrics?api_key=key-canary==&tenant=canary-tenant-0123456789
    interval: 300ms
    timeout: 200ms
    headers: { authorization: Bearer plain-canary-header }
  - name: broken
    type: otlp
    url: http://127.0.0.1:${port}/v1/metrics
    interval: 300ms
    timeout: 200ms
    headers: { x-key: "\${HEADER}" }
`,
    { environment },
  );
  const lines: string[] = [];
  const agent = await startAgent(config!, { log: (line) => lines.push(line), retry: { firstMs: 20 } });
  world.atEnd(() => agent.stop());
  const { errors } = await agent.registry.gather();
  expect(errors.map(({ source }) => source)).toContain('bpftrace');
  for (const { error } of errors) expect(String(error)).not.toMatch(/canary/);
  const failing = (): number =>
    agent.health.entries.filter(({ lastError }) => lastError !== undefined).length;
  await until('most entries have failed', () => failing() >= 5);
  const health = await askAdminSocket(socket, 'agent health');
  const refused = new Error('line one\n  and the canary-token-0123456789  \n end');
  await agent.reload(() => Promise.reject(refused));
  const ending = await agent.stop();
  const shown = [...lines, ...ending, health, ...lastErrors(agent.health)].join('\n');
  expect(shown).not.toMatch(/canary/);
  for (const control of ['\u{1b}', '\u{202e}']) expect(shown).not.toContain(control);
  expect(shown).toMatch(
    new RegExp(
      `sink push has started: http://(\\*\\*\\*@)?127.0.0.1:${port}/v1/metrics\\?api_key=\\*\\*\\*&tenant=\\*\\*\\*`,
    ),
  );
  for (const text of [`\${SOCKET}`, `"name": "c-\${LABEL}"`]) expect(shown).toContain(text);
  expect(shown).toContain(
    `the configuration is refused, the one before goes on: line one; and the \${TOKEN}; end`,
  );
});

function lastErrors({ entries }: { entries: readonly { lastError: string | undefined }[] }): string[] {
  return entries.map(({ lastError }) => lastError ?? '');
}

test('the message of a partial success shows no secret in the health', async () => {
  const server = createServer((request, response) => {
    const message = `quota of ${request.headers.authorization}`;
    const partial = Buffer.concat([Buffer.from([0x08, 2, 0x12, message.length]), Buffer.from(message)]);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' });
    response.end(Buffer.concat([Buffer.from([0x0a, partial.length]), partial]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world.atEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  const socket = world.pathOf('h.asok');
  const agent = await world.start(`sources: []
sinks:
  - { type: admin-socket, path: ${socket} }
  - type: otlp
    url: http://127.0.0.1:${port}/v1/metrics
    interval: 100ms
    timeout: 100ms
    headers: { authorization: Bearer canary-0123456789 }`);
  const message = (): string | undefined => agent.health.entries[1]!.delivery!.lastPartialSuccess?.message;
  await until('the receiver has rejected points', () => message() !== undefined);
  expect(message()).toBe('quota of ***');
  const shown = `${await askAdminSocket(socket, 'agent health')}`;
  expect(shown).toContain('quota of ***');
  expect(shown).not.toContain('canary');
});

test('the name of a variable stays whole when another variable has a part of it as its value', async () => {
  const { config } = parseConfig(
    `sources: []\nsinks: [{ type: dashboard, listen: '127.0.0.1:0', title: "\${DB_PASSWORD} \${X} \${Y}" }]`,
    { environment: { DB_PASSWORD: 'canary', X: 'PASS', Y: 'PASS.*(' } },
  );
  const lines: string[] = [];
  const agent = await startAgent(config!, { log: (line) => lines.push(line) });
  world.atEnd(() => agent.stop());
  const { problem } = await agent.reload(() => Promise.reject(new Error('canary PASS PASS.*( PASS.')));
  expect(problem).toMatch(/^\$\{DB_PASSWORD\} \$\{X\} \$\{Y\} \$\{X\}\.$/);
  expect(lines.at(-1)).toMatch(/: \$\{DB_PASSWORD\} \$\{X\} \$\{Y\} \$\{X\}\.$/);
});

test('secrets of a configuration stay hidden after another one has replaced it', async () => {
  const token = (text: string): string =>
    `sources: []\nsinks: [{ type: dashboard, listen: '127.0.0.1:0', token: ${text} }]`;
  const agent = await world.start(token('first-token-0123456789'));
  const { config } = parseConfig(token('second-token-0123456789'));
  await agent.reload(() => config!);
  const refused = new Error('first-token-0123456789 and second-token-0123456789');
  await agent.reload(() => Promise.reject(refused));
  expect(world.lines.at(-1)).toMatch(/: \*\*\* and \*\*\*$/);
});

test('headers of the variables of OpenTelemetry stay hidden', async () => {
  process.env.OTEL_EXPORTER_OTLP_METRICS_HEADERS = 'a=b,x-api-key=canary%20of-a-variable';
  try {
    const agent = await world.start(`sources: []\nsinks: [{ type: dashboard, listen: '127.0.0.1:0' }]`);
    const refused = new Error('canary%20of-a-variable and canary of-a-variable');
    await agent.reload(() => Promise.reject(refused));
    expect(world.lines.at(-1)).toMatch(/: \*\*\* and \*\*\*$/);
  } finally {
    delete process.env.OTEL_EXPORTER_OTLP_METRICS_HEADERS;
  }
});
