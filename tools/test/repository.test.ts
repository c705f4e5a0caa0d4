import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeUnless, lackOfFile } from '@hdrscope/testing';
import { parse } from 'yaml';
import { listFiles, listProjects, workspaceRoot } from '../lib/workspace.js';

/** The patterns are written in parts, so that this file does not match them. */
const FORBIDDEN: [what: string, pattern: RegExp][] = [
  [
    'the path of a home or work folder',
    new RegExp(`(?<![\\w.~/-])/(${['work', 'root', 'home', 'Users'].join('|')})/[\\w.]`),
  ],
  [
    'the host of a package registry',
    new RegExp(
      [
        ['registry', 'npmjs', 'org'],
        ['registry', 'yarnpkg', 'com'],
        ['repo1', 'maven', 'org'],
        ['repo', 'maven', 'apache', 'org'],
        ['deb', 'debian', 'org'],
        ['security', 'debian', 'org'],
      ]
        .map((parts) => parts.join('\\.'))
        .join('|'),
    ),
  ],
];

/** The host that npm is configured to use on this machine. A lock file or a log may contain it. */
function configuredRegistry(): [what: string, pattern: RegExp][] {
  const url = execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    cwd: workspaceRoot,
  }).trim();
  return URL.canParse(url)
    ? [['the host of the npm registry', new RegExp(new URL(url).host.replaceAll('.', '\\.'))]]
    : [];
}

function listTrackedFiles(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  return execFileSync('git', args, { cwd: workspaceRoot, encoding: 'utf8' })
    .split('\0')
    .filter((file) => statSync(join(workspaceRoot, file), { throwIfNoEntry: false })?.isFile());
}

// Without git the files are not known.
describeUnless(lackOfFile(join(workspaceRoot, '.git')))('the files of the repository', () => {
  test('contain no registry and no folder of a machine', () => {
    const forbidden = [...FORBIDDEN, ...configuredRegistry()];
    const found = listTrackedFiles().flatMap((file) => {
      const text = readFileSync(join(workspaceRoot, file), 'latin1');
      return forbidden.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${file}: ${what}`);
    });
    expect(found).toEqual([]);
  });

  test('lock packages by version and hash, not by an address', () => {
    const { packages } = JSON.parse(readFileSync(join(workspaceRoot, 'package-lock.json'), 'utf8'));
    const addresses = Object.entries<{ resolved?: string }>(packages).filter(([, { resolved }]) =>
      resolved?.includes(':'),
    );
    expect(addresses).toEqual([]);
  });
});

describe('a published package', () => {
  const published = listProjects(workspaceRoot).filter(({ manifest }) => manifest.private !== true);
  const license = readFileSync(join(workspaceRoot, 'LICENSE'), 'utf8');

  test.each(published.map(({ path }) => path))(
    '%s says whose it is, where it comes from and what it is for',
    (path) => {
      const manifest = JSON.parse(readFileSync(join(workspaceRoot, path, 'package.json'), 'utf8'));
      expect(manifest).toMatchObject({
        license: path === 'packages/ebpf' ? 'Apache-2.0 AND GPL-2.0-only' : 'Apache-2.0',
        homepage: `https://github.com/hdrscope/hdrscope/tree/main/${path}#readme`,
        bugs: 'https://github.com/hdrscope/hdrscope/issues',
        repository: { type: 'git', url: 'git+https://github.com/hdrscope/hdrscope.git', directory: path },
      });
      expect(manifest.description).toMatch(/^[A-Z].*\.$/);
      expect(manifest.keywords.length).toBeGreaterThanOrEqual(3);
      expect(readFileSync(join(workspaceRoot, path, 'LICENSE'), 'utf8')).toBe(license);
    },
  );
});

test('the workflow runs what a contributor runs, on three systems and two versions of Node.js', () => {
  const { jobs } = parse(readFileSync(join(workspaceRoot, '.github/workflows/check.yml'), 'utf8'));
  const { engines } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8'));
  const oldest = engines.node.replace('>=', '');
  expect(jobs.linux.container).toBe(`node:${oldest}-bookworm`);
  expect(jobs.linux.steps.at(-1).run).toBe('bash .ci/run');
  expect(jobs.systems.strategy.matrix).toEqual({
    system: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [oldest, '24'],
  });
  expect(jobs.systems.steps.at(-1).run).toBe('npm run check');
  expect(readFileSync(join(workspaceRoot, '.nvmrc'), 'utf8').trim()).toBe(`${oldest}.0`);
});

test('a law that has more cases in the long run is part of it', () => {
  const missing = listProjects(workspaceRoot).flatMap(({ dir, path }) => {
    const files = listFiles(join(dir, 'test'), /\.test\.ts$/);
    const textOf = (file: string): string => readFileSync(join(dir, 'test', file), 'utf8');
    const long = files.filter((file) => file.endsWith('.long.test.ts'));
    const imported = new Set(
      long.flatMap((file) =>
        [...textOf(file).matchAll(/^import '(.+)';$/gm)].map(([, name = '']) => join(dirname(file), name)),
      ),
    );
    return files
      .filter((file) => !long.includes(file) && !imported.has(file))
      .filter((file) => /^import .*testing\/case-count';$/m.test(textOf(file)))
      .map((file) => `${path}/test/${file}`);
  });
  expect(missing).toEqual([]);
});
