/**
 * Asks the registry for known vulnerabilities of what users get: what `npm install` brings them, peers included, and the packages of
 * others that our files contain, which npm takes for tools of ours. Needs the `dist` folders. Fails for high and critical ones. A
 * registry that has no answer, such as a mirror, is no failure.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closureOf } from './check-install-scripts.js';
import { NOTICES } from './lib/notices.js';
import { isMain, listProjects, workspaceRoot } from './lib/workspace.js';

/** The folders of what users get. @param {string} root */
export function foldersOfUsers(root) {
  const { packages: lock } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return new Set(
    listProjects(root)
      .filter(({ manifest }) => manifest.private !== true)
      .flatMap(({ path, dir }) => {
        const notices = join(dir, 'dist', NOTICES);
        const text = existsSync(notices) ? readFileSync(notices, 'utf8') : '';
        const contained = [...text.matchAll(/^(\S+) \d\S* \(/gm)].map(([, name]) => `node_modules/${name}`);
        return [path, ...contained].flatMap((start) => [...closureOf(lock, start).keys()]);
      }),
  );
}

/**
 * What the answer of `npm audit --json` means.
 *
 * @param {{ statusCode?: number, vulnerabilities?: Record<string, { severity: string, nodes: string[] }> }} answer
 * @param {ReadonlySet<string>} folders
 */
export function judgeAudit({ statusCode, vulnerabilities }, folders) {
  // The message of npm has the address of the registry.
  const reason = statusCode === undefined ? 'gives no answer' : `answers with status ${statusCode}`;
  if (vulnerabilities === undefined) return { text: `not run, because the registry ${reason}`, ok: true };
  const found = Object.entries(vulnerabilities)
    .filter(
      ([, { severity, nodes }]) => /high|critical/.test(severity) && nodes.some((one) => folders.has(one)),
    )
    .map(([name, { severity }]) => `${name} (${severity})`);
  if (found.length === 0) return { text: `nothing high or critical in ${folders.size} packages`, ok: true };
  return { text: `${found.join(', ')}: see npm audit`, ok: false };
}

if (isMain(import.meta)) {
  const flags = ['audit', '--json', '--fetch-retries=0', '--fetch-timeout=30000'];
  const { stdout } = spawnSync('npm', flags, { cwd: workspaceRoot, encoding: 'utf8' });
  const { text, ok } = judgeAudit(JSON.parse(stdout || '{}'), foldersOfUsers(workspaceRoot));
  console.log(`npm audit: ${text}`);
  process.exitCode = ok ? 0 : 1;
}
