import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { run } from './run.js';

/** For all builds of one run. What Go has compiled by then it need not compile again. */
const LIMIT_SECONDS = 1140;

/**
 * Builds a command with the Go toolchain of the machine, into `bin` of a folder. The direct requirements of a `go.mod`
 * settle every other version; Go verifies what it downloads.
 *
 * @param {{ module: string, target: string, program: string, tags?: string }} build `module` is the folder of `go.mod`.
 * @param {string} folder
 */
export function buildWithGo({ module, target, program, tags = '' }, folder) {
  // Go writes what it works out into go.mod and go.sum: into copies.
  const sources = join(folder, 'sources');
  cpSync(module, sources, { recursive: true });
  mkdirSync(join(folder, 'bin'));
  // A build of minutes gives way to whatever else the machine does.
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
