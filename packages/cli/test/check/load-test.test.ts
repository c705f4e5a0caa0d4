import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lack, lackOfProgram, testUnless } from '@hdrscope/testing';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

// Real load generators against a real server. Each is used where it is there: on the PATH, or autocannon among the packages.
const run = promisify(execFile);
const folder = useFolder();

const DELAY_MS = 12;
let server: Server;
let url: string;

beforeAll(async () => {
  // Each tenth request fails, and each answer takes a while.
  let count = 0;
  server = createServer((_request, response) => {
    if (++count % 10 === 0) response.statusCode = 503;
    setTimeout(() => response.end('ok'), DELAY_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function autocannonScript(): string | undefined {
  try {
    const demo = createRequire(new URL('../../../demo/package.json', import.meta.url));
    return demo.resolve('autocannon');
  } catch {
    return undefined;
  }
}

/** Runs autocannon with the hdr-histogram-js of its users. This workspace gives it our own, which needs a build. */
async function runAutocannon(script: string, args: readonly string[]): Promise<string> {
  const copy = folder.pathOf('node_modules/autocannon');
  const filter = (path: string): boolean => !path.endsWith('hdr-histogram-js');
  cpSync(dirname(script), copy, { recursive: true, filter });
  const NODE_PATH = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
  const program = join(copy, 'autocannon.js');
  return (await run(process.execPath, [program, ...args], { env: { ...process.env, NODE_PATH } })).stdout;
}

const autocannon = autocannonScript();

testUnless(lack('autocannon', autocannon === undefined ? 'autocannon is not among the packages' : undefined))(
  'a load test of autocannon keeps an easy objective and misses a hard one',
  async () => {
    const output = await runAutocannon(autocannon!, ['--json', '-d', '2', '-c', '5', url]);
    const path = folder.write('autocannon.json', output);
    const easy = await hdrscope([
      'check',
      path,
      '--slo',
      'p99=5s',
      '--max-errors',
      '20%',
      '--min-count',
      '50',
    ]);
    expect(easy).toMatchObject({ exitCode: 0, stderr: '' });
    // On a busy machine, few requests are made, and p99 is known from few values.
    expect(easy.stdout).toMatch(/^p99 ≤ 5 s .*kept(?: beyond doubt)?$/m);
    expect(easy.stdout).toContain('All 3 objectives are kept.');

    const [junit, markdown] = [folder.pathOf('junit.xml'), folder.pathOf('summary.md')];
    const hard = await hdrscope([
      'check',
      path,
      '--slo',
      'p50=1ms',
      '--max-errors',
      '1',
      '--report',
      junit,
      '--report',
      markdown,
    ]);
    expect([hard.exitCode, hard.stderr]).toEqual([1, '']);
    expect(hard.stdout).toMatch(/^p50 ≤ 1 ms .*missed$/m);
    expect(readFileSync(junit, 'utf8')).toMatch(
      /<failure message="p50 ≤ 1 ms: missed, actual [\d.]+ to [\d.]+ ms"/,
    );
    expect(readFileSync(markdown, 'utf8')).toMatch(/^### ❌ hdrscope check: Of 2 objectives: 2 missed\.$/m);
  },
);

testUnless(lackOfProgram('k6'))('all outputs of k6 agree', async () => {
  const script = folder.write(
    'script.js',
    `import http from 'k6/http';
export const options = { vus: 5, iterations: 400, summaryTrendStats: ['med', 'p(90)', 'count'] };
export default function () { http.get('${url}'); }
`,
  );
  const [points, table, summary] = ['k6.json', 'k6.csv', 'k6-summary.json'].map((name) =>
    folder.pathOf(name),
  ) as [string, string, string];
  const outputs = ['--out', `json=${points}`, '--out', `csv=${table}`, '--summary-export', summary];
  await run('k6', ['run', '--quiet', '--no-usage-report', ...outputs, script]);
  for (const path of [points, table, summary]) {
    const easy = ['--slo', 'p50=5s', '--slo', 'p90=5s', '--max-errors', '40', '--min-count', '400'];
    expect(await hdrscope(['check', path, ...easy])).toMatchObject({ exitCode: 0, stderr: '' });
    const hard = await hdrscope(['check', path, '--slo', `p50=${DELAY_MS - 2}ms`, '--max-errors', '39']);
    expect(hard.stdout).toContain('40 of 400 requests failed');
    expect([hard.exitCode, hard.stdout]).toEqual([1, expect.stringMatching(/^p50 .*missed/m)]);
  }
  const same = await hdrscope(['diff', points, table, '--percentiles', '50,90', '--json']);
  expect([same.exitCode, same.stderr]).toEqual([0, '']);
  const { before, after, changes } = JSON.parse(same.stdout);
  expect([before.count, after.count, before.unit]).toEqual([400, 400, 'ms']);
  expect(changes.map(({ difference }: { difference: number }) => difference)).toEqual([0, 0]);
  const refused = await hdrscope(['diff', points, summary]);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('is a summary of k6')]);
});

testUnless(lackOfProgram('oha'))('both outputs of oha are judged', async () => {
  for (const format of ['json', 'csv']) {
    const { stdout } = await run('oha', ['-n', '300', '-c', '5', '--no-tui', '--output-format', format, url]);
    const path = folder.write(`oha.${format}`, stdout);
    const easy = await hdrscope(['check', path, '--slo', 'p50=5s', '--slo', 'p95=5s', '--min-count', '300']);
    expect(easy).toMatchObject({ exitCode: 0, stderr: '' });
    const hard = await hdrscope(['check', path, '--slo', `p50=${DELAY_MS - 2}ms`]);
    expect(hard.stdout).toMatch(/^p50 .*missed( beyond doubt)?$/m);
    if (format === 'json') expect(hard.stdout).toContain('30 of 300 requests failed');
  }
});

testUnless(lackOfProgram('wrk2'))('the report of wrk2 is judged, with its errors', async () => {
  const { stdout } = await run('wrk2', ['-t1', '-c3', '-d2s', '-R100', '--latency', url]);
  const path = folder.write('wrk2.txt', stdout);
  const easy = await hdrscope(['check', path, '--slo', 'p50=5s', '--max-errors', '30%', '--text-unit', 'ms']);
  expect(easy.exitCode).toBe(0);
  expect(easy.stdout).toMatch(/\d+ of \d+ requests failed/);
  expect((await hdrscope(['check', path, '--slo', `p50=${DELAY_MS - 2}ms`])).exitCode).toBe(1);
});
