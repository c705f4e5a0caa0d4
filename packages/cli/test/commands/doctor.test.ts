import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registryReplies, serveAdminSocket } from '@hdrscope/ceph';
import { serveOtlp } from '@hdrscope/otel/receiver';
import { servePrometheus } from '@hdrscope/prometheus';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { isSameTarget } from '../../src/commands/doctor/prometheus.ts';
import { hdrscope } from '../support/fake-io.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly cure?: string;
}

/** What the doctor finds, by subject. */
async function examine(...args: string[]) {
  const { exitCode, stdout, stderr } = await hdrscope(['doctor', ...args, '--json']);
  if (stdout === '') return { exitCode, stderr, findings: {} };
  const { ok, examined } = JSON.parse(stdout) as {
    readonly ok: boolean;
    readonly examined: readonly {
      readonly subject: string;
      readonly ok: boolean;
      readonly findings: Finding[];
    }[];
  };
  expect(exitCode).toBe(ok ? 0 : 1);
  expect(ok).toBe(examined.every((one) => one.ok));
  const all = examined.flatMap(({ findings }) => findings);
  return { exitCode, stderr, findings: Object.fromEntries(all.map((one) => [one.what, one])) };
}

async function serve(registry: Registry, options: Parameters<typeof servePrometheus>[1] = {}) {
  const server = await servePrometheus(registry, { port: 0, ...options });
  ends.push(() => server.close());
  return `localhost:${server.port}`;
}

async function answer(status: number, type: string, body: string) {
  const server = createServer((_, response) =>
    response.writeHead(status, { 'content-type': type }).end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  ends.push(() => server.close());
  return `localhost:${(server.address() as AddressInfo).port}`;
}

function requests(attributes: Record<string, string>, cardinalityLimit = 100) {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'http.server.request.duration', unit: 's', cardinalityLimit });
  family.with(attributes).record(0.1);
  return { registry, family };
}

describe('a service', () => {
  test('that has native buckets, routes and room is well', async () => {
    const { exitCode, findings } = await examine(await serve(requests({ 'http.route': '/cart' }).registry));
    expect(findings).toMatchObject({
      answers: { ok: true, detail: 'protobuf: 1 histogram with 1 series' },
      'native buckets': { ok: true },
      series: { ok: true },
      routes: { ok: true },
    });
    expect(exitCode).toBe(0);
  });

  test('that turns native buckets off is amiss', async () => {
    const url = await serve(requests({ 'http.route': '/cart' }).registry, { buckets: 'classic' });
    const { findings } = await examine(url);
    expect(findings['native buckets']).toMatchObject({
      ok: false,
      cure: expect.stringContaining("'classic'"),
    });
  });

  test('whose metrics a proxy makes text is amiss, with the format that came', async () => {
    const text = '# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 3\na_sum 4\na_count 3\n';
    const { findings } = await examine(await answer(200, 'text/plain; version=0.0.4', text));
    expect(findings['native buckets']).toMatchObject({
      ok: false,
      cure: expect.stringContaining('the answer is text'),
    });
  });

  test('that has reached its limit of series is amiss', async () => {
    const { registry, family } = requests({ 'http.route': '/cart' }, 2);
    for (const route of ['/pay', '/help', '/faq']) family.with({ 'http.route': route }).record(0.1);
    const { findings } = await examine(await serve(registry));
    expect(findings.series).toMatchObject({ ok: false, cure: expect.stringContaining('cardinalityLimit') });
  });

  test('that was given values that cannot be counted is amiss, with their number', async () => {
    const { registry, family } = requests({ 'http.route': '/cart' });
    family.with({ 'http.route': '/cart' }).record(Number.NaN);
    const { findings } = await examine(await serve(registry));
    expect(findings.values).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^1 cannot be counted/),
    });
  });

  test('whose requests have no route is amiss', async () => {
    const { findings } = await examine(await serve(requests({ method: 'GET' }).registry));
    expect(findings.routes).toMatchObject({ ok: false, cure: expect.stringContaining('instrumentation') });
  });

  test('without a value is amiss', async () => {
    const { findings } = await examine(await serve(createRegistry()));
    expect(findings.histograms).toMatchObject({ ok: false });
  });

  test.each([
    [404, 'text/plain', 'not here', 'name the path of the metrics'],
    [403, 'text/plain', 'no', 'allowedHosts'],
    [401, 'text/plain', 'no', 'the token'],
    [200, 'text/html', '<html></html>', 'this one has a page for people'],
    [200, 'text/plain', 'sold', 'this one has a page for people'],
  ])('that answers %i with %s %s gets the cure', async (status, type, body, cure) => {
    const { exitCode, findings } = await examine(await answer(status, type, body));
    expect(findings.answers).toMatchObject({ ok: false, cure: expect.stringContaining(cure) });
    expect(exitCode).toBe(1);
  });

  test('that is not there gets the cure, and the others are asked', async () => {
    const url = await serve(requests({ 'http.route': '/cart' }).registry);
    const { stdout, exitCode } = await hdrscope(['doctor', 'localhost:1', url]);
    expect(stdout).toContain('start the service');
    expect(stdout).toContain('1 histogram with 1 series');
    expect(stdout).toMatch(/\n\nSomething is amiss: localhost:1\.\n$/);
    expect(exitCode).toBe(1);
  });
});

