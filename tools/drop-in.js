/**
 * `node tools/drop-in.js [--seconds N]`: runs autocannon against a local server, with hdr-histogram-js and with the drop-in in its place,
 * in projects of their own with packages from the registry. Prints what a user of autocannon notices. Needs a build.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from './lib/table.js';
import { workspaceRoot } from './lib/workspace.js';

const ROUNDS = 5;

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' } } });

/**
 * @typedef {object} Way
 * @property {string} name
 * @property {string} dir
 * @property {number[]} requests A second, of each round.
 * @property {number[]} p99 In ms.
 * @property {number[]} loadMs The time to load hdr-histogram-js and to call `initWebAssemblySync`, as autocannon does.
 */

/**
 * @param {string} name
 * @param {Record<string, string>} overrides
 * @returns {Way}
 */
function install(name, overrides) {
  const dir = mkdtempSync(join(tmpdir(), 'hdrscope-autocannon-'));
  const manifest = { private: true, dependencies: { autocannon: '9.0.0' }, overrides };
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest));
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'], { cwd: dir });
  return { name, dir, requests: [], p99: [], loadMs: [] };
}

/** @returns {string} The path of the packed drop-in. */
function pack() {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-pack-'));
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
      cwd: join(workspaceRoot, 'packages/hdr-histogram-js'),
      encoding: 'utf8',
    }),
  );
  return join(folder, filename);
}

/**
 * @param {Way} way
 * @param {string} url
 */
async function measure(way, url) {
  const program = join(way.dir, 'node_modules/autocannon/autocannon.js');
  const child = spawn(process.execPath, [program, '-c', '10', '-d', values.seconds, '--json', url]);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  await once(child, 'close');
  const result = JSON.parse(text);
  way.requests.push(result.requests.average);
  way.p99.push(result.latency.p99);
  const code =
    "const s = performance.now(); require('hdr-histogram-js').initWebAssemblySync(); console.log(performance.now() - s)";
  way.loadMs.push(Number(execFileSync(process.execPath, ['-e', code], { cwd: way.dir, encoding: 'utf8' })));
}

/** @param {string} folder */
function bytesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** @param {readonly number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const packed = pack();
const ways = [
  install('hdr-histogram-js', {}),
  install('@hdrscope/hdr-histogram-js', { 'hdr-histogram-js': `file:${packed}` }),
];
for (let round = 0; round < ROUNDS; round++) {
  for (const way of round % 2 === 0 ? ways : ways.toReversed())
    await measure(way, `http://127.0.0.1:${port}`);
}
console.log(
  table([
    ['autocannon 9 with', 'requests a second', 'p99, ms', 'loading it, ms', 'installed, kB'],
    ...ways.map(({ name, dir, requests, p99, loadMs }) => [
      name,
      median(requests).toFixed(0),
      median(p99).toFixed(0),
      median(loadMs).toFixed(1),
      (bytesOf(join(dir, 'node_modules')) / 1000).toFixed(0),
    ]),
  ]),
);
server.close();
for (const dir of [dirname(packed), ...ways.map((way) => way.dir)]) rmSync(dir, { recursive: true });
