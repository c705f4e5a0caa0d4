/**
 * `npm run pictures`: takes a picture of the page with the incident of `examples/data`, if Chromium is installed, then runs the demo and
 * draws the distributions that it saved. Writes the pictures to `docs/pictures`. With the argument `page`, it runs no demo.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { summarizeLogs } from '@hdrscope/interval-log';
import { curveOf } from '@hdrscope/plot';
import { renderSvg } from '@hdrscope/plot/render';
import { chromium } from 'playwright-core';
import { isMain, workspaceRoot } from './lib/workspace.js';

/** @import { Curve } from '@hdrscope/plot' */

const RUN_SECONDS = 45;

const DEMO = [
  ...['packages/demo/dist/main.js', '--seconds', String(RUN_SECONDS)],
  ...['--port', '0', '--metrics-port', '0', '--page-port', '0'],
];
/** The incident that is compared with the time before it, as an address of the page has it. */
const INCIDENT = new URLSearchParams({
  pick: 'http.duration route=/search',
  by: 'route',
  time: `${Date.UTC(2026, 2, 10, 15, 10)}-${Date.UTC(2026, 2, 10, 15, 18)}`,
  before: `${Date.UTC(2026, 2, 10, 15, 2)}-${Date.UTC(2026, 2, 10, 15, 10)}`,
  slo: 'p99.9=500ms',
});
const PICTURES = join(workspaceRoot, 'docs/pictures');
const CHROMIUM = '/usr/bin/chromium';

/** Titles for the files of the demo. */
const TITLES = new Map([
  ['get-products-id', 'GET /products/{id}: JSON'],
  ['get-search', 'GET /search: timers, a rare lock'],
  ['get-reports-month', 'GET /reports/{month}: gzip'],
  ['post-login', 'POST /login: scrypt'],
]);

/** The width of the picture. A curve is read off its histogram at each pixel. */
const WIDTH = 920;

/**
 * Curves of the demo's log, in nanoseconds.
 *
 * @param {string} directory
 */
export async function curvesOf(directory) {
  const { tags } = await summarizeLogs([join(directory, 'routes.hlog')]);
  return [...TITLES].flatMap(([wanted, name]) => {
    const found = tags.find(({ tag }) => tag === wanted);
    if (found === undefined) return [];
    const period = { startMs: found.startSec * 1000, endMs: found.endSec * 1000 };
    return [curveOf(name, found.histogram, { columns: WIDTH, period })];
  });
}

/** @param {Curve[]} curves In nanoseconds. */
export function drawPercentiles(curves) {
  const title = 'Latency of four routes by percentile';
  return renderSvg({ kind: 'percentiles', title, unit: 'ns', curves }, { width: WIDTH, height: 460 });
}

/** Takes a picture of the page with an incident. */
async function photographPage() {
  if (!existsSync(CHROMIUM)) {
    console.log(`no picture of the page: ${CHROMIUM} is not installed`);
    return;
  }
  const command = ['packages/cli/bin/hdrscope.js', 'serve', 'examples/data/incident.hlog', '--port', '0'];
  const server = spawn(process.execPath, command, {
    cwd: workspaceRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const [url] = /http:\S+/.exec(line) ?? [];
    const viewport = { width: 1280, height: 900 };
    const page = await browser.newPage({ viewport, deviceScaleFactor: 1, timezoneId: 'UTC' });
    await page.goto(`${url}#${INCIDENT}`);
    await page.getByText('worse').first().waitFor();
    await page.locator('.card canvas').nth(2).waitFor();
    // The last drawing may still be under way.
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(PICTURES, 'live-page.png'), fullPage: true });
  } finally {
    await browser.close();
    server.kill('SIGINT');
  }
}

/** Draws what the demo has counted. */
async function drawDemo() {
  const directory = mkdtempSync(join(tmpdir(), 'hdrscope-pictures-'));
  try {
    const demo = spawn(process.execPath, [...DEMO, '--save', directory], {
      cwd: workspaceRoot,
      stdio: 'inherit',
    });
    const [code] = await once(demo, 'exit');
    if (code !== 0) throw new Error(`the demo ended with ${code}`);
    writeFileSync(join(PICTURES, 'demo-percentiles.svg'), drawPercentiles(await curvesOf(directory)));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function main() {
  mkdirSync(PICTURES, { recursive: true });
  await photographPage();
  if (process.argv[2] !== 'page') await drawDemo();
  console.log(`the pictures are in ${PICTURES.slice(workspaceRoot.length + 1)}`);
}

if (isMain(import.meta)) await main();
