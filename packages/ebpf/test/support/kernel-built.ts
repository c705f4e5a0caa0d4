import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuiltPackages } from '@hdrscope/testing';

const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

/** Builds this package for processes of another user. */
export function buildEbpf(): BuiltPackages {
  const built = new BuiltPackages(['core', 'registry', 'ebpf']);
  chmodSync(built.directory, 0o755);
  for (const name of ['koffi', 'yaml']) {
    symlinkSync(join(MODULES, name), join(built.directory, 'node_modules', name));
  }
  return built;
}
