import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lackOfBuild, lackOfPeer, programOf, testUnless } from '@hdrscope/testing';
import { someCells } from '@hdrscope/testing/case-count';
import { PROM_CLIENTS } from '@hdrscope/testing/prom-clients';
import { hdrscope } from '../support/fake-io.ts';
import { type MetricsPage, parsePage } from './pages.ts';
import { PROGRAMS, type Program } from './programs.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A folder in which programs find their packages. */
function makeFolder(client: string, modules: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-'));
  folders.push(folder);
  const link = (name: string, from: string): void => {
    mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(from, name), join(folder, 'node_modules', name));
  };
  link('@hdrscope', join(ROOT, 'node_modules'));
  link(client, modules);
  if (lackOfPeer('node-services') === undefined) link('express', programOf('node-services'));
  return folder;
}

/** Runs a service, lets it count, and reads its page. */
async function readPage(path: string): Promise<MetricsPage> {
  const sources = pathToFileURL(join(ROOT, 'tools/lib/sources.js')).href;
  // CommonJS gets what is built: the hooks of the sources are for ES modules.
  const loading = path.endsWith('.cjs') ? [] : ['--conditions=@hdrscope/source', '--import', sources];
  const service = spawn(process.execPath, [...loading, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = `http://127.0.0.1:${await readPort(service)}`;
    for (let round = 0; round < 4; round++)
      await (await fetch(`${url}/buy`, { signal: AbortSignal.timeout(5000) })).text();
    return parsePage(await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5000) })).text());
  } finally {
    service.kill();
  }
}

async function readPort(service: ChildProcess): Promise<number> {
  const ended = once(service, 'exit').then(() => {
    throw new Error('the service has ended');
  });
  const [text] = await Promise.race([once(service.stdout!, 'data'), ended]);
  return Number(String(text));
}

const PROCESS = /^(process|nodejs)_/;

/** What both pages must share: all series, and their values as far as they are no times or states of the process. */
function comparePages(before: MetricsPage, after: MetricsPage, timed: readonly string[]): void {
  expect(after.types).toEqual(before.types);
  const names = (page: MetricsPage): string[] =>
    [...page.samples.keys()].filter((name) => !PROCESS.test(name)).sort();
  expect(names(after)).toEqual(names(before));
  for (const [name, value] of before.samples) {
    if (PROCESS.test(name) || timed.some((one) => name.startsWith(`${one}_sum`))) continue;
    // A sum is one of doubles, in another order.
    expect([name, after.samples.get(name)]).toEqual([name, expect.closeTo(value, 9)]);
  }
}

