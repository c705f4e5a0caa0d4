import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Type-checks a module against types that the ordinary type check of a package does not have.
 *
 * @param paths Where the compiler finds modules, as `paths` of a `tsconfig.json`.
 * @returns What the compiler prints; empty where the types fit.
 */
export function typeErrors(file: string, paths: Readonly<Record<string, readonly string[]>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-types-'));
  try {
    const config = {
      extends: join(ROOT, 'tsconfig.test.json'),
      compilerOptions: { paths, typeRoots: [join(ROOT, 'node_modules/@types')] },
      files: [file],
      include: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
    return spawnSync(process.execPath, [tsc, '--pretty', 'false', '-p', folder], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
