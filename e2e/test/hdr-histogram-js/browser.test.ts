import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lackOfPeer, programOf, testUnless } from '@hdrscope/testing';
import type { Browser } from 'playwright-core';
import { describeWithChromium, startChromium } from '../support/chromium.ts';

// The drop-in in a browser: as a script, and bundled by webpack, which takes the file for browsers.
const PACKAGE = fileURLToPath(new URL('../../../packages/hdr-histogram-js', import.meta.url));

const USE = `hdr.initWebAssemblySync();
const histogram = hdr.build({ useWebAssembly: true, bitBucketSize: 64 });
for (const value of [122, 123, 1244]) histogram.recordValue(value);
const encoded = hdr.encodeIntoCompressedBase64(histogram);
globalThis.result = [histogram.maxValue, hdr.decodeFromCompressedBase64(encoded).totalCount];`;

const dir = mkdtempSync(join(tmpdir(), 'hdrscope-browser-'));
mkdirSync(join(dir, 'node_modules'));
symlinkSync(PACKAGE, join(dir, 'node_modules/hdr-histogram-js'));

afterAll(() => rmSync(dir, { recursive: true }));

async function bundled(): Promise<string> {
  writeFileSync(join(dir, 'main.mjs'), `import * as hdr from 'hdr-histogram-js';\n${USE}`);
  const webpack = createRequire(import.meta.url)(join(programOf('node-services'), 'webpack')) as (
    options: object,
    done: (error: Error | null, stats?: { hasErrors(): boolean; toString(): string }) => void,
  ) => void;
  await new Promise<void>((resolve, reject) => {
    webpack(
      { mode: 'production', target: 'web', context: dir, entry: './main.mjs', output: { path: dir } },
      (error, stats) => {
        if (error !== null || stats?.hasErrors()) reject(error ?? new Error(stats?.toString()));
        else resolve();
      },
    );
  });
  return readFileSync(join(dir, 'main.js'), 'utf8');
}

describeWithChromium('in a browser that runs no code from texts', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  async function resultOf(script: string): Promise<unknown> {
    const page = await browser.newPage();
    const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'">`;
    const file = join(dir, 'page.html');
    writeFileSync(
      file,
      `<!doctype html><meta charset="utf-8">${policy}<script>${script.replaceAll('</', '<\\/')}</script>`,
    );
    await page.goto(`file://${file}`);
    return page.evaluate('result');
  }

  test('the script sets hdr', async () => {
    const script = readFileSync(join(PACKAGE, 'dist/hdrhistogram.umd.js'), 'utf8');
    expect(await resultOf(`${script};{${USE}}`)).toEqual([1244, 3]);
  });

  testUnless(lackOfPeer('node-services'))('a bundle of webpack works', async () => {
    expect(await resultOf(await bundled())).toEqual([1244, 3]);
  });
});