describe('a receiver of OTLP', () => {
  test('that takes requests is well, and counts nothing', async () => {
    const registry = createRegistry();
    const server = await serveOtlp(registry, { port: 0 });
    ends.push(() => server.close());
    const { exitCode, findings } = await examine('--otlp', `http://localhost:${server.port}`);
    expect([exitCode, findings['takes OTLP']?.ok]).toEqual([0, true]);
    expect((await registry.gather()).families).toEqual([]);
  });

  test('that speaks gRPC gets the cure', async () => {
    const server = await serveOtlp(createRegistry(), { port: 0, protocol: 'grpc' });
    ends.push(() => server.close());
    const { findings } = await examine('--otlp', `http://localhost:${server.port}`);
    expect(findings['takes OTLP']).toMatchObject({ ok: false, cure: expect.stringContaining('4318') });
  });
});

describe('a daemon of Ceph', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-doctor-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('that has histograms is well, and one that has none is amiss', async () => {
    const { registry } = requests({ 'http.route': '/cart' });
    for (const [name, shown] of [
      ['ceph-osd.0', registry],
      ['ceph-mon.a', createRegistry()],
    ] as const) {
      const replies = registryReplies(shown);
      const server = await serveAdminSocket({ path: join(folder, `${name}.asok`), ...replies });
      ends.push(() => server.close());
    }
    const { findings } = await examine('--ceph', folder);
    expect(findings).toMatchObject({ 'osd.0': { ok: true }, 'mon.a': { ok: false } });
  });

  test('that is nowhere gets the cure', async () => {
    const { findings } = await examine('--ceph', join(folder, 'none.asok'));
    expect(findings.none).toMatchObject({ ok: false, cure: expect.stringContaining('/var/run/ceph') });
  });
});

test('a command line that names nothing, or no URL, is refused', async () => {
  for (const args of [[], ['--prometheus', 'localhost'], ['--otlp', 'ftp://x'], ['http://']]) {
    const { exitCode, stderr } = await hdrscope(['doctor', ...args]);
    expect([args, exitCode]).toEqual([args, 2]);
    expect(stderr).toMatch(/as in|such as/);
  }
});

test.each([
  ['http://127.0.0.1:9464/metrics', 'http://localhost:9464/metrics', true, true],
  ['http://localhost:9464/metrics', 'http://localhost:9464/metrics', false, false],
  ['http://shop:9464/metrics', 'http://shop:9464/metrics', false, true],
  ['http://shop:9464/metrics', 'http://localhost:9464/metrics', true, false],
  ['http://shop:9464/metrics', 'http://shop:9465/metrics', true, false],
  ['http://shop:9464/metrics', 'http://shop:9464/other', true, false],
  ['no URL', 'http://shop:9464/metrics', true, false],
])(
  'what is scraped at %s is the target %s: by a Prometheus of this machine (%s), %s',
  (scraped, url, isHere, same) => {
    expect(isSameTarget(scraped, new URL(url), isHere)).toBe(same);
  },
);

test('an agent is asked whether its sources and sinks work, and any server whether its process does', async () => {
  const ill = await answer(503, 'text/plain', 'sink collector: failing\n');
  const { exitCode, findings } = await examine('--health', `http://${ill}`);
  expect(exitCode).toBe(1);
  expect(findings['is healthy']).toMatchObject({ ok: false, detail: expect.stringContaining('503') });
  const well = await examine('--health', `http://${await serve(createRegistry())}/healthz`);
  expect(well.findings['is healthy']).toMatchObject({ ok: true, detail: 'by its own account, at /healthz' });
});
