/**
 * `npm run site`: installs the packages of the site as a peer, writes the reference of the API, and builds all pages into
 * site/.vitepress/dist.
 */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../tools/lib/workspace.js';
import { installPeer, PEERS } from '../tools/peers/peers.js';
import { makePlayground } from '../tools/playground.js';

linkPackages();
// VitePress links its Vue into the package of the working directory, where all pages must find it.
process.chdir(workspaceRoot);
// These import the packages.
const { build } = await import('vitepress');
const { generateReference } = await import('./reference/generate.js');

await generateReference();
await build(import.meta.dirname);
await makePlayground(join(import.meta.dirname, '.vitepress/dist/playground'));

/** Node.js looks for packages beside the modules that import them. */
function linkPackages() {
  const link = join(import.meta.dirname, 'node_modules');
  const packages = installPeer(PEERS.find(({ name }) => name === 'site'));
  rmSync(link, { recursive: true, force: true });
  // A junction needs no rights on Windows.
  symlinkSync(packages, link, 'junction');
}
