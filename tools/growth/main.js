/**
 * `npm run growth`: what collecting costs as the number of series grows: time, memory, and the longest block of the event loop.
 * `docs/benchmarks.md` describes it.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { sdkVersions } from '../bench/open-telemetry.js';
import { buildPackages } from '../lib/build-packages.js';
import { fillMarkers } from '../lib/markers.js';
import { readOptions, runTool } from '../lib/options.js';
import { workspaceRoot } from '../lib/workspace.js';
import { drawGrowth } from './draw.js';
import { CHANGED } from './facts.js';

/** @import { Temporality } from '../bench/instruments.js' */
/** @import { Facts, Measured, Step, Subject } from './facts.js' */

/** @type {readonly Subject[]} */
const SUBJECTS = ['hdrscope', 'SDK explicit buckets'];
/** @type {readonly (readonly Temporality[])[]} */
const READERS = [['cumulative'], ['delta'], ['cumulative', 'delta']];
const PICTURE = 'docs/pictures/growth.svg';
const STEP = new URL('./step.js', import.meta.url).pathname;

const options = readOptions('npm run growth --', {
  most: {
    help: 'the largest number of series, a power of ten',
    least: 1000,
    isWhole: true,
    default: 1_000_000,
  },
  write: { flag: `puts the table into docs/benchmarks.md, and the picture into ${PICTURE}` },
  'no-build': { flag: 'measure the packages as they were built last' },
});

await runTool(main);

async function main() {
  if (!options['no-build']) buildPackages(['@hdrscope/otel']);
  /** @type {Measured[]} */
  const measured = [];
  for (let series = 100; series <= options.most; series *= 10) {
    for (const readers of READERS) {
      for (const subject of SUBJECTS) {
        const step = { subject, series, readers };
        measured.push({ ...step, ...(await run(step)) });
      }
    }
    console.error(`${series.toLocaleString('en-US')} series measured`);
  }
  const text = [
    `Node.js ${process.versions.node}, ${availableParallelism()} cores; @opentelemetry/sdk-metrics ${sdkVersions()}`,
    markdown(measured),
  ].join('\n\n');
  console.log(text);
  if (!options.write) return;
  fillMarkers('docs/benchmarks.md', 'growth', text);
  writeFileSync(join(workspaceRoot, PICTURE), drawGrowth(measured));
}

/**
 * Measures a step in a process of its own.
 *
 * @param {Step} step
 * @returns {Promise<Facts>}
 */
function run(step) {
  const args = ['--expose-gc', '--max-old-space-size=12000', STEP, JSON.stringify(step)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(text));
      else reject(new Error(`the step ${JSON.stringify(step)} ended with ${code}`));
    });
  });
}

/** @param {readonly Measured[]} measured */
function markdown(measured) {
  const sizes = [...new Set(measured.map(({ series }) => series))];
  const rows = [
    ['', '', ...sizes.map((series) => series.toLocaleString('en-US'))],
    ['---', '---', ...sizes.map(() => '--:')],
  ];
  for (const subject of SUBJECTS) {
    for (const readers of READERS) {
      const ofReaders = measured.filter(
        (one) => one.subject === subject && one.readers.join() === readers.join(),
      );
      const title = `${subject}, ${readers.join(' and ')}`;
      for (const changed of readers.length > 1 ? [] : CHANGED) {
        const costs = ofReaders.map(({ costs }) => costs.find((one) => one.changed === changed));
        rows.push([title, `${changed} changed, ms`, ...costs.map((cost) => short(cost?.ms))]);
        rows.push([
          title,
          `${changed} changed, longest block, ms`,
          ...costs.map((cost) => short(cost?.blockMs)),
        ]);
      }
      rows.push([title, 'bytes of a series', ...ofReaders.map(({ bytes }) => short(bytes))]);
    }
  }
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** @param {number | undefined} figure */
function short(figure) {
  if (figure === undefined) return '';
  return figure >= 100 ? Math.round(figure).toLocaleString('en-US') : String(Number(figure.toPrecision(2)));
}