for (const { name, modules, describeIt } of PROM_CLIENTS) {
  describeIt(`a service with ${name}`, () => {
    const folder = makeFolder(name, modules);

    // Both clients have one interface, so a third of the services is enough for the second one.
    const programs = name === 'prom-client' ? PROGRAMS : someCells(PROGRAMS, 0);

    describe.each(programs)('$title', (program: Program) => {
      const { ending, moved, timed = [], needsExpress = false } = program;
      const path = join(folder, `${PROGRAMS.indexOf(program)}.${ending}`);
      const text = program.text
        .replaceAll("'prom-client'", `'${name}'`)
        .replaceAll('"prom-client"', `"${name}"`);
      const lack =
        (needsExpress ? lackOfPeer('node-services') : undefined) ??
        (ending === 'cjs' ? lackOfBuild('prometheus') : undefined);
      testUnless(lack)(
        'shows the same series after its migration',
        async () => {
          writeFileSync(path, text);
          const before = await readPage(path);
          const { stderr } = await hdrscope(['migrate', path, '--write']);
          const after = readFileSync(path, 'utf8');
          expect(after.match(/\.histogram\(/g)?.length).toBe(moved);
          expect(stderr).not.toContain('This should not happen');
          comparePages(before, await readPage(path), timed);
          const again = await hdrscope(['migrate', path, '--write']);
          expect(readFileSync(path, 'utf8')).toBe(after);
          expect(again.stderr).toContain('hdrscope: 0 places in code rewritten in place');
        },
        60_000,
      );
    });
  });
}

const VIEWS = `import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { AggregationType, MeterProvider } from '@opentelemetry/sdk-metrics';
import { createServer } from 'node:http';

const exporter = new PrometheusExporter({ preventServerStart: true, prefix: 'shop' });
const provider = new MeterProvider({
  readers: [exporter],
  views: [
    // requests
    { instrumentName: 'http.*', aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: [0.1, 1] } } },
    { instrumentName: 'queue', name: 'renamed' },
  ],
});
const meter = provider.getMeter('shop');
const duration = meter.createHistogram('http.server.duration', { unit: 's' });
const queue = meter.createCounter('queue');
const server = createServer((request, response) => {
  if (request.url === '/metrics') return exporter.getMetricsRequestHandler(request, response);
  duration.record(0.5, { route: '/buy' });
  duration.record(3, { route: '/buy' });
  queue.add(2);
  response.end('ok');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

describe('a service with OpenTelemetry', () => {
  test('shows the same series with the exporter and the views of hdrscope', async () => {
    const folder = makeFolder('@opentelemetry', join(ROOT, 'node_modules'));
    const path = join(folder, 'views.mjs');
    writeFileSync(path, VIEWS);
    const before = await readPage(path);
    expect((await hdrscope(['migrate', path, '--write'])).stderr).toContain(
      '2 places in code rewritten in place, 0 stay',
    );
    const after = readFileSync(path, 'utf8');
    expect(after).toContain('new HdrPrometheusExporter({ preventServerStart: true, prefix: ');
    expect(after).toContain('hdr.wrapProvider(new MeterProvider({\n  readers: [hdr.wrapReader(exporter)],');
    // The help text of a metric without description differs.
    comparePages({ ...before, types: [] }, { ...(await readPage(path)), types: [] }, []);
    await hdrscope(['migrate', path, '--write']);
    expect(readFileSync(path, 'utf8')).toBe(after);
  }, 60_000);

  test.each([
    ['new PrometheusExporter(options)', 'its options are known only at run time'],
    ['new PrometheusExporter({ ...options })', 'its options are known only at run time'],
    ['new PrometheusExporter({ port: 0 })', 'port 0 is 9464'],
    ['new PrometheusExporter({ later: true })', 'its option later has no equal'],
    ['class Own extends PrometheusExporter {}; new PrometheusExporter()', 'in a way that has no equal'],
  ])('stays with %s', async (text, reason) => {
    const folder = makeFolder('@opentelemetry', join(ROOT, 'node_modules'));
    const path = join(folder, 'stays.mjs');
    writeFileSync(
      path,
      `import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';\n${text};\n`,
    );
    const { exitCode, stdout, stderr } = await hdrscope(['migrate', path]);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
  });
});

