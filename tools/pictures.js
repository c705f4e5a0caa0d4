/**
 * `npm run pictures`: runs the demo, and draws `docs/pictures/demo-percentiles.svg` from what it saved.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as echarts from 'echarts';
import { isMain, workspaceRoot } from './lib/workspace.js';

const DEMO = ['packages/demo/dist/main.js', '--seconds', '30', '--port', '0', '--metrics-port', '0'];
const PICTURE = join(workspaceRoot, 'docs/pictures/demo-percentiles.svg');

/** Names of the demo's files, as a person would write them. */
const TITLES = new Map([
  ['get-products-id', 'GET /products/{id}: JSON'],
  ['get-search', 'GET /search: timers, a rare lock'],
  ['get-reports-month', 'GET /reports/{month}: gzip'],
  ['post-login', 'POST /login: scrypt'],
]);

/**
 * The points of an `.hgrm` file: 1/(1 - percentile), and the value there.
 *
 * @param {string} text
 * @returns {[inverse: number, value: number][]}
 */
export function pointsOf(text) {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((row) => row.length === 4 && row.every(Number.isFinite))
    .map(([value = 0, , , inverse = 1]) => [inverse, value]);
}

/** @param {number} inverse */
const percentileLabel = (inverse) => `${+(100 - 100 / inverse).toFixed(6)} %`;

/** @param {{ name: string, points: [number, number][] }[]} curves */
export function drawPercentiles(curves) {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 920, height: 440 });
  chart.setOption({
    animation: false,
    backgroundColor: '#fff',
    color: ['#0b6e99', '#c2410c', '#15803d', '#7c3aed'],
    grid: { left: 70, right: 30, top: 60, bottom: 55 },
    legend: { top: 12, itemGap: 24, icon: 'roundRect', itemHeight: 4 },
    xAxis: {
      type: 'log',
      name: 'percentile',
      nameLocation: 'middle',
      nameGap: 32,
      axisLabel: { formatter: percentileLabel },
      splitLine: { show: true, lineStyle: { color: '#eee' } },
    },
    yAxis: {
      type: 'log',
      name: 'latency, ms',
      splitLine: { lineStyle: { color: '#eee' } },
    },
    series: curves.map(({ name, points }) => ({
      name,
      type: 'line',
      step: 'start',
      showSymbol: false,
      lineStyle: { width: 2 },
      data: points,
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

if (isMain(import.meta)) {
  const directory = mkdtempSync(join(tmpdir(), 'hdrscope-pictures-'));
  try {
    const { status } = spawnSync(process.execPath, [...DEMO, '--save', directory], {
      cwd: workspaceRoot,
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error(`the demo ended with ${status}`);
    const files = readdirSync(directory);
    const curves = [...TITLES]
      .filter(([file]) => files.includes(`${file}.hgrm`))
      .map(([file, name]) => ({
        name,
        points: pointsOf(readFileSync(join(directory, `${file}.hgrm`), 'utf8')),
      }));
    mkdirSync(join(PICTURE, '..'), { recursive: true });
    writeFileSync(PICTURE, drawPercentiles(curves));
    console.log(`drew ${PICTURE.slice(workspaceRoot.length + 1)}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
