/**
 * `npm run registry`: builds and packs the packages of this checkout, and serves them in a registry on loopback until Ctrl-C. Projects
 * install them from there as they will from npm. Other packages come from the registry that npm uses.
 *
 *   --port N     the port of the registry; 4873 when it is left out
 *   --no-build   takes the packages as they were built last
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot } from '../lib/workspace.js';
import { run } from '../peers/run.js';
import { LocalRegistry } from './local-registry.js';
import { packInto } from './pack.js';
import { versionOf } from './tree.js';

/**
 * @param {number} port
 * @param {boolean} builds
 */
async function serve(port, builds) {
  run(process.execPath, ['tools/peers/install.js', 'verdaccio'], { cwd: workspaceRoot, limitSeconds: 300 });
  console.log(builds ? 'building, which takes a minute …' : 'packing …');
  if (builds) run('npm', ['run', '--silent', 'build'], { cwd: workspaceRoot, limitSeconds: 600 });
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-packages-'));
  const registry = await LocalRegistry.start(port);
  try {
    const tarballs = packInto(workspaceRoot, folder);
    for (const [at, tarball] of tarballs.entries()) {
      registry.publish(tarball);
      console.log(`package ${at + 1} of ${tarballs.length} is ready`);
    }
    console.log(`${tarballs.length} packages of version ${versionOf(workspaceRoot)} are at ${registry.url}`);
    console.log('In a project of yours: npm config set --location=project registry', registry.url);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  } finally {
    await registry.close();
    rmSync(folder, { recursive: true });
  }
}

const { values } = parseArgs({
  options: { port: { type: 'string', default: '4873' }, 'no-build': { type: 'boolean', default: false } },
});
const port = Number(values.port);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error(`--port must be an integer from 1 to 65535, got ${values.port}`);
  process.exitCode = 2;
} else {
  await serve(port, !values['no-build']).catch((error) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
