/**
 * Makes one script each of what runs in browsers: it is sent by the live page and put into HTML plots, so it has to be
 * whole. Takes the sources, so that nothing has to be built before.
 */
import { join } from 'node:path';
import { build } from 'esbuild';
import { isMain, workspaceRoot } from './lib/workspace.js';

/** From which module which script is made, relative to `packages`. */
export const BUNDLES = [
  { entry: 'plot/browser/main.ts', script: 'plot/dist/browser/plot.js' },
  { entry: 'dashboard/browser/main.ts', script: 'dashboard/dist/browser/page.js' },
];

/** @param {{ entry: string, script: string }} bundle */
export async function makeBundle({ entry, script }) {
  await build({
    absWorkingDir: join(workspaceRoot, 'packages'),
    entryPoints: [entry],
    outfile: script,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    conditions: ['@hdrscope/source'],
    // Licences of what is bundled stay in it.
    legalComments: 'inline',
    logLevel: 'warning',
  });
}

if (isMain(import.meta)) {
  const [name] = process.argv.slice(2);
  for (const bundle of BUNDLES) {
    if (name === undefined || bundle.entry.startsWith(`${name}/`)) await makeBundle(bundle);
  }
}
