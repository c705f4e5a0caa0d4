import { foldersOfUsers, judgeAudit } from '../audit.js';
import { createTree } from './temp-tree.ts';

test('users get dependencies, and what files contain, but no tools', () => {
  const tree = createTree({
    'package.json': { workspaces: ['packages/*'] },
    'package-lock.json': {
      packages: {
        'packages/plot': { dependencies: { yaml: '1' }, devDependencies: { echarts: '6', jest: '30' } },
        'node_modules/yaml': {},
        'node_modules/echarts': { dependencies: { tslib: '2' } },
        'node_modules/echarts/node_modules/tslib': {},
        'node_modules/jest': {},
      },
    },
    'packages/plot/package.json': { name: 'plot' },
    'packages/plot/dist/THIRD-PARTY.txt': 'Files of others.\n\necharts 6.1.0 (Apache-2.0)\n',
  });
  const inEcharts = ['node_modules/echarts', 'node_modules/echarts/node_modules/tslib'];
  expect([...foldersOfUsers(tree)]).toEqual(['packages/plot', 'node_modules/yaml', ...inEcharts]);
});

test('what users get must have no vulnerability of high severity; a registry without an answer is named', () => {
  const folders = new Set(['node_modules/yaml']);
  const judge = (severity: string, folder: string) =>
    judgeAudit({ vulnerabilities: { one: { severity, nodes: [`node_modules/${folder}`] } } }, folders);
  expect(judge('high', 'yaml')).toEqual({ text: 'one (high): see npm audit', ok: false });
  expect(judge('critical', 'yaml').ok).toBe(false);
  expect([judge('moderate', 'yaml').ok, judge('critical', 'jest').ok]).toEqual([true, true]);
  expect(judgeAudit({ statusCode: 405 }, folders)).toEqual({
    text: 'not run, because the registry answers with status 405',
    ok: true,
  });
  expect(judgeAudit({}, folders).text).toBe('not run, because the registry gives no answer');
});