describe('a histogram of a client', () => {
  const serve = (text: string, rest: string): string =>
    `const client = require('prom-client');\nconst http = require('http');\n${text}\n${rest}\n`;
  const made = (options = ''): string =>
    `const h = new client.Histogram({ name: 'a_seconds', help: 'A', labelNames: ['x'], ${options} });`;
  const handler = `http.createServer(async (req, res) => res.end(await client.register.metrics()));`;

  test.each([
    [
      `${made()} const end = h.startTimer(); end({ y: 1 });`,
      'has the label y, which the histogram does not name',
    ],
    [`${made()} const end = h.startTimer(); end({ x: 1 }, { id: 2 });`, 'ends a timer with exemplars'],
    [`${made()} h.labels('a') /* why */ .startTimer();`, 'has a comment before its timer'],
    [`${made()} run(h);`, 'uses it in a way that has no equal'],
    [`${made()} module.exports = { h };`, 'exports it, and other files may use it'],
    [`${made()} h.zero({ x: 1 });`, 'calls zero, which has no equal'],
    [`${made()} h.observe({ y: 1 }, 2);`, 'has the label y, which the histogram does not name'],
    [`${made()} h.observe({ x: 1 }, -2);`, 'observes a value below 0'],
    [`${made()} h.labels(req.url).observe(2);`, 'which may be a label or an object of labels'],
    [`${made()} const a = h.observe(1);`, 'reads what observe returns'],
    [made('collect() {}'), 'its options are known only at run time'],
    [made('enableExemplars: true'), 'its option enableExemplars has no equal'],
    [made('buckets: [2, 1]'), 'its buckets must ascend'],
    [made('buckets: [-1, 1]'), 'it counts values below 0'],
    [made('buckets: read()'), 'its buckets are known only at run time'],
    [made('registers: []'), 'it must have one register'],
    [`let ${made().slice(6)} h = undefined;`, 'its variable gets other values'],
    [`const all = { h: ${made().slice(10, -1)} };`, 'it is not the value of a variable'],
    [`${made()} client.register.setDefaultLabels({ a: 'b' });`, 'would not see histograms of hdrscope'],
    [`${made()} new client.Pushgateway('http://x');`, 'uses Pushgateway'],
    [`${made()} start(client);`, 'passes on the client'],
    [`const h = new client.Histogram({ name: 'a', help: 'A' });`, 'its name ends with no unit'],
    [
      `const h = new client.Histogram({ name: 'a__b_seconds', help: 'A' });`,
      'its name would become a_b_seconds',
    ],
    [`${made()} const metrics = 1, metricsHandler = 2, hdrscopeMetrics = 3;`, 'are taken'],
  ])('stays with %s', async (text, reason) => {
    const folder = makeFolder('prom-client', join(ROOT, 'node_modules'));
    const path = join(folder, 'stays.cjs');
    writeFileSync(path, serve(text, handler));
    const { exitCode, stdout, stderr } = await hdrscope(['migrate', path]);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
    expect(stderr).not.toContain('This should not happen');
  });

  test.each([
    ['', 'this file does not serve the page'],
    [
      'fastify.get("/m", async (req, reply) => reply.send(await client.register.metrics()));',
      'is not one of node:http or Express',
    ],
    [
      'http.createServer(async (req, res) => { log(await client.register.metrics()); res.end(); });',
      'does more than to send the page',
    ],
    [
      'http.createServer(async (req, res) => { res.write("# more"); res.end(await client.register.metrics()); });',
      'does more than to send the page',
    ],
    [
      'http.createServer(async (req, res) => { const m = await client.register.metrics(); res.end(m + 1); });',
      'does more than to send the page',
    ],
    [
      'http.createServer(async (req, res) => { res.end(await client.register.metrics()); count++; });',
      'does more than to send the page',
    ],
  ])('stays beside the page %s', async (rest, reason) => {
    const folder = makeFolder('prom-client', join(ROOT, 'node_modules'));
    const path = join(folder, 'page.cjs');
    writeFileSync(path, serve(made(), rest));
    const { exitCode, stdout, stderr } = await hdrscope(['migrate', path]);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
  });

  test.each([
    [`client.register.setDefaultLabels({ a: 'b' });`, 'line 3 calls client.register.setDefaultLabels'],
    [handler, 'line 3 serves a page of its register, too'],
  ])('stays when another file of the command has %s', async (text, reason) => {
    const folder = makeFolder('prom-client', join(ROOT, 'node_modules'));
    writeFileSync(join(folder, 'shop.cjs'), serve(made(), handler));
    expect((await hdrscope(['migrate', folder])).exitCode).toBe(0);
    writeFileSync(join(folder, 'labels.cjs'), serve('', text).replace('\n\n', '\n'));
    const { exitCode, stdout, stderr } = await hdrscope(['migrate', folder]);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(`labels.cjs: ${reason}`)]);
  });

  test('is found in folders, and each change is in the document for programs', async () => {
    const folder = makeFolder('prom-client', join(ROOT, 'node_modules'));
    writeFileSync(join(folder, 'shop.cjs'), serve(made(), handler));
    writeFileSync(join(folder, 'other.mjs'), 'import "node:fs";');
    writeFileSync(join(folder, 'broken.ts'), "import 'prom-client'; const = 1;");
    const { exitCode, stdout } = await hdrscope(['migrate', folder, '--format', 'json']);
    const { code, unread } = JSON.parse(stdout);
    expect(code).toEqual([
      {
        file: join(folder, 'shop.cjs'),
        line: 3,
        place: 'histogram a_seconds',
        outcome: 'rewritten',
        notes: [],
      },
      { file: join(folder, 'shop.cjs'), line: 4, place: 'page of metrics', outcome: 'rewritten', notes: [] },
    ]);
    expect([exitCode, unread]).toEqual([
      1,
      [
        {
          path: join(folder, 'broken.ts'),
          reason: expect.stringContaining('must be JavaScript or TypeScript'),
        },
      ],
    ]);
  });
});
