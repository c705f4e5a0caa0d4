/**
 * `npm run pictures`: runs the demo, takes a picture of its live page if Chromium is installed, and draws the
 * distributions that the demo saved. Writes the pictures to `docs/pictures`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { summarizeLogs } from '@hdrscope/interval-log';
import { curveOf } from '@hdrscope/plot';
import { renderSvg } from '@hdrscope/plot/render';
import { chromium } from 'playwright-core';
import { isMain, workspaceRoot } from './lib/workspace.js';

/** @import { Curve } from '@hdrscope/plot' */

const RUN_SECONDS = 45;
/** The time at which the picture of the page is taken. Its charts over time are full by then. */
const LOOK_AFTER_SECONDS = 40;

const DEMO = [
  ...['packages/demo/dist/main.js', '--seconds', String(RUN_SECONDS)],
  ...['--port', '0', '--metrics-port', '0', '--page-port', '0'],
];
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

/**
 * Selects the series of a route on the live page and takes a picture of the page.
 *
 * @param {string} url
 * @param {string} route
 */
async function photographPage(url, route) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
    await page.goto(url);
    await page.getByText(route).first().click();
    await page.waitForTimeout((LOOK_AFTER_SECONDS - 3) * 1000);
    await page.screenshot({ path: join(PICTURES, 'live-page.png') });
  } finally {
    await browser.close();
  }
}

async function main() {
  const directory = mkdtempSync(join(tmpdir(), 'hdrscope-pictures-'));
  mkdirSync(PICTURES, { recursive: true });
  try {
    const demo = spawn(process.execPath, [...DEMO, '--save', directory], {
      cwd: workspaceRoot,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(demo, 'exit');
    let printed = '';
    /** @type {Promise<void> | undefined} */
    let photographed;
    demo.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      process.stdout.write(text);
      printed += text;
      const url = /^ +page +(\S+)$/m.exec(printed)?.[1];
      if (url !== undefined && existsSync(CHROMIUM)) photographed ??= photographPage(url, '/search');
    });
    const [code] = await ended;
    await photographed;
    if (code !== 0) throw new Error(`the demo ended with ${code}`);
    if (photographed === undefined) console.log(`no picture of the page: ${CHROMIUM} is not installed`);
    writeFileSync(join(PICTURES, 'demo-percentiles.svg'), drawPercentiles(await curvesOf(directory)));
    console.log(`the pictures are in ${PICTURES.slice(workspaceRoot.length + 1)}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

if (isMain(import.meta)) await main();
