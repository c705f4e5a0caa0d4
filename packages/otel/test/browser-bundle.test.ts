import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

test('a browser bundle of the views holds no Node module and no receiver', async () => {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: ['src/index.ts'],
    bundle: true,
    format: 'esm',
    platform: 'browser', // refuses imports of Node's modules
    conditions: ['@hdrscope/source'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });

  const files = Object.keys(metafile.inputs);
  expect(files).toContain('src/create-hdr.ts');
  expect(files.filter((file) => file.startsWith('src/receiver/'))).toEqual([]);
});
