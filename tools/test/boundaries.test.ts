import { checkBoundaries } from '../check-boundaries.js';
import { createTree } from './temp-tree.ts';

const exports = { '.': './src/index.ts', './testing': './src/testing.ts', './parts/*': './src/parts/*.ts' };

function manifest(name: string, layer: string, more: object = {}): object {
  return { name, exports, nx: { tags: [`layer:${layer}`] }, ...more };
}

const anyCore = { '@x/core': '1.0.0' };
const workspace = {
  'package.json': { workspaces: ['packages/*', 'tools'], devDependencies: { 'root-tool': '1.0.0' } },
  'packages/core/package.json': manifest('@x/core', 'core', {
    peerDependencies: { fflate: '*' },
    imports: {
      '#zlib': {
        node: { source: './src/zlib.node.ts', default: './dist/zlib.node.js' },
        default: './src/zlib.ts',
      },
    },
  }),
  'packages/kit/package.json': manifest('@x/kit', 'kit', { dependencies: anyCore }),
  'packages/registry/package.json': manifest('@x/registry', 'registry', {
    dependencies: { ...anyCore, '@x/kit': '1.0.0' },
  }),
  // This is the real name, because one rule is about this package.
  'packages/otel/package.json': manifest('@hdrscope/otel', 'edge', {
    dependencies: { ...anyCore, '@x/registry': '1.0.0' },
    peerDependencies: { '@opentelemetry/sdk-metrics': '*' },
    devDependencies: { 'test-tool': '1.0.0' },
  }),
  'packages/ceph/package.json': manifest('@x/ceph', 'edge', {
    dependencies: anyCore,
    devDependencies: { '@x/testing': '1.0.0' },
  }),
  'packages/plot/package.json': manifest('@x/plot', 'view', { dependencies: anyCore }),
  'packages/page/package.json': manifest('@x/page', 'view', {
    dependencies: { ...anyCore, '@x/plot': '1.0.0', '@x/ceph': '1.0.0' },
  }),
  'packages/cli/package.json': manifest('@x/cli', 'app', {
    dependencies: { ...anyCore, '@x/ceph': '1.0.0' },
  }),
  'packages/testing/package.json': manifest('@x/testing', 'testing'),
  'tools/package.json': manifest('@x/tools', 'tool'),
};

/** The messages about one file in the workspace above. */
function messagesFor(file: string, source: string): string[] {
  const { violations } = checkBoundaries(createTree({ ...workspace, [file]: source }));
  for (const { where } of violations) expect(where).toBe(`${file}:1`);
  return violations.map(({ message }) => message);
}

test.each([
  ['packages/core/src/a.ts', "import './b.ts';"],
  ['packages/core/src/a.ts', "import '#zlib'; import 'fflate';"],
  ['packages/core/src/zlib.node.ts', "import 'node:zlib';"],
  [
    'packages/core/test/a.test.ts',
    "import 'node:fs'; import '../src/a.ts'; import '@x/core'; import 'root-tool';",
  ],
  [
    'packages/registry/src/a.ts',
    "import '@x/core/testing'; import '@x/core/parts/a'; import 'node:worker_threads';",
  ],
  ['packages/kit/src/a.ts', "import '@x/core';"],
  ['packages/registry/src/a.ts', "import '@x/kit';"],
  ['packages/otel/src/a.ts', "import '@x/core'; import '@x/registry'; import '@hdrscope/otel';"],
  ['packages/otel/src/a.ts', "import type { A } from '@opentelemetry/sdk-metrics';"],
  ['packages/otel/test/a.test.ts', "import '@opentelemetry/sdk-metrics'; import 'test-tool';"],
  ['packages/page/src/a.ts', "import '@x/core'; import '@x/plot';"],
  ['packages/ceph/test/a.test.ts', "import '@x/testing';"],
  ['packages/testing/src/a.ts', 'await import(name);'],
  ['packages/cli/src/a.ts', "import '@x/ceph'; await import(process.argv[2]);"],
  ['tools/a.js', "import './test/b.js'; import 'root-tool';"],
  // Built, installed and hidden files and fixtures are not sources.
  ['packages/core/dist/a.js', "import '@x/cli';"],
  ['packages/core/node_modules/a/index.js', "import '@x/cli';"],
  ['packages/core/.examples/a.ts', "import '@x/cli';"],
  ['packages/core/test/fixtures/a.ts', 'import from from;'],
])('allows in %s: %s', (file, source) => {
  expect(messagesFor(file, source)).toEqual([]);
});

