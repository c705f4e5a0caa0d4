import { createServer, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import * as ours from '@hdrscope/prometheus';
import * as registry from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { type MigratedCode, migratePrograms } from '../../src/commands/migrate/code/index.ts';
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

const program = fc
  .record({
    name: fc.constantFrom(...NAMES),
    hasLabels: fc.boolean(),
    buckets: fc.constantFrom(
      '',
      'buckets: [0.1, 1, 1000], ',
      'buckets: client.linearBuckets(0, 2, 3), ',
      'buckets: [1, 0], ',
    ),
    uses: fc.array(use, { maxLength: 5 }),
  })
  .map(
    ({ name, hasLabels, buckets, uses }) => `
const client = require('prom-client');
const { createServer } = require('node:http');
const register = new client.Registry();
const keep = () => {};
const h = new client.Histogram({ name: '${name}', help: 'H', ${hasLabels ? "labelNames: ['x', 'y'], " : ''}${buckets}registers: [register] });
const v = 3;
exports.server = createServer(async (req, res) => {
  res.end(await register.metrics());
});
${uses.join('\n')}
`,
  );

async function migrateCode(text: string): Promise<MigratedCode> {
  const { modules } = await migratePrograms([{ path: 'program.cjs', text }]);
  expect(modules).toHaveLength(1);
  return modules[0]!;
}

/** Runs a program, and reads its page. `undefined` where it throws, as clients do for labels that they do not know. */
async function run(text: string): Promise<ReturnType<typeof parsePage> | undefined> {
  const packages: Readonly<Record<string, unknown>> = {
    '@hdrscope/prometheus': ours,
    '@hdrscope/registry': registry,
    'node:http': { createServer: (listener: RequestListener) => createServer(listener) },
  };
  const exports: { server?: Server } = {};
  try {
    new Function('require', 'exports', text)((name: string) => packages[name] ?? require(name), exports);
  } catch {
    return undefined;
  }
  const server = exports.server!;
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
  test('is left as it is, or shows the same series', async () => {
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(program, async (text) => {
        const { after, changes } = await migrateCode(text);
        const isRefused = changes.some(({ verdict }) => verdict.outcome === 'refused');
        if (isRefused) {
          expect(after).toBe(text);
          return;
        }
        const before = await run(text);
        // A program that fails counts nothing that its migration could lose.
        if (before === undefined) return;
        moved++;
        const page = await run(after);
        expect(page?.types).toEqual(before.types);
        expect([...page!.samples.keys()].sort()).toEqual([...before.samples.keys()].sort());
        for (const [name, count] of before.samples) {
          expect([name, page!.samples.get(name)]).toEqual([name, expect.closeTo(count, 9)]);
        }
        expect((await migrateCode(after)).after).toBe(after);
      }),
      { numRuns: caseCount(60, 3000) },
    );
    expect(moved).toBeGreaterThan(5);
  }, 120_000);
});
