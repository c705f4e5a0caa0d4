import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { BuiltPackages } from '@hdrscope/testing';
import { workspaceRoot } from '../lib/workspace.js';

const built = new BuiltPackages(['dashboard', 'interval-log', 'otel', 'prometheus', 'registry']);
afterAll(() => built.remove());

test('a soak of five seconds ends with equal counts in all ways out', () => {
  const tools = join(built.directory, 'tools');
  for (const part of ['package.json', 'soak', 'lib', 'bench/values.js', 'bench/exposition.js']) {
    cpSync(join(workspaceRoot, 'tools', part), join(tools, part), { recursive: true });
  }
  const script = join(tools, 'soak/main.js');
  const args = ['--expose-gc', script, '--seconds', '5', '--no-build'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: 280_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });

  const [, recorded] = /^\(recorded\) +(\d+)$/m.exec(stdout)!;
  const ways = [...stdout.matchAll(/^(scrape|delta reader|interval log|live page), . s +(\d+) +(\d+)/gm)];
  expect(ways.map(([, name, values, differing]) => [name, values, differing])).toEqual([
    ['scrape', recorded, '0'],
    ['delta reader', recorded, '0'],
    ['delta reader', recorded, '0'],
    ['interval log', recorded, '0'],
    ['live page', recorded, '0'],
  ]);
}, 300_000);
