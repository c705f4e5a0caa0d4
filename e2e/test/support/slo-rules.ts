import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(
  import.meta.resolve('hdrscope/package.json').replace('package.json', 'bin/hdrscope.js'),
);

/** The output of `hdrscope slo rules`. */
export function sloRules(...args: readonly string[]): string {
  const ran = spawnSync(process.execPath, [BIN, 'slo', 'rules', ...args], { encoding: 'utf8' });
  expect([ran.status, ran.stderr]).toEqual([0, '']);
  return ran.stdout;
}
