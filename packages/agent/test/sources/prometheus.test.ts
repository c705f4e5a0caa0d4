import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servePrometheus } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { boundsAtPercentiles, endCounts } from '@hdrscope/registry/internal';
import { type Agent, parseConfig } from '../../src/index.ts';
import { configOf, until, useWorld } from '../support/agents.ts';

const world = useWorld();

const SINK = "sinks: [{ type: prometheus, listen: '127.0.0.1:0', buckets: classic }]";

/** A target with one histogram, whose answers a test may change. */
interface Exporter {
  readonly port: number;
  readonly url: string;
  /** How many values it has counted. */
  count: number;
  status: number;
  /** More lines. */
  more: string;
  readonly requests: IncomingMessage[];
}

async function exporter(count = 3): Promise<Exporter> {
  const state = { count, status: 200, more: '', requests: [] as IncomingMessage[] };
  const server = createServer((request, response) => {
    state.requests.push(request);
    response.writeHead(state.status, { 'content-type': 'text/plain; version=0.0.4' });
    const { count } = state;
    response.end(
      `# TYPE job_seconds histogram\njob_seconds_bucket{le="1"} ${count}\njob_seconds_bucket{le="+Inf"} ${count}\njob_seconds_count ${count}\n${state.more}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world.atEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { port, url: `http://127.0.0.1:${port}` });
}

const source = (text: string): string =>
  `sources: [{ type: prometheus, interval: 50ms, timeout: 5s, ${text} }]\n${SINK}`;

const health = (agent: Agent) => agent.health.entries.find(({ kind }) => kind === 'source')!;

/** The number of values of each target with one histogram, by its attributes besides `instance`. */
async function totals(agent: Agent): Promise<Record<string, number>> {
  const { families } = await agent.registry.gather();
  const { series } = families.find(({ name }) => name === 'job_seconds')!;
  return Object.fromEntries(
    series.map(({ attributes: { instance: _, ...own }, histogram }) => [
      Object.values(own).join(),
      histogram.totalCount,
    ]),
  );
}

test('scrapes targets at intervals, with the attributes job and instance', async () => {
  const [a, b] = [await exporter(3), await exporter(4)];
  const agent = await world.start(
    source(`targets: ['${a.url}', '${b.url}/metrics'], attributes: { zone: z }`),
  );
  await until('both were scraped', () => health(agent).values === 7);
  const { families } = await agent.registry.gather();
  const { series } = families.find(({ name }) => name === 'job_seconds')!;
  expect(series.map(({ attributes, histogram }) => [attributes, histogram.totalCount])).toEqual([
    [{ job: 'prometheus', instance: `127.0.0.1:${a.port}`, zone: 'z' }, 3],
    [{ job: 'prometheus', instance: `127.0.0.1:${b.port}`, zone: 'z' }, 4],
  ]);
  a.count = 10;
  await until('more values were added', () => health(agent).values === 14);
  expect(health(agent)).toMatchObject({ state: 'running', errors: 0 });
  expect(a.requests[0]).toMatchObject({ url: '/metrics' });
});

test('a target that fails is reported with its sentence, and others go on', async () => {
  const [good, bad] = [await exporter(), await exporter()];
  bad.status = 503;
  const agent = await world.start(source(`targets: ['${good.url}', '${bad.url}']`));
  await until('the bad one has failed', () => health(agent).state === 'failing');
  good.count = 8;
  await until('the good one was scraped again', () => health(agent).values === 8);
  expect(health(agent).lastError).toBe(
    `${bad.url}/metrics: the target cannot be scraped: it answers with status 503`,
  );
  bad.status = 200;
  await until('both work', () => health(agent).state === 'running');
  expect(health(agent).values).toBe(11);
});

test('the source reports histograms that contradict themselves, and names a summary once', async () => {
  const one = await exporter();
  one.more = 'job_seconds_bucket{a="1",le="1"} 2\n# TYPE s summary\ns{quantile="0.5"} 1\n';
  const agent = await world.start(source(`targets: ['${one.url}']`));
  await until('it has failed twice', () => health(agent).errors > 1);
  expect(health(agent)).toMatchObject({
    values: 3,
    lastError: `${one.url}/metrics: 1 histogram is refused: job_seconds{a="1"} has no bucket with le="+Inf"`,
  });
  expect(world.lines.filter((line) => line.includes('left out'))).toEqual([
    'source prometheus: left out: s: it is a summary: quantiles of several summaries cannot be added up',
  ]);
});

test('a page that is no metrics adds nothing, and says so', async () => {
  const one = await exporter();
  one.more = '<html>\n';
  const agent = await world.start(source(`targets: ['${one.url}']`));
  await until('it has failed', () => health(agent).state === 'failing');
  expect(health(agent)).toMatchObject({
    values: 0,
    lastError: `${one.url}/metrics: line 5 does not begin with a name: "<html>"`,
  });
});

test('native histograms of hdrscope come in by protobuf, and bounds contain the truth', async () => {
  const registry = createRegistry();
  const series = registry
    .histogram({ name: 'rpc.duration', unit: 's', significantDigits: 3 })
    .with({ route: '/' });
  for (let i = 1; i <= 1000; i++) series.record(i / 1000);
  const server = await servePrometheus(registry, { port: 0, buckets: 'native' });
  world.atEnd(() => server.close());
  const agent = await world.start(source(`targets: ['http://127.0.0.1:${server.port}'], metrics: ['rpc_*']`));
  await until('it was scraped', () => health(agent).values === 1000);
  const { families } = await agent.registry.gather();
  const family = families.find(({ name }) => name.startsWith('rpc'))!;
  expect(family).toMatchObject({ name: 'rpc_duration_seconds', unit: 's' });
  const { histogram, reaches } = family.series[0]!;
  // Native buckets are wider than slots, and the bounds know it.
  const [p99] = boundsAtPercentiles(family, endCounts(histogram.counts, reaches), [99]);
  expect(p99!.lower).toBeLessThanOrEqual(0.99);
  expect(p99!.upper).toBeGreaterThanOrEqual(0.99);
  expect(p99!.upper / p99!.lower).toBeLessThan(1.2);
});

describe('authorization', () => {
  test.each([
    [
      'a user and a password',
      "username: me, password: 'p:w'",
      `Basic ${Buffer.from('me:p:w').toString('base64')}`,
    ],
    ['a token', 'token: abc', 'Bearer abc'],
    ['a header', 'headers: { authorization: Custom abc }', 'Custom abc'],
  ])('by %s', async (_, keys, header) => {
    const one = await exporter();
    await world.start(source(`targets: ['${one.url}'], ${keys}`));
    await until('it was asked', () => one.requests.length > 0);
    expect(one.requests[0]!.headers.authorization).toBe(header);
  });

  test('by the token of a file, which may change', async () => {
    const one = await exporter();
    writeFileSync(world.pathOf('token'), 'first\n');
    await world.start(source(`targets: ['${one.url}'], tokenFile: '${world.pathOf('token')}'`));
    await until('it was asked', () => one.requests.length > 0);
    writeFileSync(world.pathOf('token'), 'second\n');
    await until(
      'the other token was sent',
      () => one.requests.at(-1)!.headers.authorization === 'Bearer second',
    );
    expect(one.requests[0]!.headers.authorization).toBe('Bearer first');
  });
});

describe('secrets', () => {
  test('a user in a URL is refused, and not shown', () => {
    const { issues } = parseConfig(source("targets: ['http://me:secret@host/metrics']"));
    expect(issues.map(({ message }) => message)).toEqual([
      'sources[0].targets[0] must be the URL of a target, such as http://localhost:9100/metrics, without user and password, got a text of 29 characters',
    ]);
  });

  test('the values of a query are not shown', async () => {
    const one = await exporter();
    one.status = 401;
    const agent = await world.start(source(`targets: ['${one.url}/metrics?key=secret']`));
    await until('it has failed', () => health(agent).state === 'failing');
    expect(one.requests[0]!.url).toBe('/metrics?key=secret');
    expect(health(agent).lastError).toContain(`${one.url}/metrics?key=***: `);
    expect(world.lines.join()).not.toContain('secret');
  });

  test.each([
    [
      'no target',
      '',
      'sources[0].targets is missing: it must be URLs of targets, unless fileSd or kubernetes names some',
    ],
    [
      'two authorizations',
      "targets: ['http://a'], token: abcd, username: me",
      'sources[0].token must not be set with tokenFile or username: a request has one authorization',
    ],
  ])('%s is refused', (_, keys, message) => {
    const { issues } = parseConfig(
      `sources: [{ type: prometheus${keys === '' ? '' : `, ${keys}`} }]\n${SINK}`,
    );
    expect(issues.map((issue) => issue.message.replace(/, got .*/, ''))).toEqual([message]);
  });
});

describe('fileSd', () => {
  const write = (name: string, groups: unknown): void =>
    writeFileSync(world.pathOf(name), JSON.stringify(groups));
  const fileSource = (path: string): string => source(`fileSd: ['${path}'], refresh: 50ms`);

  test('targets with labels come and go, and none is counted twice', async () => {
    const [a, b] = [await exporter(3), await exporter(4)];
    write('a.json', [
      { targets: [`127.0.0.1:${a.port}`], labels: { env: 'prod', __metrics_path__: '/x', __param_m: 'y' } },
    ]);
    const agent = await world.start(fileSource(world.pathOf('*.json')));
    await until('the first was scraped', () => health(agent).values === 3);
    expect(a.requests[0]!.url).toBe('/x?m=y');
    expect(await totals(agent)).toEqual({ 'prometheus,prod': 3 });
    write('b.json', [{ targets: [`127.0.0.1:${b.port}`], labels: { job: 'own' } }]);
    await until('the second was scraped', () => health(agent).values === 7);
    expect(await totals(agent)).toEqual({ 'prometheus,prod': 3, own: 4 });
    rmSync(world.pathOf('a.json'));
    await until('the first is asked no more', async () => {
      const before = a.requests.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return a.requests.length === before;
    });
    a.count = 5;
    write('a.json', [
      { targets: [`127.0.0.1:${a.port}`], labels: { env: 'prod', __metrics_path__: '/x', __param_m: 'y' } },
    ]);
    await until('it came back', () => health(agent).values === 9);
    expect(await totals(agent)).toEqual({ 'prometheus,prod': 5, own: 4 });
  });

  test('a file that cannot be read is reported, and keeps its targets; others of the path are read', async () => {
    const [a, b] = [await exporter(3), await exporter(4)];
    write('a.json', [{ targets: [`127.0.0.1:${a.port}`] }]);
    const agent = await world.start(fileSource(world.pathOf('*.json')));
    await until('the first was scraped', () => health(agent).values === 3);
    writeFileSync(world.pathOf('a.json'), '[');
    write('b.json', [{ targets: [`127.0.0.1:${b.port}`] }]);
    await until('the second was scraped', () => health(agent).values === 7);
    await until('the file was reported', () => health(agent).state === 'failing');
    expect(health(agent).lastError).toContain(`${world.pathOf('a.json')} is not JSON`);
    a.count = 5;
    await until('the first was scraped again', () => health(agent).values === 9);
    write('a.json', []);
    await until('all files are read', () => health(agent).state === 'running');
  });

  test('YAML', async () => {
    const one = await exporter();
    writeFileSync(world.pathOf('a.yml'), `- targets:\n    - 127.0.0.1:${one.port}\n  labels: { env: dev }\n`);
    const agent = await world.start(fileSource(world.pathOf('a.yml')));
    await until('it was scraped', () => health(agent).values === 3);
    expect(await totals(agent)).toEqual({ 'prometheus,dev': 3 });
  });

  test.each<[string, string, string | RegExp]>([
    ['no file', '', /ENOENT/],
    ['no list', '{}', 'must be an array, got an object'],
    ['no JSON', '[', 'is not JSON'],
    [
      'a target that is a URL',
      '[{"targets":["http://a/b"]}]',
      '[0].targets[0] must be a host and a port, such as localhost:9100, got "http://a/b"',
    ],
    ['a label that is no text', '[{"targets":[],"labels":{"a":1}}]', '[0].labels.a must be a text, got 1'],
  ])('%s is reported, and the targets of the configuration go on', async (_, text, problem) => {
    const one = await exporter();
    if (text !== '') writeFileSync(world.pathOf('a.json'), text);
    const agent = await world.start(
      source(`targets: ['${one.url}'], fileSd: ['${world.pathOf('a.json')}'], refresh: 50ms`),
    );
    await until('the target was scraped', () => health(agent).values === 3);
    await until('the file was reported', () => health(agent).state === 'failing');
    expect(health(agent).lastError).toMatch(problem);
  });
});

describe('kubernetes', () => {
  /** An API server that lists pods, two in an answer. */
  async function apiServer(
    pods: () => unknown[],
  ): Promise<{ url: string; requests: IncomingMessage[]; fail(status: number): void }> {
    const requests: IncomingMessage[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      requests.push(request);
      const { pathname, searchParams } = new URL(request.url!, 'http://x');
      const isList =
        /^\/api\/v1\/(namespaces\/[^/]+\/)?pods$/.test(pathname) &&
        searchParams.get('fieldSelector') === 'status.phase=Running';
      response.writeHead(isList ? status : 404, { 'content-type': 'application/json' });
      const from = Number(searchParams.get('continue') ?? 0);
      const items = pods();
      const rest = from + 2 < items.length ? `${from + 2}` : undefined;
      response.end(
        JSON.stringify({ kind: 'PodList', metadata: { continue: rest }, items: items.slice(from, from + 2) }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    world.atEnd(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, requests, fail: (code) => (status = code) };
  }

  const pod = (name: string, annotations: Record<string, string>, port?: number) => ({
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, annotations },
    spec: {
      containers: [{ name: 'main', ports: port === undefined ? undefined : [{ containerPort: port }] }],
    },
    status: { podIP: '127.0.0.1', phase: 'Running' },
  });

  const podSource = (url: string, keys = ''): string => {
    writeFileSync(world.pathOf('token'), 'account\n');
    return source(
      `refresh: 50ms, kubernetes: { server: '${url}', tokenFile: '${world.pathOf('token')}'${keys} }`,
    );
  };

  test('pods that ask for it are scraped, on the port that they name or declare', async () => {
    const [a, b] = [await exporter(3), await exporter(4)];
    const { url, requests } = await apiServer(() => [
      pod('a', {
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': `${a.port}`,
        'prometheus.io/path': '/x',
      }),
      pod('silent', {}, b.port),
      pod('refuses', { 'prometheus.io/scrape': 'false' }, b.port),
      pod('b', { 'prometheus.io/scrape': 'true' }, b.port),
    ]);
    const agent = await world.start(podSource(url));
    await until('both were scraped', () => health(agent).values === 7);
    expect(a.requests[0]!.url).toBe('/x');
    expect(await totals(agent)).toEqual({ 'prometheus,shop,a': 3, 'prometheus,shop,b': 4 });
    expect(requests[0]!.headers.authorization).toBe('Bearer account');
  });

  test('a pod that is gone keeps its counts, and another pod of the same address is new', async () => {
    const one = await exporter(3);
    const annotations = { 'prometheus.io/scrape': 'true' };
    let pods = [pod('a', annotations, one.port)];
    const { url } = await apiServer(() => pods);
    const agent = await world.start(podSource(url, ', namespaces: [shop]'));
    await until('it was scraped', () => health(agent).values === 3);
    pods = [pod('b', annotations, one.port)];
    await until('the other was scraped', () => health(agent).values === 6);
    expect(await totals(agent)).toEqual({ 'prometheus,shop,a': 3, 'prometheus,shop,b': 3 });
  });

  test('a pod with wrong annotations is reported, and the others are scraped', async () => {
    const one = await exporter(3);
    const annotations = { 'prometheus.io/scrape': 'true' };
    const { url } = await apiServer(() => [
      pod('wrong', { ...annotations, 'prometheus.io/port': 'web' }),
      pod('right', annotations, one.port),
    ]);
    const agent = await world.start(podSource(url));
    await until('it was scraped', () => health(agent).values === 3);
    await until('it was reported', () => health(agent).state === 'failing');
    expect(health(agent).lastError).toBe(
      'the pod shop/wrong has wrong annotations: the port must be a number, and the scheme http or https, got http and web',
    );
  });

  test('a pod cannot send the credentials of the source to another host', async () => {
    const [one, other] = [await exporter(3), await exporter(4)];
    const path = `${other.url}/metrics`;
    const { url } = await apiServer(() => [
      pod('a', { 'prometheus.io/scrape': 'true', 'prometheus.io/path': path }, one.port),
    ]);
    const agent = await world.start(podSource(url));
    await until('it was scraped', () => health(agent).values === 3);
    expect(other.requests).toEqual([]);
  });

  test('an API server that fails is reported, and known pods go on', async () => {
    const one = await exporter(3);
    const { url, fail } = await apiServer(() => [pod('a', { 'prometheus.io/scrape': 'true' }, one.port)]);
    const agent = await world.start(podSource(url));
    await until('it was scraped', () => health(agent).values === 3);
    fail(403);
    await until('the API server was reported', () => health(agent).state === 'failing');
    expect(health(agent).lastError).toBe(
      `the API server ${new URL(url).host} does not list pods: it answers with status 403`,
    );
    one.count = 5;
    await until('it was scraped again', () => health(agent).values === 5);
  });
});

test('a reload goes on where the targets were', async () => {
  const one = await exporter(3);
  const agent = await world.start(source(`targets: ['${one.url}']`));
  await until('it was scraped', () => health(agent).values === 3);
  one.count = 4;
  await agent.reload(() => configOf(source(`targets: ['${one.url}'], honorLabels: true`)));
  await until('it was scraped again', () => health(agent).values >= 4);
  expect(health(agent).values).toBe(4);
});
