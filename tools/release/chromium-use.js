import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { run } from '../peers/run.js';

const CHROMIUM = '/usr/bin/chromium';

const CODE = `import { Histogram } from '@hdrscope/core';
import { parseLog } from '@hdrscope/interval-log/parser';
import { curveOf } from '@hdrscope/plot';

const histogram = new Histogram({ highestTrackableValue: 3_600_000, significantDigits: 3 });
for (let value = 1; value <= 1000; value++) histogram.record(value);
const line = '0.127,1.007,511.000,' + histogram.toBase64() + '\\n';
const [entry] = parseLog(line);
const curve = curveOf('all', entry.histogram(), { columns: 100 });
const isRight = entry.histogram().valueAtPercentile(99.9) === 999 && curve.totalCount === 1000;
document.title = isRight ? 'ok' : 'wrong';
`;

/** A page that may run its own script and no text: https://developer.mozilla.org/en-US/docs/Web/HTTP/CSP */
const PAGE = `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'self'"><script type="module" src="out.js"></script>`;

/**
 * Bundles a page with core, plot and the parser of logs in a project, and opens it in Chromium.
 *
 * @param {string} folder The project.
 * @returns {Promise<string | undefined>} What went wrong.
 */
export async function useInChromium(folder) {
  if (!existsSync(CHROMIUM)) return `there is no ${CHROMIUM}`;
  writeFileSync(join(folder, 'page.mjs'), CODE);
  const esbuild = join(folder, 'node_modules/.bin/esbuild');
  run(
    esbuild,
    ['page.mjs', '--bundle', '--minify', '--format=esm', '--platform=browser', '--outfile=out.js'],
    {
      cwd: folder,
      limitSeconds: 60,
    },
  );
  const server = createServer((request, response) => {
    const isScript = request.url === '/out.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? readFileSync(join(folder, 'out.js')) : PAGE);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--js-flags=--disallow-code-generation-from-strings'],
  });
  try {
    const page = await browser.newPage();
    /** @type {string[]} */
    const problems = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForFunction("document.title !== ''", undefined, { timeout: 10_000 }).catch(() => {});
    const title = await page.title();
    return title === 'ok' ? undefined : `the page says '${title}': ${problems.join('; ')}`;
  } finally {
    await browser.close();
    server.close();
  }
}
