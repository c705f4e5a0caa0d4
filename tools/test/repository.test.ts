import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../lib/workspace.js';

const isCheckout = existsSync(join(workspaceRoot, '.git'));
if (!isCheckout) console.log('skipped: this is not a git checkout, so its files are not known');
const inCheckout = isCheckout ? describe : describe.skip;

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

inCheckout('the files of the repository', () => {
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
