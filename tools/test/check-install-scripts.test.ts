import { checkInstallScripts, closureOf } from '../check-install-scripts.js';
import { workspaceRoot } from '../lib/workspace.js';
import { createTree } from './temp-tree.ts';

const LOCK = {
  '': { name: 'root' },
  'packages/good': { name: 'good', dependencies: { plain: '1', twice: '1' }, devDependencies: { tool: '1' } },
  'packages/bad': { name: 'bad', optionalDependencies: { script: '1' }, peerDependencies: { native: '1' } },
  'packages/hidden': { name: 'hidden', dependencies: { script: '1' } },
  'node_modules/good': { resolved: 'packages/good', link: true },
  'node_modules/plain': { dependencies: { twice: '2', gone: '1' } },
  'node_modules/plain/node_modules/twice': { dependencies: { good: '1' } },
  'node_modules/twice': {},
  'node_modules/tool': { hasInstallScript: true },
  'node_modules/script': { hasInstallScript: true },
  'node_modules/native': {},
};

function project(name: string, isPrivate = false): object {
  return { name, version: '1.0.0', ...(isPrivate && { private: true }) };
}

test('follows dependencies, optional ones and peers, each as Node.js finds it', () => {
  expect([...closureOf(LOCK, 'packages/good').values()]).toEqual([
    'good',
    'good > plain',
    'good > twice',
    'good > plain > twice',
  ]);
});

test('names install scripts and native code of published packages, with the way to them', () => {
  const tree = createTree({
    'package.json': { private: true, workspaces: ['packages/*'] },
    'package-lock.json': { packages: LOCK },
    'packages/good/package.json': project('good'),
    'packages/bad/package.json': project('bad'),
    'packages/hidden/package.json': project('hidden', true),
    'node_modules/native/package.json': {},
    'node_modules/native/build/a.node': '',
    'node_modules/native/node_modules/tool/b.node': '',
  });
  expect(checkInstallScripts(tree).problems).toEqual([
    'bad > script brings an install script',
    'bad > native brings native code, build/a.node',
  ]);
});

test('no published package brings any but the allowed ones', () => {
  expect(checkInstallScripts(workspaceRoot).problems).toEqual([]);
});
