import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { lackOfRegistry, testUnless } from '@hdrscope/testing';
import { Project } from './project.ts';

// Programs that depend on hdr-histogram-js, unmodified, before and after the override.
const DEPENDENCIES = {
  autocannon: '9.0.0',
  cronometro: '3.0.2',
  'hdr-histogram-percentiles-obj': '3.0.0',
  piscina: '3.2.0',
};

const before = new Project();
const after = new Project();
const compared = new Project();
let server: Server;
let url: string;

// Tests that need what is installed.
const testInstalled = testUnless(lackOfRegistry());

beforeAll(async () => {
  cpSync(join(import.meta.dirname, 'fixtures/both'), join(compared.dir, 'both'), { recursive: true });
  before.install(DEPENDENCIES, false);
  after.install(DEPENDENCIES, true);
  compared.installBoth(DEPENDENCIES);
  server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 900_000);

afterAll(async () => {
  server?.close();
  for (const project of [before, after, compared]) project.remove();
});

const AUTOCANNON = 'node_modules/autocannon/autocannon.js';

async function run(project: Project, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(process.execPath, args, {
    cwd: project.dir,
    env: { ...process.env, BOTH_REPORT: project.report, NO_COLOR: '1' },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${output.stderr}`);
  return output;
}

/** Runs a program with both histograms and expects that all their answers were equal. */
async function expectEqualAnswers(args: readonly string[], least: number): Promise<string> {
  const { stdout } = await run(compared, args);
  const lines = readFileSync(compared.report, 'utf8').trim().split('\n');
  writeFileSync(compared.report, '');
  expect(lines.filter((line) => line !== 'equal')).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(least);
  return stdout;
}

testInstalled('the override puts nothing else in place of hdr-histogram-js', () => {
  const version = (project: Project) =>
    JSON.parse(readFileSync(join(project.dir, 'node_modules/hdr-histogram-js/package.json'), 'utf8')).name;
  expect([version(before), version(after)]).toEqual(['hdr-histogram-js', '@hdrscope/hdr-histogram-js']);
  expect(existsSync(join(before.dir, 'node_modules/pako'))).toBe(true);
  expect(existsSync(join(after.dir, 'node_modules/pako'))).toBe(false);
});

testInstalled.each([
  ['--json', ['-c', '4', '-d', '1', '--json']],
  ['workers', ['-c', '4', '-d', '1', '-w', '2', '--json']],
  [
    'a fixed rate, which is corrected for coordinated omission',
    ['-c', '4', '-d', '1', '-R', '200', '--json'],
  ],
])('autocannon with %s', async (_what, args) => {
  const shapes = [];
  for (const project of [before, after]) {
    const result = JSON.parse((await run(project, [AUTOCANNON, ...args, url])).stdout);
    expect(result.latency.max).toBeGreaterThanOrEqual(result.latency.p99);
    expect(result['2xx']).toBeGreaterThan(0);
    shapes.push(Object.keys(result.latency), Object.keys(result.requests), Object.keys(result.throughput));
  }
  expect(shapes.slice(3)).toEqual(shapes.slice(0, 3));
  await expectEqualAnswers([AUTOCANNON, ...args, url], 30);
});

testInstalled('autocannon prints the same tables', async () => {
  const tables = [];
  for (const project of [before, after]) {
    const { stderr } = await run(project, [AUTOCANNON, '-c', '4', '-d', '1', '--latency', url]);
    tables.push(stderr.replace(/[\d.,]+( [kM]?B|k| ms)?/g, 'N').replace(/[─ ┬┴┼]+/g, ' '));
  }
  expect(tables[1]).toBe(tables[0]);
  expect(tables[0]).toMatch(/Latency.*Percentile/s);
});

const SCRIPTS = {
  'autocannon as a library': `const autocannon = require('autocannon');
autocannon({ url: process.argv[2], connections: 2, amount: 100 }).then((result) => {
  console.log(JSON.stringify(Object.keys(result.latency)));
  autocannon.printResult(result);
});`,
  'hdr-histogram-percentiles-obj': `const hdr = require('hdr-histogram-js');
const { histAsObj, addPercentiles } = require('hdr-histogram-percentiles-obj');
hdr.initWebAssemblySync();
for (const useWebAssembly of [false, true]) {
  const histogram = hdr.build({ useWebAssembly, bitBucketSize: 64 });
  for (let i = 0; i < 10_000; i++) histogram.recordValue((i * 7919) % 100_003);
  console.log(JSON.stringify(addPercentiles(histogram, histAsObj(histogram, 5))));
}`,
  piscina: `const { writeFileSync } = require('node:fs');
const Piscina = require('piscina');
writeFileSync('task.js', 'module.exports = (n) => n * 2;');
const pool = new Piscina({ filename: __dirname + '/task.js', maxThreads: 2 });
Promise.all(Array.from({ length: 200 }, (_, n) => pool.run(n))).then(async () => {
  console.log(JSON.stringify([Object.keys(pool.runTime), Object.keys(pool.waitTime)]));
  await pool.destroy();
});`,
};

testInstalled.each(Object.entries(SCRIPTS))('%s', async (name, code) => {
  const outputs = [];
  for (const project of [before, after, compared]) {
    writeFileSync(join(project.dir, 'script.cjs'), code);
    if (project !== compared) outputs.push((await run(project, ['script.cjs', url])).stdout);
  }
  expect(outputs[0]).not.toBe('');
  expect(outputs[1]).toBe(outputs[0]);
  await expectEqualAnswers(['script.cjs', url], name === 'piscina' ? 20 : 30);
});

testInstalled('cronometro', async () => {
  const code = `import { cronometro } from 'cronometro';
let n = 0;
const results = await cronometro({ add: () => { n += 1; }, sqrt: () => { n += Math.sqrt(n); } }, { iterations: 1000, print: false });
// Its threads run this file too, without results.
if (results) console.log(JSON.stringify(Object.values(results).map((one) => [one.success, Object.keys(one.percentiles)])));`;
  const outputs = [];
  for (const project of [before, after, compared]) {
    writeFileSync(join(project.dir, 'script.mjs'), code);
    if (project !== compared) outputs.push((await run(project, ['script.mjs'])).stdout);
  }
  expect(outputs[0]).toContain('true');
  expect(outputs[1]).toBe(outputs[0]);
  expect(await expectEqualAnswers(['script.mjs'], 20)).toBe(outputs[0]);
});
