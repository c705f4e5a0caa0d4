import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lackOfProgram, testUnless } from '@hdrscope/testing';
import { checkPackaging } from '../check-packaging.js';
import { packInto } from '../release/pack.js';
import { createTree } from './temp-tree.ts';

// Packages are unpacked.
const testPacked = testUnless(lackOfProgram('tar'));

const root = { 'package.json': { private: true, workspaces: ['packages/*'] } };

function manifest(name: string, more: object = {}): object {
  const exports = {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  };
  return { name, version: '1.0.0', type: 'module', files: ['dist', 'src'], exports, ...more };
}

const good = {
  'packages/good/package.json': manifest('good'),
  'packages/good/README.md': '',
  'packages/good/LICENSE': '',
  'packages/good/src/index.ts': 'export function one(): number { return 1; }',
  'packages/good/test/index.test.ts': '',
  'packages/good/dist/index.js': 'export function one() { return 1; }',
  'packages/good/dist/index.d.ts': 'export declare function one(): number;',
};

testPacked(
  'accepts a package that has sources, a build, a README and types, and that loads both ways',
  async () => {
    const user = {
      ...good,
      'packages/user/package.json': manifest('user', { dependencies: { good: '1.0.0' } }),
      'packages/user/README.md': '',
      'packages/user/LICENSE': '',
      'packages/user/src/index.ts': "export { one } from 'good';",
      'packages/user/dist/index.js': "export { one } from 'good';",
      'packages/user/dist/index.d.ts': "export { one } from 'good';",
      'packages/unpublished/package.json': manifest('unpublished', { private: true }),
    };
    const tree = createTree({ ...root, ...user });
    expect(await checkPackaging(tree)).toEqual({ packages: 2, problems: [] });
    expect(await checkPackaging(tree, ['good'])).toEqual({ packages: 1, problems: [] });
    expect(await checkPackaging(tree, ['other'])).toEqual({
      packages: 0,
      problems: ['no package other is published'],
    });
    expect(existsSync(join(tree, '.packed'))).toBe(false);
  },
);

testPacked('requires the scripts for browsers, and accepts no others', async () => {
  const files = Object.entries(good).map(([path, content]) => [path.replace('/good/', '/plot/'), content]);
  const plot = { ...Object.fromEntries(files), 'packages/plot/package.json': manifest('plot') };
  const bundled = { 'packages/plot/dist/browser/plot.js': '', 'packages/plot/dist/browser/other.js': '' };
  expect((await checkPackaging(createTree({ ...root, ...plot, ...bundled }))).problems).toEqual([
    'plot: dist/browser/other.js is left over: delete packages/plot/dist and build again',
  ]);
  expect((await checkPackaging(createTree({ ...root, ...plot }))).problems).toEqual([
    'plot: dist/browser/plot.js is missing: node tools/bundle.js',
  ]);
});

testPacked('names missing, unwanted and stale files of a package', async () => {
  const {
    'packages/good/README.md': _readme,
    'packages/good/LICENSE': _license,
    'packages/good/dist/index.d.ts': _types,
    ...rest
  } = good;
  const tree = createTree({
    ...root,
    ...rest,
    'packages/good/package.json': manifest('good', {
      files: ['dist', 'src', 'notes.txt'],
      bin: { good: './bin/good.js' },
      imports: { '#zlib': { node: './dist/zlib.node.js', default: './dist/index.js' } },
    }),
    'packages/good/notes.txt': '',
    'packages/good/dist/.tsbuildinfo': '',
    'packages/good/dist/renamed.js': '',
  });
  expect((await checkPackaging(tree)).problems).toEqual([
    'good: README.md is missing',
    'good: LICENSE is missing',
    'good: dist/.tsbuildinfo does not belong in the package',
    'good: notes.txt does not belong in the package',
    expect.stringMatching(
      /^good: dist\/renamed\.js is left over: delete .*packages\/good\/dist and build again$/,
    ),
    'good: dist/zlib.node.js is named in package.json and is missing',
    expect.stringMatching(/^good: publint refuses it: .*\.\/dist\/index\.d\.ts but the file does not exist/),
    expect.stringMatching(/^good: publint refuses it: .*\.\/bin\/good\.js but the file does not exist/),
    expect.stringMatching(/^good: attw refuses it: .*UntypedResolution.*node16-esm/),
    expect.stringMatching(/^good: attw refuses it: .*UntypedResolution.*bundler/),
    expect.stringMatching(/TS7016: Could not find a declaration file for module 'good'/),
  ]);
});

testPacked(
  'accepts modules that an entry imports, and names maps and declarations without their sources',
  async () => {
    const tree = createTree({
      ...root,
      ...good,
      'packages/good/dist/index.js':
        'export { one } from \'./chunk.js\';\nconst load = () => import("./lazy.js");',
      'packages/good/dist/chunk.js': "import './folder/deep.js';\nexport const one = () => 1;",
      'packages/good/dist/lazy.js': '',
      'packages/good/dist/folder/deep.js': "import '../lazy.js';",
      'packages/good/dist/index.js.map': { sources: ['../src/index.ts', '../src/gone.ts'] },
      'packages/good/dist/old-chunk.js': '',
      'packages/good/dist/old-chunk.js.map': { sources: [] },
      'packages/good/dist/index.d.ts': "import './gone.ts';\nexport declare function one(): number;",
      'packages/good/dist/gone.d.ts': '',
    });
    expect((await checkPackaging(tree)).problems.toSorted()).toEqual([
      'good: dist/gone.d.ts is left over: delete packages/good/dist and build again',
      'good: dist/index.js.map leads to ../src/gone.ts, which is missing',
      'good: dist/old-chunk.js is left over: delete packages/good/dist and build again',
      'good: dist/old-chunk.js.map is left over: delete packages/good/dist and build again',
    ]);
  },
);