test.each([
  ['packages/core/src/a.ts', "import '@x/registry';", 'core may import core, not @x/registry (registry)'],
  ['packages/core/src/a.ts', "import '@x/kit';", 'core may import core, not @x/kit (kit)'],
  [
    'packages/kit/src/a.ts',
    "import '@x/registry';",
    'kit may import core and kit, not @x/registry (registry)',
  ],
  [
    'packages/core/test/a.test.ts',
    "import type {} from '@x/registry';",
    'core may import core, not @x/registry',
  ],
  [
    'packages/registry/src/a.ts',
    "export * from '@x/ceph';",
    'registry may import core and kit and registry, not @x/ceph (edge)',
  ],
  [
    'packages/ceph/src/a.ts',
    "let a: import('@hdrscope/otel').A;",
    'edge may import core and kit and registry, not @hdrscope/otel',
  ],
  [
    'packages/page/src/a.ts',
    "import '@x/ceph';",
    'view may import core and kit and registry and view, not @x/ceph (edge)',
  ],
  [
    'packages/ceph/src/a.ts',
    "import '@x/testing';",
    'edge may import core and kit and registry, not @x/testing (testing)',
  ],
  [
    'packages/ceph/src/a.ts',
    "import '@x/plot';",
    'edge may import core and kit and registry, not @x/plot (view)',
  ],
  [
    'packages/ceph/src/a.ts',
    "await import('@x/cli');",
    'edge may import core and kit and registry, not @x/cli (app)',
  ],
  [
    'packages/registry/src/a.ts',
    "import '../../core/src/index.ts';",
    "'../../core/src/index.ts' leaves the package",
  ],
  ['packages/registry/src/a.ts', "import '../test/helper.ts';", "'../test/helper.ts' leaves src"],
  [
    'packages/otel/src/a.ts',
    "import { type A } from '@opentelemetry/sdk-metrics';",
    'may only be imported as `import type`',
  ],
  [
    'packages/otel/src/a.ts',
    "require('@opentelemetry/sdk-metrics/build/x');",
    'may only be imported as `import type`',
  ],
  [
    'packages/core/src/a.ts',
    "import 'node:zlib';",
    "core runs in any JavaScript runtime, so 'node:zlib' must stand behind",
  ],
  [
    'packages/core/src/a.ts',
    "import type {} from 'fs/promises';",
    "core runs in any JavaScript runtime, so 'fs/promises'",
  ],
  ['packages/core/src/zlib.ts', "import 'node:zlib';", "core runs in any JavaScript runtime, so 'node:zlib'"],
  ['packages/core/src/a.ts', 'await import(name);', 'imports a computed name'],
])('refuses in %s: %s', (file, source, message) => {
  expect(messagesFor(file, source)).toEqual([expect.stringContaining(message)]);
});

test.each([[[]], [['layer:edges']], [['layer:core', 'layer:edge']]])(
  'refuses a package with the tags %j',
  (tags) => {
    const { violations } = checkBoundaries(
      createTree({
        'package.json': { workspaces: ['packages/*'] },
        'packages/a/package.json': { name: 'a', nx: { tags } },
      }),
    );
    expect(violations).toEqual([
      {
        where: 'packages/a/package.json',
        message: 'needs one tag layer:core|kit|registry|edge|view|input|app|testing|tool|e2e in nx.tags',
      },
    ]);
  },
);
