// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs under test have them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lackOfBuild, lackOfPeer, programOf, testUnless } from '@hdrscope/testing';
import { someCells } from '@hdrscope/testing/case-count';
import { PROM_CLIENTS } from '@hdrscope/testing/prom-clients';
import { hdrscope } from '../support/fake-io.ts';
import { LINKED_PROGRAMS } from './linked-programs.ts';
import { type MetricsPage, parsePage } from './pages.ts';
import { LONE_PROGRAMS, type Program } from './programs.ts';

const PROGRAMS: readonly Program[] = [...LONE_PROGRAMS, ...LINKED_PROGRAMS];
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
  if (lackOfPeer('node-services') === undefined)
    for (const name of ['express', 'fastify']) link(name, programOf('node-services'));
  return folder;
}

function readTexts(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.sort().map((path) => [path, readFileSync(path, 'utf8')]));
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
      const { ending, moved, timed = [], needsFramework = false } = program;
      const service = join(folder, String(PROGRAMS.indexOf(program)));
      const path = join(service, `main.${ending}`);
      const texts = Object.entries({ ...program.others, [`main.${ending}`]: program.text }).map(
        ([file, text]) =>
          [
            join(service, file),
            text.replaceAll("'prom-client'", `'${name}'`).replaceAll('"prom-client"', `"${name}"`),
          ] as const,
      );
      const lack =
        (needsFramework ? lackOfPeer('node-services') : undefined) ??
        (ending === 'cjs' ? lackOfBuild('prometheus') : undefined);
      testUnless(lack)(
        'shows the same series after its migration',
        async () => {
          for (const [file, text] of texts) {
            mkdirSync(dirname(file), { recursive: true });
            writeFileSync(file, text);
          }
          writeFileSync(join(service, 'package.json'), '{ "private": true }');
          const before = await readPage(path);
          const { stderr } = await hdrscope(['migrate', service, '--write']);
          const after = readTexts(service);
          expect([...after.values()].join('').match(/\.histogram\(/g)?.length ?? stderr).toBe(moved);
          expect(stderr).not.toContain('This should not happen');
          comparePages(before, await readPage(path), timed);
          const again = await hdrscope(['migrate', service, '--write']);
          expect(readTexts(service)).toEqual(after);
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
    [`${made()} module.exports = { h };`, 'exports it, and no package.json above it says which files may'],
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
    ['', 'no file that is named serves the page'],
    [
      'koa.get("/m", async (ctx, next) => { ctx.body = await client.register.metrics(); });',
      'is not one of node:http, Express or Fastify',
    ],
    [
      'http.createServer(async (req, res) => { log(await client.register.metrics()); res.end(); });',
      'does more than send the page',
    ],
    [
      'http.createServer(async (req, res) => { res.write("# more"); res.end(await client.register.metrics()); });',
      'does more than send the page',
    ],
    [
      'http.createServer(async (req, res) => { const m = await client.register.metrics(); res.end(m + 1); });',
      'does more than send the page',
    ],
    [
      'http.createServer(async (req, res) => { res.end(await client.register.metrics()); count++; });',
      'does more than send the page',
    ],
  ])('stays beside the page %s', async (rest, reason) => {
    const folder = makeFolder('prom-client', join(ROOT, 'node_modules'));
    const path = join(folder, 'page.cjs');
    writeFileSync(path, serve(made(), rest));
    const { exitCode, stdout, stderr } = await hdrscope(['migrate', path]);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
  });

  test('stays when another file of the command gives its register labels', async () => {
    const folder = makeFolder('prom-client', join(ROOT, 'node_modules'));
    writeFileSync(join(folder, 'shop.cjs'), serve(made(), handler));
    expect((await hdrscope(['migrate', folder])).exitCode).toBe(0);
    const labels = "const client = require('prom-client');\nclient.register.setDefaultLabels({ a: 'b' });\n";
    writeFileSync(join(folder, 'labels.cjs'), labels);
    const { exitCode, stdout, stderr } = await hdrscope(['migrate', folder]);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('labels.cjs: line 2 calls client.register.setDefaultLabels');
  });

  test('is on the pages of all files of the command', async () => {
    const folder = makeFolder('prom-client', join(ROOT, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, 'shop.cjs'), serve(made(), handler));
    writeFileSync(join(folder, 'page.cjs'), serve('', handler));
    expect((await hdrscope(['migrate', folder, '--write'])).exitCode).toBe(0);
    for (const file of ['shop.cjs', 'page.cjs']) {
      expect(readFileSync(join(folder, file), 'utf8')).toContain(
        "registry } = require('./hdr-registry.cjs')",
      );
      expect(readFileSync(join(folder, file), 'utf8')).toContain('res) => metrics(req, res));');
    }
  });

  describe('that a module exports', () => {
    const metrics = `const client = require('prom-client');\n${made()}\nmodule.exports = { h };\n`;
    const service = `${serve('', handler)}const { h } = require('./metrics');\nh.observe({ x: 1 }, 2);\n`;

    test.each([
      ['', 'src/more.js', "const { h } = require('./metrics');", 'src/more.js: line 1 may use it'],
      ['', 'test/a.test.js', "jest.mock('../src/metrics');", 'test/a.test.js: line 1 may use it'],
      ['', 'src/all.js', 'for (const f of all) require(f);', 'all.js: line 1 loads modules whose names'],
      ['', 'src/all.js', 'import(`./${name}.js`);', 'all.js: line 1 loads modules whose names'],
      ['', 'src/app.ts', "import { h } from '@/metrics';", 'src/app.ts: line 1 may use it'],
      ['', 'src/metrics.ts', '', 'src/main.js: line 5 may use it'],
      ['', 'tsconfig.json', '{ "paths": { "#m": ["./src/metrics.ts"] } }', 'may give it another name'],
      ['"main": "dist/metrics.js"', 'a.js', '', 'package.json lets other packages load'],
      ['"exports": { "./*": "./src/*.js" }', 'a.js', '', 'package.json lets other packages load'],
    ])('stays with %s and %s: %s', async (manifest, file, text, reason) => {
      const folder = makeFolder('prom-client', join(ROOT, 'node_modules'));
      for (const name of ['src', 'test']) mkdirSync(join(folder, name));
      writeFileSync(join(folder, 'package.json'), `{ "main": "none.js" }`);
      writeFileSync(join(folder, 'src/metrics.js'), metrics);
      writeFileSync(join(folder, 'src/main.js'), service);
      const paths = ['src/metrics.js', 'src/main.js'].map((path) => join(folder, path));
      expect((await hdrscope(['migrate', ...paths])).exitCode).toBe(0);
      if (manifest !== '') writeFileSync(join(folder, 'package.json'), `{ ${manifest} }`);
      writeFileSync(join(folder, file), text);
      const { exitCode, stdout, stderr } = await hdrscope(['migrate', ...paths]);
      expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
    });

    test.each([
      ["const m = require('./metrics'); m[key].observe(1);", 'passes on metrics.js as a whole'],
      ['module.exports.h = {};', 'exports it, and line'],
      ["const m = require('./metrics'); start(m);", 'passes on metrics.js as a whole'],
      ["const { h, ...rest } = require('./metrics');", 'main.js: line 3 may use it'],
      ["const f = () => require('./metrics').h;", 'main.js: line 3 may use it'],
      ["const { h } = require('./metrics'); run(h);", 'main.js: line 3 uses it in a way that has no equal'],
      ["const { h } = require('./metrics'); h.observe({ y: 1 }, 2);", 'main.js: line 3 has the label y'],
    ])('stays with %s', async (text, reason) => {
      const folder = makeFolder('prom-client', join(ROOT, 'node_modules'));
      writeFileSync(join(folder, 'package.json'), `{ "main": "none.js" }`);
      const isOwn = text.startsWith('module');
      writeFileSync(join(folder, 'metrics.js'), isOwn ? metrics + text : metrics);
      writeFileSync(join(folder, 'main.js'), serve(isOwn ? '' : text, handler));
      const { exitCode, stdout, stderr } = await hdrscope(['migrate', folder]);
      expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
    });

    test('stays when its page and its register load each other', async () => {
      const folder = makeFolder('prom-client', join(ROOT, 'node_modules'));
      writeFileSync(join(folder, 'package.json'), `{ "main": "none.js" }`);
      const register = `const client = require('prom-client');\nconst register = new client.Registry();\nmodule.exports = { register };\nrequire('./page');\n`;
      writeFileSync(join(folder, 'metrics.js'), register + made('registers: [register]'));
      writeFileSync(
        join(folder, 'page.js'),
        `const http = require('http');\nconst m = require('./metrics');\nhttp.createServer(async (req, res) => res.end(await m.register.metrics()));\n`,
      );
      const { exitCode, stdout, stderr } = await hdrscope(['migrate', folder]);
      expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining('in a circle')]);
    });
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
