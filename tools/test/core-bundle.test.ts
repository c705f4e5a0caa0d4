import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { workspaceRoot } from '../lib/workspace.js';

/** A bundle of a module for browsers: its compressed bytes, and the files in it. */
async function bundled(source: string): Promise<{ bytes: number; files: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: workspaceRoot },
    absWorkingDir: workspaceRoot,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: 'unused',
    format: 'esm',
    platform: 'browser',
    conditions: ['@hdrscope/source'],
  });
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output!.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { bytes: gzipSync(outputFiles[0]!.contents).length, files: files.map(([file]) => file) };
}

test('a browser bundle that records and reads percentiles is small, and has no encodings in it', async () => {
  const { bytes, files } = await bundled(`
    import { BasicHistogram } from '@hdrscope/core';
    const histogram = new BasicHistogram({ highestTrackableValue: 3_600_000_000 });
    histogram.record(performance.now());
    console.log(histogram.valuesAtPercentiles([50, 99]));
  `);
  expect(bytes).toBeLessThan(14_100);
  expect(files.filter((file) => /fflate|encoding\/(?!json)/.test(file))).toEqual([]);
});

test('a browser bundle with encodings finds what compresses them', async () => {
  const { files } = await bundled("export { Histogram } from '@hdrscope/core';");
  expect(files.some((file) => file.includes('fflate'))).toBe(true);
});
