import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as ours from '@hdrscope/prometheus';
import * as registry from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { migratePrograms } from '../../src/commands/migrate/code/index.ts';
import { parsePage } from './pages.ts';

const require = createRequire(import.meta.url);

const NAMES = ['a_seconds', 'b_bytes', 'c_ms', 'd'];
const LABELS = ['x', 'y'];

const label = fc.constantFrom("'p'", 'undefined', '7', "'q' + 1", "String('r')", 'true', 'v');
const value = fc.constantFrom('0', '0.1', '1', '2.5', '1e-10', '1234567', 'v / 4');
const labelObject = fc
  .tuple(fc.subarray(LABELS), fc.array(label, { minLength: 2, maxLength: 2 }))
  .map(([keys, values]) => `{ ${keys.map((key, at) => `${key}: ${values[at]}`).join(', ')} }`);

/** A statement that uses the histogram `h`. */
const use = fc.oneof(
  value.map((v) => `h.observe(${v});`),
  fc.tuple(labelObject, value).map(([labels, v]) => `h.observe(${labels}, ${v});`),
  fc.tuple(labelObject, value).map(([labels, v]) => `h.labels(${labels}).observe(${v});`),
  fc.tuple(label, label, value).map(([x, y, v]) => `h.labels(${x}, ${y}).observe(${v});`),
  fc.tuple(labelObject, value).map(([labels, v]) => `[1, 2].forEach((v) => h.observe(${labels}, ${v}));`),
  fc.tuple(labelObject, value).map(([labels, v]) => `v > 1 && h.observe(${labels}, ${v});`),
  labelObject.map((labels) => `h.remove(${labels});`),
  fc.constantFrom(
    'h.reset();',
    '{ const h = { observe() {} }; h.observe(5); }',
    'h.zero({});',
    'keep(h);',
    'void h;',
  ),
);

const parts = fc.record({
  name: fc.constantFrom(...NAMES),
  hasLabels: fc.boolean(),
  buckets: fc.constantFrom(
    '',
    'buckets: [0.1, 1, 1000], ',
    'buckets: client.linearBuckets(0, 2, 3), ',
    'buckets: [1, 0], ',
  ),
  uses: fc.array(use, { maxLength: 5 }),
});

type Parts = typeof parts extends fc.Arbitrary<infer Value> ? Value : never;

const MAIN = 'main.cjs';
const METRICS = 'metrics.cjs';

/** Texts of modules by their names. */
type Texts = ReadonlyMap<string, string>;

function formatMetrics({ name, hasLabels, buckets }: Parts): string {
  return `const client = require('prom-client');
const register = new client.Registry();
const h = new client.Histogram({ name: '${name}', help: 'H', ${hasLabels ? "labelNames: ['x', 'y'], " : ''}${buckets}registers: [register] });
`;
}

const REST = `const { createServer } = require('node:http');
const keep = () => {};
const v = 3;
exports.server = createServer(async (req, res) => {
  res.end(await register.metrics());
});
`;

const oneModule = parts.map(
  (one): Texts => new Map([[MAIN, `${formatMetrics(one)}${REST}${one.uses.join('\n')}\n`]]),
);

const twoModules = fc
  .record({
    one: parts,
    exporting: fc.constantFrom(
      'module.exports = { register, h };',
      'exports.register = register; exports.h = h;',
      'exports.register = register;\nmodule.exports.h = h;',
      'exports.register = register;\nexports.h = h;\nfunction more() { exports.h.observe(1); }',
    ),
    loading: fc.constantFrom(
      "const { register, h } = require('./metrics.cjs');",
      "const all = require('./metrics.cjs');\nconst { register, h } = all;",
      "const { register } = require('./metrics.cjs');\nconst h = require('./metrics.cjs').h;",
      "const all = require('./metrics.cjs');\nconst { register } = all;",
      "const { register, ...rest } = require('./metrics.cjs');\nconst { h } = rest;",
    ),
    isHere: fc.boolean(),
  })
  .map(({ one, exporting, loading, isHere }): Texts => {
    const isMember = !/\bh\b/.test(loading);
    const uses = one.uses.map((text) =>
      isMember && !text.includes('const h') ? text.replace(/\bh\b/g, 'all.h') : text,
    );
    const own = isHere ? 'const v = 2;\nh.observe(v);\n' : '';
    return new Map([
      [METRICS, `${formatMetrics(one)}${own}${exporting}\n`],
      [MAIN, `${loading}\n${REST}${uses.join('\n')}\n`],
    ]);
  });

const folder = mkdtempSync(join(tmpdir(), 'hdrscope-'));
writeFileSync(join(folder, 'package.json'), '{ "main": "none.js" }');
afterAll(() => rmSync(folder, { recursive: true }));

/** Migrates modules. */
async function migrate(texts: Texts): Promise<{ readonly after: Texts; readonly isRefused: boolean }> {
  const files = [...texts].map(([name, text]) => ({ path: join(folder, name), text }));
  const { modules } = await migratePrograms(files);
  return {
    after: new Map([...texts, ...modules.map(({ path, after }) => [basename(path), after] as const)]),
    isRefused: modules.some(({ changes }) => changes.some(({ verdict }) => verdict.outcome === 'refused')),
  };
}

/** Runs a program, and reads its page. `undefined` where it throws, as clients do for labels that they do not know. */
async function run(texts: Texts): Promise<ReturnType<typeof parsePage> | undefined> {
  const packages: Readonly<Record<string, unknown>> = {
    '@hdrscope/prometheus': ours,
    '@hdrscope/registry': registry,
    'node:http': { createServer: (listener: RequestListener) => createServer(listener) },
  };
  const loaded = new Map<string, { exports: { server?: Server } }>();
  const load = (name: string): unknown => {
    const text = texts.get(basename(name));
    if (text === undefined) return packages[name] ?? require(name);
    const module = loaded.get(name) ?? { exports: {} };
    if (loaded.has(name)) return module.exports;
    loaded.set(name, module);
    new Function('require', 'module', 'exports', text)(load, module, module.exports);
    return module.exports;
  };
  try {
    load(MAIN);
  } catch {
    return undefined;
  }
  const server = loaded.get(MAIN)!.exports.server!;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as { port: number };
    return parsePage(await (await fetch(`http://127.0.0.1:${port}/`)).text());
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('a program that hdrscope migrate changes', () => {
  test.each([
    ['one module', oneModule],
    ['two modules', twoModules],
  ])(
    'is left as it is, or shows the same series: %s',
    async (_title, program) => {
      let moved = 0;
      await fc.assert(
        fc.asyncProperty(program, async (texts) => {
          const { after, isRefused } = await migrate(texts);
          if (isRefused) {
            expect(after).toEqual(texts);
            return;
          }
          const before = await run(texts);
          // A program that fails counts nothing that its migration could lose.
          if (before === undefined) return;
          moved++;
          const page = await run(after);
          expect(page?.types).toEqual(before.types);
          expect([...page!.samples.keys()].sort()).toEqual([...before.samples.keys()].sort());
          for (const [name, count] of before.samples) {
            expect([name, page!.samples.get(name)]).toEqual([name, expect.closeTo(count, 9)]);
          }
          expect((await migrate(after)).after).toEqual(after);
        }),
        { numRuns: caseCount(60, 3000) },
      );
      expect(moved).toBeGreaterThan(5);
    },
    240_000,
  );
});
