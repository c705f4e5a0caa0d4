import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

const LIMIT_SECONDS = 600;

/**
 * Builds a program with the Rust toolchain of the machine, into `bin` of a folder. `Cargo.toml` pins the versions of the
 * crates that it names.
 *
 * @param {string} module The folder of `Cargo.toml`.
 * @param {string} folder
 */
export function buildWithCargo(module, folder) {
  const sources = join(folder, 'sources');
  cpSync(module, sources, { recursive: true });
  run('cargo', ['install', '--quiet', '--path', sources, '--root', folder, '--no-track'], {
    cwd: sources,
    env: { CARGO_TARGET_DIR: join(sources, 'target') },
    limitSeconds: LIMIT_SECONDS,
  });
  rmSync(sources, { recursive: true, force: true });
}
