import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

test('a browser bundle of the readers holds no module of Node.js', async () => {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: ['src/index.ts', 'src/statsd/index.ts'],
    outdir: 'out',
    bundle: true,
    format: 'esm',
    platform: 'browser', // refuses imports of Node's modules
    conditions: ['@hdrscope/source'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(imported).toEqual([]);
});
