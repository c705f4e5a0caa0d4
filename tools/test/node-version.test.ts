import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lackOfBuild, testUnless } from '@hdrscope/testing';
import { workspaceRoot } from '../lib/workspace.js';

const { scripts, engines } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};
const [, oldest] = /^>=([\d.]+)$/.exec(engines.node)!;

/** Runs a program as a Node.js of another version would, as far as the program asks for the version. */
function runAs(version: string, args: readonly string[]): { status: number | null; stderr: string } {
  const versions = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;
  return spawnSync(process.execPath, ['--import', `data:text/javascript,${versions}`, ...args], {
    cwd: workspaceRoot,
    encoding: 'utf8',
    timeout: 30_000,
  });
}

// Programs of others, which the scripts start, have their own requirements.
const started = Object.entries(scripts).filter(([, command]) => command.startsWith('node '));

test.each(started)('npm run %s ends with one sentence in an old Node.js', (_, command) => {
  const [first = ''] = command.split(' && ');
  const { status, stderr } = runAs('18.20.8', first.split(' ').slice(1));
  expect(stderr).toMatch(
    new RegExp(`^Node\\.js 18\\.20\\.8 is too old for hdrscope: install ${oldest} or newer from \\S+\\n$`),
  );
  expect(status).toBe(1);
});

test.each(['16.20.2', '20.18.3'])('the command ends with one sentence in Node.js %s', (version) => {
  const { status, stderr } = runAs(version, ['packages/cli/bin/hdrscope.js', 'log', 'summary', 'a.hlog']);
  expect(stderr).toMatch(
    new RegExp(`^hdrscope: Node\\.js ${version} is too old: install ${oldest} or newer from \\S+\\n$`),
  );
  expect(status).toBe(1);
});

testUnless(lackOfBuild('otel'))('register warns once in an old Node.js, and lets the application run', () => {
  const register = join(workspaceRoot, 'packages/otel/dist/register/index.js');
  const { status, stderr } = runAs('18.20.8', ['--import', register, '--eval', '0']);
  expect(stderr).toContain(
    `[HDRSCOPE_OLD_NODE] hdrscope: Node.js 18.20.8 is too old for @hdrscope/otel/register: install ${oldest} or newer`,
  );
  expect(status).toBe(0);
});
