import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { run } from './run.js';

/** The limit for all builds of one run. Go does not compile again what it compiled in an interrupted run. */
const LIMIT_SECONDS = 1140;

/**
 * Builds a command with the Go toolchain of the machine, into `bin` of a folder. The direct requirements of `go.mod`
 * determine all other versions; Go verifies its downloads.
 *
 * @param {{ module: string, target: string, program: string, tags?: string }} build `module` is the folder of `go.mod`.
 * @param {string} folder
 */
export function buildWithGo({ module, target, program, tags = '' }, folder) {
  // Go writes to go.mod and go.sum, so it gets copies.
  const sources = join(folder, 'sources');
  cpSync(module, sources, { recursive: true });
  mkdirSync(join(folder, 'bin'));
  // A build takes minutes, so it has a low priority.
  setPriority(10);
  run(
    'go',
    [
      'build',
      ...['-mod=mod', '-buildvcs=false', '-trimpath', '-ldflags=-s -w', `-tags=${tags}`],
      ...['-o', join(folder, 'bin', program), target],
    ],
    {
      cwd: sources,
      env: { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off' },
      limitSeconds: Math.max(1, Math.round(LIMIT_SECONDS - performance.now() / 1000)),
    },
  );
  rmSync(sources, { recursive: true, force: true });
}