testPacked.each([
  ["import 'not-there';", /^good: .*Cannot find package 'not-there'/s],
  ['export const one = await 1;', /^good: .*ERR_REQUIRE_ASYNC_MODULE/s],
])('refuses a package that does not load: %s', async (code, message) => {
  const { problems } = await checkPackaging(
    createTree({ ...root, ...good, 'packages/good/dist/index.js': code }),
  );
  expect(problems).toContainEqual(expect.stringMatching(message));
});

testPacked('names functions whose result a library cannot declare', async () => {
  const hidden = {
    'packages/good/src/hidden.ts': 'export interface Hidden { a: number }',
    'packages/good/dist/hidden.d.ts': 'export interface Hidden { a: number }',
    'packages/good/dist/index.d.ts':
      "import type { Hidden } from './hidden.js';\nexport declare function one(): Hidden;",
  };
  const problem = expect.stringMatching(/'one\d' cannot be named without a reference to 'Hidden'/);
  expect((await checkPackaging(createTree({ ...root, ...good, ...hidden }))).problems).toEqual([problem]);

  // Another package that knows the type gives it no name.
  const internal = { types: './dist/hidden.d.ts', default: './dist/hidden.js' };
  const files = Object.entries(good).map(([path, content]) => [path.replace('/good/', '/user/'), content]);
  const both = {
    ...good,
    ...hidden,
    'packages/good/package.json': manifest('good', {
      exports: {
        './internal': internal,
        '.': { types: './dist/index.d.ts', default: './dist/index.js' },
        './package.json': './package.json',
      },
    }),
    'packages/good/dist/hidden.js': '',
    ...Object.fromEntries(files),
    'packages/user/package.json': manifest('user', { dependencies: { good: '1.0.0' } }),
    'packages/user/dist/index.d.ts':
      "import type { Hidden } from 'good/internal';\nexport declare function two(known: Hidden): number;",
    'packages/user/dist/index.js': 'export function two() { return 2; }',
  };
  expect((await checkPackaging(createTree({ ...root, ...both }))).problems).toEqual([problem]);
});

testPacked.each([
  ['import "not-there";', /^no results of functions are checked: .*Cannot find package 'not-there'/s],
  ['export const one = 1;', /^no results of functions are checked: no entry exports a function$/],
])('refuses packages with no function whose result it could check: %s', async (code, message) => {
  const { problems } = await checkPackaging(
    createTree({ ...root, ...good, 'packages/good/dist/index.js': code }),
  );
  expect(problems).toContainEqual(expect.stringMatching(message));
});

test('asks for a build first', async () => {
  const tree = createTree({ ...root, 'packages/good/package.json': manifest('good') });
  expect(await checkPackaging(tree)).toEqual({ packages: 0, problems: ['good is not built: npm run build'] });
});

testPacked(
  'packs the declarations that an entry needs, directly or not, and leaves the others in dist',
  () => {
    const folder = 'packages/good/dist';
    const tree = createTree({
      ...root,
      ...good,
      'packages/good/src/one.ts': 'export interface One { two: Two }',
      'packages/good/src/two.ts': 'export interface Two {}',
      'packages/good/src/alone.ts': 'export interface Alone {}',
      [`${folder}/index.d.ts`]:
        "export type { One } from './one.ts';\nexport declare function one(): number;",
      [`${folder}/one.d.ts`]: "import type { Two } from './deep/two.js';\nexport interface One { two: Two }",
      [`${folder}/deep/two.d.ts`]: "export interface Two { one?: import('../one.js').One }",
      [`${folder}/deep/alone.d.ts`]: 'export interface Alone {}',
    });
    const [tarball = ''] = packInto(tree, join(tree, 'packed'));
    const packed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
    expect(packed.match(/[\w/]+\.d\.ts/g)?.sort()).toEqual(
      ['deep/two', 'index', 'one'].map((module) => `package/dist/${module}.d.ts`),
    );
    expect(packed).not.toContain('.npmignore');
    expect(existsSync(join(tree, folder, 'deep/alone.d.ts'))).toBe(true);
  },
);

testPacked('refuses public types that need a bundled package, which users do not have', () => {
  const tree = createTree({
    ...root,
    ...good,
    'packages/good/dist/index.d.ts': "export { one } from './one.ts';",
    'packages/good/dist/one.d.ts': "import type * as z from '#zod';\nexport declare const one: z.ZodType;",
  });
  expect(() => packInto(tree, join(tree, 'packed'))).toThrow('must not import #zod');
});

testPacked('packs all declarations that a pattern of an entry names', () => {
  const exports = { './dist/*': { types: './dist/*.d.ts', default: './dist/*.js' } };
  const tree = createTree({
    ...root,
    ...good,
    'packages/good/package.json': manifest('good', { exports }),
    'packages/good/dist/other.d.ts': 'export interface Other {}',
  });
  const [tarball = ''] = packInto(tree, join(tree, 'packed'));
  const packed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  expect(packed.match(/[\w/]+\.d\.ts/g)?.sort()).toEqual(
    ['index', 'other'].map((module) => `package/dist/${module}.d.ts`),
  );
});
