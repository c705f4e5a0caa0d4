import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bundlePackage, listEntries } from '../bundle.js';
import { listProjects } from '../lib/workspace.js';
import { createTree } from './temp-tree.ts';

const condition = (module: string): object => ({
  '@hdrscope/source': `./src/${module}.ts`,
  types: `./dist/${module}.d.ts`,
  default: `./dist/${module}.js`,
});

const twoEntries = {
  'package.json': { private: true, workspaces: ['packages/*'] },
  'packages/two/package.json': {
    name: 'two',
    type: 'module',
    sideEffects: false,
    exports: {
      '.': condition('index'),
      './deep': condition('deep/index'),
      './package.json': './package.json',
    },
    imports: { '#platform': { node: condition('platform.node'), default: condition('platform.portable') } },
  },
  'packages/two/src/index.ts':
    "export { Shared } from './shared.ts';\nexport { platform } from '#platform';\n",
  'packages/two/src/deep/index.ts':
    "import { Shared } from '../shared.ts';\nexport const make = (): Shared => Shared.of(1);\nexport const later = () => import('../lazy.ts');\n",
  'packages/two/src/shared.ts':
    'export class Shared {\n  readonly #value: number;\n  constructor(value: number) {\n    this.#value = value;\n  }\n  static of(value: number): Shared {\n    return new Shared(value);\n  }\n}\n',
  'packages/two/src/lazy.ts': "export const name = 'lazy';\n",
  'packages/two/src/unused.ts': '',
  'packages/two/src/platform.node.ts': "export const platform = 'node';\n",
  'packages/two/src/platform.portable.ts': "export const platform = 'portable';\n",
};

async function bundled(files: Record<string, string | object>): Promise<string> {
  const root = createTree(files);
  for (const project of listProjects(root)) await bundlePackage(project);
  return root;
}

/** Runs code that may import the package `two`, and returns what it prints. */
function run(root: string, code: string): string {
  const args = ['--input-type=module', '--eval', code];
  return execFileSync(process.execPath, args, { cwd: join(root, 'packages/two'), encoding: 'utf8' });
}

