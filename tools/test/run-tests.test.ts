import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCounts, formatSkips, RESULTS_FILE, SUMMARY } from '../lib/counts.js';
import type { Project } from '../lib/workspace.js';
import { listFiles, listProjects, workspaceRoot } from '../lib/workspace.js';
import { collectResults, listSkippedFiles, runAgain, selectProjects } from '../run-tests.js';
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

test('the examples of CONTRIBUTING name projects and tests that exist', () => {
  const text = readFileSync(join(workspaceRoot, 'CONTRIBUTING.md'), 'utf8');
  const examples = [...text.matchAll(/^npm test -- ([^#\n]+)/gm)].map(([, args = '']) =>
    args.trim().split(' '),
  );
  expect(examples.length).toBeGreaterThan(0);
  for (const args of examples) {
    const { selected, jestArgs } = selectProjects(args, listProjects(workspaceRoot));
    expect(jestArgs[0]).toBe('-t');
    const title = new RegExp(`\\b(test|describe)\\(\\s*['"\`].*${jestArgs[1]}`, 'i');
    for (const { dir } of selected) {
      const files = listFiles(join(dir, 'test'), /\.test\.ts$/);
      expect(files.some((file) => title.test(readFileSync(join(dir, 'test', file), 'utf8')))).toBe(true);
    }
  }
});

test('a project without results counts as one failure', () => {
  const root = createTree({
    [`packages/a/${RESULTS_FILE}`]: {
      passed: 5,
      failed: 1,
      skipped: 2,
      skips: [{ reason: 'why', files: ['x'] }],
    },
    'packages/b/x': '',
  });
  const [present, absent] = [projectAt('packages/a', root), projectAt('packages/b', root)];
  expect(collectResults([present, absent])).toEqual({
    all: [
      {
        project: present,
        results: { passed: 5, failed: 1, skipped: 2, skips: [{ reason: 'why', files: ['x'] }] },
      },
      { project: absent, results: { passed: 0, failed: 1, skipped: 0 } },
    ],
    missing: [absent],
  });
});

test('after a run elsewhere, the files that skipped a test there run again, and those it had left out', () => {
  const skips = [
    { reason: 'there is no java', files: ['a/test/peers/java.test.ts', 'a/test/both.test.ts'] },
    { reason: 'there is no kernel', files: ['a/test/both.test.ts', 'b/test/whole.test.ts'] },
  ];
  const clone = createTree({ [`packages/a/${RESULTS_FILE}`]: { passed: 5, failed: 0, skipped: 3, skips } });
  const root = createTree({
    'packages/a/test/peers/java.test.ts': '',
    'packages/a/test/both.test.ts': '',
    'packages/a/test/whole.test.ts': '',
    'packages/a/test/first.walk.test.ts': '',
    'packages/a/test/laws.long.test.ts': '',
    'packages/a/test/spark.peer.test.ts': '',
    'packages/a/test/helper.ts': '',
  });
  const dir = join(root, 'packages/a');
  expect(listSkippedFiles(projectAt('packages/a', root), clone, 'with-walks')).toEqual(
    ['both.test.ts', 'first.walk.test.ts', 'peers/java.test.ts'].map((file) => join(dir, 'test', file)),
  );
});

describe('files that failed run once more alone', () => {
  const failedFile = (file: string) => ({ file, passed: 4, failed: 2, skipped: 1 });
  const projectWith = (files: string[]) => ({
    project: projectAt('packages/a'),
    results: { passed: 50, failed: 2 * files.length, skipped: 3, failedFiles: files.map(failedFile) },
  });

  test('the second counts replace the first, and what passes alone is named', () => {
    const project = projectWith(['test/slow.test.ts', 'test/wrong.test.ts']);
    const unsteady = runAgain([project], (dir, file) => {
      expect(dir).toBe('/packages/a');
      return { passed: file.includes('slow') ? 6 : 5, failed: file.includes('slow') ? 0 : 1, skipped: 1 };
    });
    expect(unsteady).toEqual(['packages/a/test/slow.test.ts']);
    expect(project.results).toMatchObject({ passed: 53, failed: 1, skipped: 3 });
  });

  test('a file that runs no test the second time keeps its failures', () => {
    const project = projectWith(['test/gone.test.ts']);
    expect(runAgain([project], () => ({ passed: 0, failed: 0, skipped: 7 }))).toEqual([]);
    expect(project.results).toMatchObject({ passed: 50, failed: 2, skipped: 3 });
  });

  test('many failed files are the fault of the change and do not run again', () => {
    const project = projectWith(Array.from({ length: 7 }, (_, i) => `test/${i}.test.ts`));
    expect(
      runAgain([project], () => {
        throw new Error('ran again');
      }),
    ).toEqual([]);
    expect(project.results.failed).toBe(14);
  });
});

test('skips with the same reason are one line, which names three files at most', () => {
  const skips = ['c', 'a', 'd', 'b', 'a'].map((file) => ({ reason: 'there is no kernel', files: [file] }));
  expect(formatSkips([...skips, { reason: 'it is dark', files: ['e'] }])).toEqual([
    'skipped:',
    '  it is dark (e)',
    '  there is no kernel (a, b, c and 1 more)',
  ]);
  expect(formatSkips([])).toEqual([]);
});

test('the last line names skipped tests only when tests were skipped', () => {
  expect(formatCounts({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  expect(formatCounts({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});

describe('a run of Jest in a package', () => {
  /** Runs the tests of a package that has the results of an earlier run. */
  function runPackage(files: Record<string, string>, ...args: string[]) {
    return runPackageWith({}, files, ...args);
  }

  function runPackageWith(env: Record<string, string>, files: Record<string, string>, ...args: string[]) {
    const root = createTree({
      'package.json': { type: 'module' },
      [RESULTS_FILE]: { passed: 1000, failed: 0, skipped: 0 },
      ...files,
    });
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(workspaceRoot, 'tools/jest.js'), '--runInBand', ...args],
      {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, [SUMMARY]: undefined, FORCE_COLOR: '0', ...env },
      },
    );
    const counts =
      existsSync(join(root, RESULTS_FILE)) && JSON.parse(readFileSync(join(root, RESULTS_FILE), 'utf8'));
    return { status, stdout, counts };
  }

  const mixedFiles = {
    'test/a.test.ts': [
      "test('holds', () => {});",
      "test('does not hold', () => { expect(1 + 1).toBe(3); });",
      "console.log('skipped: the collector is absent');",
      "test.skip('sends to a collector', () => {});",
      "test.todo('sends to two');",
    ].join('\n'),
    'test/b.test.ts': "test('holds too', () => {}); test.skip('reads a map (there is no kernel)', () => {});",
  };

  test('shows failures in full, and the reasons of skipped tests', () => {
    const { status, stdout, counts } = runPackage(mixedFiles);
    expect({ status, counts }).toMatchObject({ status: 1, counts: { passed: 2, failed: 1, skipped: 3 } });
    expect(stdout).toMatch(/^FAIL \S+test\/a\.test\.ts: 1 passed, 1 failed, 2 skipped/m);
    expect(stdout).toMatch(/^ok {3}\S+test\/b\.test\.ts: 1 passed, 0 failed, 1 skipped \(/m);
    expect(stdout).toContain('Expected: 3\n    Received: 2');
    expect(stdout).toMatch(
      /^skipped:\n {2}the collector is absent \(\S+a\.test\.ts\)\n {2}there is no kernel \(\S+b\.test\.ts\)$/m,
    );
  });

  test('prints failures and one line for the project where npm test runs it', () => {
    const { stdout, counts } = runPackageWith({ [SUMMARY]: '1' }, mixedFiles);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => line.startsWith('ok'))).toEqual([]);
    expect(lines[0]).toMatch(/^FAIL \S+test\/a\.test\.ts: 1 passed, 1 failed, 2 skipped/);
    expect(lines.at(-1)).toMatch(/^FAIL [^/\s]+: 2 passed, 1 failed, 3 skipped \(/);
    expect(counts.skips).toMatchObject([
      { reason: 'the collector is absent' },
      { reason: 'there is no kernel' },
    ]);
  });

  describe('tests that need what the machine does not have', () => {
    const needs = join(workspaceRoot, 'packages/testing/src/needs.ts');
    const files = {
      'test/a.test.ts': [
        `import { describeUnless, lack, lackOfProgram, testUnless } from '${needs}';`,
        "describeUnless(lackOfProgram('no-such-program'))('a block', () => { throw new Error('the body ran'); });",
        "testUnless(lack('light', 'it is dark'))('a test', () => { throw new Error('the test ran'); });",
        "testUnless(undefined, lack('light', undefined))('another', () => {});",
      ].join('\n'),
    };

    test('name the reason in each file, though one process runs them', () => {
      const test = `import { lack, testUnless } from '${needs}'; testUnless(lack('light', 'it is dark'))('x', () => {});`;
      const more = { 'test/a.test.ts': test, 'test/b.test.ts': test };
      const { stdout } = runPackageWith({ HDRSCOPE_REQUIRE_PEERS: '' }, more);
      expect(stdout).toMatch(/^ {2}it is dark \(\S+a\.test\.ts, \S+b\.test\.ts\)$/m);
      expect(stdout).not.toContain('no reason is printed');
    });

    test('are skipped with the reason, and the body of a block does not run', () => {
      const { stdout, counts } = runPackageWith({ HDRSCOPE_REQUIRE_PEERS: '' }, files);
      expect(counts).toMatchObject({ passed: 1, failed: 0, skipped: 2 });
      expect(stdout).toContain('  it is dark (');
      expect(stdout).toContain('  there is no no-such-program in the PATH (');
    });

    test('fail where it is required', () => {
      const { stdout, counts } = runPackageWith({ HDRSCOPE_REQUIRE_PEERS: 'light,no-such-program' }, files);
      expect(counts).toMatchObject({ passed: 1, failed: 2, skipped: 0 });
      expect(stdout).toContain('HDRSCOPE_REQUIRE_PEERS requires light, and it is dark');
      expect(stdout).not.toMatch(/the (body|test) ran/);
    });
  });

  test('ends the processes that a test file leaves', () => {
    const { stdout, counts } = runPackage({
      'test/a.test.ts': [
        "import { spawn } from 'node:child_process';",
        "test('fails', () => {",
        "  const { pid } = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 300_000)']);",
        "  throw new Error('process ' + pid + '.');",
        '});',
      ].join('\n'),
    });
    expect(counts).toMatchObject({ failed: 1 });
    const [, pid] = /process (\d+)\./.exec(stdout)!;
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });

  test('counts a file that does not load as a failure', () => {
    const { status, counts } = runPackage({
      'test/a.test.ts': "import './missing.ts'; test('never runs', () => {});",
      'test/b.test.ts': "test('does not parse', ( => {});",
      'test/c.test.ts': "test('holds', () => {});",
    });
    expect({ status, counts }).toMatchObject({ status: 1, counts: { passed: 1, failed: 2, skipped: 0 } });
  });

  test('fails when there is no test', () => {
    expect(runPackage({})).toMatchObject({ status: 1, counts: { passed: 0, failed: 1, skipped: 0 } });
  });

  test('fails when Jest itself fails', () => {
    const { status, counts } = runPackage({ 'test/a.test.ts': "test('holds', () => {});" }, '--nonsense');
    expect({ status, counts }).toMatchObject({ status: 1, counts: { passed: 0, failed: 1, skipped: 0 } });
  });

  test('does not count tests that the arguments leave out', () => {
    const files = { 'test/a.test.ts': "test('holds', () => {}); test('holds too', () => {});" };
    expect(runPackage(files, '-t', 'holds too')).toMatchObject({
      status: 0,
      counts: { passed: 1, failed: 0, skipped: 1 },
    });
  });
});
