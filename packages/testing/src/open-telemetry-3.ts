import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInstalled, programOf } from './peers.ts';

const require = createRequire(import.meta.url);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Loads one of the packages of the peer `opentelemetry-3` as an ES module. Jest finds them by the `modulePaths` of its
 * set-up.
 *
 * @returns `undefined` where the peer is not installed; `describeWithPeers` then skips the tests that need it.
 */
export async function importOpenTelemetry3<Module>(
  name: 'sdk-metrics-3' | 'exporter-prometheus-3',
): Promise<Module> {
  return (isInstalled('opentelemetry-3') ? await import(name) : undefined) as Module;
}

/**
 * Type-checks a module against the types of OpenTelemetry 3, which the ordinary type check of a package does not have.
 *
 * @returns What the compiler prints; empty where the types fit.
 */
export function typeErrorsWithOpenTelemetry3(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-types-'));
  try {
    const packages = programOf('opentelemetry-3');
    const config = {
      extends: join(ROOT, 'tsconfig.test.json'),
      compilerOptions: {
        paths: { '*-3': [`${packages}/*-3/dist/index.d.mts`] },
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
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