const modulesOf = (root: string): string[] =>
  readdirSync(join(root, 'packages/two/dist'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .sort();

test('makes a file of each entry, of each module behind a condition and of shared and lazy modules', async () => {
  const root = await bundled(twoEntries);
  expect(modulesOf(root)).toEqual([
    expect.stringMatching(/^chunk-\w+\.js$/),
    'deep/index.js',
    'index.js',
    expect.stringMatching(/^lazy-\w+\.js$/),
    'platform.node.js',
    'platform.portable.js',
  ]);
});

test('keeps one copy of a class that two entries share, under its name', async () => {
  const root = await bundled(twoEntries);
  const code =
    "const [{ Shared, platform }, { make, later }] = [await import('two'), await import('two/deep')]; console.log(make() instanceof Shared, make(), platform, (await later()).name);";
  expect(run(root, code)).toBe('true Shared {} node lazy\n');
});

test('keeps constants constant and variables variable, also where two modules have equal names', async () => {
  const root = await bundled({
    ...twoEntries,
    'packages/two/src/index.ts':
      "export { Shared } from './shared.ts';\nexport { next, SIZE } from './count.ts';\nexport { other } from './other.ts';\nexport { platform } from '#platform';\n",
    'packages/two/src/count.ts':
      'export const SIZE = 2;\nlet count = 0;\nexport const next = (): number => (count += SIZE);\n',
    'packages/two/src/other.ts':
      'const SIZE = 3;\nlet count = 10;\nexport const other = (): number => (count += SIZE);\n',
  });
  const code = "const { next, other } = await import('two'); console.log(next(), next(), other(), other());";
  expect(run(root, code)).toBe('2 4 13 16\n');
  const text = readFileSync(join(root, 'packages/two/dist/index.js'), 'utf8');
  expect(
    [...text.matchAll(/^(var|const) (\w+) = /gm)].map(([, kind, name]) => `${kind} ${name}`).toSorted(),
  ).toEqual(['const SIZE', 'const SIZE2', 'const next', 'const other', 'var count', 'var count2']);
});

test('writes source maps that lead to the sources, without a copy of these', async () => {
  const root = await bundled(twoEntries);
  const dist = join(root, 'packages/two/dist');
  const maps = modulesOf(root).map((module) => ({
    folder: join(dist, dirname(module)),
    map: JSON.parse(readFileSync(join(dist, `${module}.map`), 'utf8')),
  }));
  const sources = maps.flatMap(({ folder, map }) =>
    map.sources.map((source: string) => join(folder, source)),
  );
  expect(sources.map((source) => relative(root, source)).toSorted()).toEqual(
    ['deep/index', 'index', 'lazy', 'platform.node', 'platform.portable', 'shared'].map(
      (module) => `packages/two/src/${module}.ts`,
    ),
  );
  expect(maps.filter(({ map }) => 'sourcesContent' in map)).toEqual([]);
});

test('removes the files of earlier builds, and keeps declarations whose source exists', async () => {
  const root = await bundled({
    ...twoEntries,
    'packages/two/dist/.tsbuildinfo': '',
    'packages/two/dist/index.d.ts': '',
    'packages/two/dist/index.d.ts.map': '',
    'packages/two/dist/gone.d.ts': '',
    'packages/two/dist/gone.js': '',
    'packages/two/dist/chunk-OLD.js': '',
    'packages/two/dist/empty/gone.js.map': '',
  });
  const kept = readdirSync(join(root, 'packages/two/dist'));
  expect(kept).toEqual(expect.arrayContaining(['.tsbuildinfo', 'index.d.ts', 'index.d.ts.map', 'index.js']));
  expect(kept.filter((name) => /gone|OLD|empty/.test(name))).toEqual([]);
});

test('a second build of the same sources touches no file, so programs that start meanwhile find theirs', async () => {
  const root = await bundled(twoEntries);
  const dist = join(root, 'packages/two/dist');
  const states = () =>
    readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((name) => [name, statSync(join(dist, name), { bigint: true }).mtimeNs]);
  const before = states();
  expect(before.length).toBeGreaterThan(4);
  for (const project of listProjects(root)) await bundlePackage(project);
  expect(states()).toEqual(before);
  expect(before.filter(([name]) => `${name}`.endsWith('.new'))).toEqual([]);
});

test('rejects a module that would look for its files in another folder than in the sources', async () => {
  const files = {
    ...twoEntries,
    'packages/two/src/deep/file.ts': "export const FILE: URL = new URL('../../file', import.meta.url);\n",
    'packages/two/src/deep/index.ts': "export { FILE } from './file.ts';\n",
  };
  await expect(bundled(files)).resolves.toBeDefined();
  const shared = { ...files, 'packages/two/src/index.ts': "export { FILE } from './deep/file.ts';\n" };
  await expect(bundled(shared)).rejects.toThrow(
    'packages/two/src/deep/file.ts uses import.meta.url and becomes a part of dist/',
  );
});

test('lists the modules that package.json names, main modules and workers as entries', () => {
  const root = createTree({
    ...twoEntries,
    'packages/two/src/main.ts': '',
    'packages/two/src/load-worker.ts': '',
    'packages/two/src/deep/main.ts': '',
  });
  const [project] = listProjects(root);
  expect(listEntries(project!).toSorted()).toEqual([
    'src/deep/index.ts',
    'src/index.ts',
    'src/load-worker.ts',
    'src/main.ts',
    'src/platform.node.ts',
    'src/platform.portable.ts',
  ]);
});

const thirdParty = {
  ...twoEntries,
  'packages/two/src/index.ts': "export { large } from '#large';\n",
  'packages/two/src/third-party/large.ts': "export { large } from 'large';\n",
  'packages/two/package.json': {
    ...twoEntries['packages/two/package.json'],
    imports: { '#large': condition('third-party/large') },
  },
  'node_modules/large/package.json': {
    name: 'large',
    version: '1.2.3',
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    exports: './index.js',
  },
  'node_modules/large/index.js':
    "/* Copyright of a module */\nexport { large } from './used.js';\nexport const unused = 'not used';\n",
  'node_modules/large/used.js': "// Copyright of another module\nexport const large = 'is used';\n",
  'node_modules/large/LICENSE': 'Copyright of a package\n',
};

test('puts the used part of a package of others into a file of its own, and its licence beside it', async () => {
  const root = await bundled(thirdParty);
  const dist = join(root, 'packages/two/dist');
  rmSync(join(root, 'node_modules'), { recursive: true });
  expect(run(root, "console.log((await import('two')).large);")).toBe('is used\n');
  const file = readFileSync(join(dist, 'third-party/large.js'), 'utf8');
  expect(file).toMatch(
    /^\/\*! Contains, minified: large 1\.2\.3 \(MIT\)\. Their licences: dist\/THIRD-PARTY\.txt of two\. \*\/\n/,
  );
  expect(file).not.toContain('not used');
  const notices = readFileSync(join(dist, 'THIRD-PARTY.txt'), 'utf8');
  expect(notices).toContain(
    'large 1.2.3 (MIT)\n\nCopyright of a package\n\n// Copyright of another module\n',
  );
});

test('refuses to contain a package that has no text of its licence', async () => {
  const { 'node_modules/large/LICENSE': _, ...files } = thirdParty;
  const bare = { ...files, 'node_modules/large/used.js': "export const large = 'is used';\n" };
  await expect(bundled(bare)).rejects.toThrow('large 1.2.3 (MIT) has no text of its licence');
});
