import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCounts, RESULTS_FILE } from '../lib/counts.js';
import type { Project } from '../lib/workspace.js';
import { workspaceRoot } from '../lib/workspace.js';
import { collectCounts, selectProjects } from '../run-tests.js';
import { createTree } from './temp-tree.ts';

function projectAt(path: string, root = '/'): Project {
  const name = `@x/${path.replace('packages/', '')}`;
  return { name, path, dir: join(root, path), manifest: { name } };
}

describe('the arguments of npm test', () => {
  const projects = [projectAt('packages/core'), projectAt('packages/otel'), projectAt('tools')];

  test.each([
    [[], ['@x/core', '@x/otel', '@x/tools'], []],
    [['core'], ['@x/core'], []],
    [['@x/otel', 'tools', 'packages/core'], ['@x/otel', '@x/tools', '@x/core'], []],
    [['core', '-t', 'merge twice'], ['@x/core'], ['-t', 'merge twice']],
    [['-u'], ['@x/core', '@x/otel', '@x/tools'], ['-u']],
    [['core', '--', 'layout'], ['@x/core'], ['layout']],
  ])('%j', (args, names, jestArgs) => {
    const { selected, ...rest } = selectProjects(args, projects);
    expect(selected.map(({ name }) => name)).toEqual(names);
    expect(rest).toEqual({ jestArgs });
  });

  test('a project that has no tests is refused by name', () => {
    expect(() => selectProjects(['croe'], projects)).toThrow(
      "no project 'croe' has tests, only core, otel, tools",
    );
  });
});

test('a project without results counts as one failure', () => {
  const root = createTree({
    [`packages/a/${RESULTS_FILE}`]: { passed: 5, failed: 1, skipped: 2 },
    'packages/b/x': '',
  });
  const absent = projectAt('packages/b', root);
  expect(collectCounts([projectAt('packages/a', root), absent])).toEqual({
    counts: { passed: 5, failed: 2, skipped: 2 },
    missing: [absent],
  });
});

test('the last line names skipped tests only where there are any', () => {
  expect(formatCounts({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  expect(formatCounts({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});

describe('a run of Jest in a package', () => {
  /** Runs the package's tests over the results of an earlier run. */
  function runPackage(files: Record<string, string>, ...args: string[]) {
    const root = createTree({
      'package.json': { type: 'module' },
      [RESULTS_FILE]: { passed: 1000, failed: 0, skipped: 0 },
      ...files,
    });
    const { status, stdout } = spawnSync(process.execPath, [join(workspaceRoot, 'tools/jest.js'), ...args], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' },
    });
    const counts =
      existsSync(join(root, RESULTS_FILE)) && JSON.parse(readFileSync(join(root, RESULTS_FILE), 'utf8'));
    return { status, stdout, counts };
  }

  test('shows failures in full, and the names and reasons of skipped tests', () => {
    const { status, stdout, counts } = runPackage({
      'test/a.test.ts': [
        "test('holds', () => {});",
        "test('does not hold', () => { expect(1 + 1).toBe(3); });",
        "console.log('skipped: the collector is absent');",
        "test.skip('sends to a collector', () => {});",
        "test.todo('sends to two');",
      ].join('\n'),
      'test/b.test.ts': "test('holds too', () => {});",
    });
    expect({ status, counts }).toEqual({ status: 1, counts: { passed: 2, failed: 1, skipped: 2 } });
    expect(stdout).toMatch(/^FAIL \S+test\/a\.test\.ts: 1 passed, 1 failed, 2 skipped/m);
    expect(stdout).toMatch(/^ok {3}\S+test\/b\.test\.ts: 1 passed, 0 failed \(/m);
    expect(stdout).toContain('Expected: 3\n    Received: 2');
    expect(stdout).toMatch(
      /skipped: sends to a collector\n.*skipped: sends to two\n.*\| skipped: the collector is absent/,
    );
  });

  test('counts a file that does not load as a failure', () => {
    const { status, counts } = runPackage({
      'test/a.test.ts': "import './missing.ts'; test('never runs', () => {});",
      'test/b.test.ts': "test('does not parse', ( => {});",
      'test/c.test.ts': "test('holds', () => {});",
    });
    expect({ status, counts }).toEqual({ status: 1, counts: { passed: 1, failed: 2, skipped: 0 } });
  });

  test('fails when there is no test', () => {
    expect(runPackage({})).toMatchObject({ status: 1, counts: { passed: 0, failed: 1, skipped: 0 } });
  });

  test('fails when Jest itself fails', () => {
    const { status, counts } = runPackage({ 'test/a.test.ts': "test('holds', () => {});" }, '--nonsense');
    expect({ status, counts }).toEqual({ status: 1, counts: { passed: 0, failed: 1, skipped: 0 } });
  });

  test('does not count tests that the arguments leave out', () => {
    const files = { 'test/a.test.ts': "test('holds', () => {}); test('holds too', () => {});" };
    expect(runPackage(files, '-t', 'holds too')).toMatchObject({
      status: 0,
      counts: { passed: 1, failed: 0, skipped: 1 },
    });
  });
});
