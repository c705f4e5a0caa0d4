import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadMigration, type Proof, type RewrittenQuery } from '@hdrscope/prometheus/internal';
import { describeWithPeers, isInstalled, lackOfPeer, programOf, testUnless } from '@hdrscope/testing';
import { createFolder, freePort, startPeer, stopPeers } from './support/peer-process.ts';
import { listMutants } from './support/query-mutants.ts';

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const run = promisify(execFile);
const PROGRAM = isInstalled('prometheus-3') ? programOf('prometheus-3') : '';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hdrscope-generated-'));
});

afterAll(async () => {
  await stopPeers();
  await rm(folder, { recursive: true });
});

/** Runs the command with a folder of its own for temporary files. */
async function migrate(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, TMPDIR: folder };
  try {
    const ran = await run(process.execPath, [COMMAND, 'migrate', ...args], { env, timeout: 120_000 });
    return { code: 0, ...ran };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

const GENERATE = ['--generate', '--prometheus-program', PROGRAM] as const;

const RULES = `groups:
  - rules:
      - record: route:rpc_seconds_bucket:rate5m
        expr: sum by (le, route) (rate(rpc_seconds_bucket{code!~"5.."}[5m]))
      - alert: Slow
        expr: histogram_quantile(0.99, route:rpc_seconds_bucket:rate5m{route=~"/a.*"}) > 0.5
      - record: mean
        expr: sum(rate(rpc_seconds_sum[5m])) / sum(rate(rpc_seconds_count[5m]))
      - alert: Never
        expr: histogram_quantile(0.9, sum by (le) (rate(rpc_seconds_bucket{a="b", a="c"}[5m]))) > 1
`;

const DASHBOARD = JSON.stringify({
  panels: [
    {
      type: 'timeseries',
      title: 'P',
      targets: [
        {
          expr: 'histogram_quantile($quantile, sum by (le, $by) (rate(rpc_seconds_bucket{job=~"$job"}[$__rate_interval])))',
        },
      ],
    },
    {
      type: 'heatmap',
      title: 'Heat',
      targets: [{ expr: 'sum by (le) (increase(rpc_seconds_bucket{job=~"$job"}[$__interval]))' }],
    },
  ],
  templating: { list: [{ name: 'job', query: 'label_values(rpc_seconds_bucket{env="x"}, job)' }] },
});

const SLOTH = `version: prometheus/v1
service: shop
slos:
  - name: latency
    objective: 99.9
    sli:
      events:
        error_query: sum(rate(rpc_seconds_count[{{.window}}])) - sum(rate(rpc_seconds_bucket{le="0.3"}[{{.window}}]))
        total_query: sum(rate(rpc_seconds_count[{{.window}}]))
`;

/** A percentile, a mean and a share stay the same when all rates have one factor. */
const FACTORS = ['an increase for a rate', 'a mean for a sum'];

/** Queries, and the mistakes in their rewritings that change no answer. */
const MUTATED: readonly (readonly [query: string, survivors: readonly string[]])[] = [
  [
    'histogram_quantile(0.99, sum by (le, route) (rate(x_bucket{job=~"$job",code!~"5.."}[5m]))) > 0.5',
    FACTORS,
  ],
  [
    'sum by (route) (rate(x_sum{job="api"}[5m])) / sum by (route) (rate(x_count{job="api"}[5m])) * 1000',
    FACTORS,
  ],
  [
    '1 - sum(rate(x_bucket{le="0.3",code!~"5.."}[5m])) / sum(rate(x_count{code!~"5.."}[5m])) > 14.4 * 0.001',
    FACTORS,
  ],
  [
    'sum by (route) (rate(x_count{code=~"5.."}[5m] offset 1m)) / sum by (route) (rate(x_count[5m] offset 1m))',
    [],
  ],
  [
    'histogram_quantile(0.9, sum by (le, node) (rate(x_bucket{a="b"}[5m]) * on (pod) group_left (node) kube_info{c=~"d|e"}))',
    FACTORS,
  ],
  [
    'histogram_quantile(0.5, sum by (le) (rate(x_bucket[5m]))) and on () sum(rate(x_count{a!=""}[10m])) > 2',
    FACTORS,
  ],
  ['topk(2, sum by (route) (increase(x_count{code="500"}[5m])))', []],
];

describeWithPeers(['prometheus-3'])('hdrscope migrate --generate', () => {
  test('proves rules, dashboards with variables and objectives, and leaves nothing behind', async () => {
    const files = { 'rules.yaml': RULES, 'dashboard.json': DASHBOARD, 'slo.yaml': SLOTH };
    const paths = Object.keys(files).map((name) => join(folder, name));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { code, stdout, stderr } = await migrate(...paths, ...GENERATE, '--format', 'json');
    expect([code, stderr]).toEqual([0, '']);
    const { queries } = JSON.parse(stdout) as { queries: Record<string, unknown>[] };
    const outcomes = queries.map(({ place, outcome, proven }) => [place, outcome, proven]);
    expect(outcomes).toEqual([
      ['record route:rpc_seconds_bucket:rate5m', 'rewritten', true],
      ['alert Slow', 'rewritten', true],
      ['record mean', 'rewritten', true],
      ['alert Never', 'rewritten', false],
      ['panel "P"', 'rewritten', true],
      ['panel "Heat"', 'rewritten', true],
      ['variable job', 'rewritten', true],
      ['error_query', 'rewritten', true],
      ['total_query', 'rewritten', true],
    ]);
    for (const { proof, proven } of queries)
      expect(proof).toMatch(
        proven === true
          ? /^[1-9][\d,]* values? on generated data \(seed 1\) agree$/
          : /^not proven: no answer/,
      );
    expect((await readdir(folder)).sort()).toEqual(Object.keys(files).sort());
  }, 120_000);

  test('a query without an answer is not proven, and the selector that chooses nothing is named', async () => {
    const query =
      'sum(rate(x_bucket{a="b",a="c",le="0.5"}[5m])) / sum(rate(x_count[5m])) or sum(rate(x_count[5m]))';
    const { code, stderr } = await migrate('--query', query, ...GENERATE);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'not proven: no answer on generated data: x_bucket{a="b", a="c"} chooses no series',
    );
  });

  test('equal seeds give equal proofs', async () => {
    const query = 'histogram_quantile(0.9, sum by (le, a) (rate(x_bucket[5m])))';
    const ask = (seed: string) => migrate('--query', query, ...GENERATE, '--seed', seed);
    const answers = [await ask('7'), await ask('7')];
    expect(answers[0]!.stderr).toMatch(/values on generated data \(seed 7\) agree/);
    expect(answers[1]).toEqual(answers[0]);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends Prometheus and removes its folder on %s',
    async (signal) => {
      const path = join(folder, 'many.yaml');
      const rules = Array.from(
        { length: 300 },
        (_, at) => `      - record: r${at}\n        expr: histogram_quantile(0.${at + 1}, x_bucket)\n`,
      );
      await writeFile(path, `groups:\n  - rules:\n${rules.join('')}`);
      const child = spawn(process.execPath, [COMMAND, 'migrate', path, ...GENERATE], {
        env: { ...process.env, TMPDIR: folder },
        stdio: 'ignore',
      });
      const exit = once(child, 'exit');
      const find = async (): Promise<string[]> =>
        (await readdir(folder)).filter((name) => name.startsWith('hdrscope-prometheus-'));
      let data: string[] = [];
      while (data.length === 0 || !(await readdir(join(folder, data[0]!))).includes('data')) {
        await sleep(20);
        data = await find();
      }
      const pids = await listProcesses(data[0]!);
      expect(pids).toHaveLength(1);
      child.kill(signal);
      await exit;
      expect([await find(), await listProcesses(data[0]!)]).toEqual([[], []]);
    },
    60_000,
  );

  test('says in one sentence what is missing without the program', async () => {
    const { code, stderr } = await migrate(
      '--query',
      'histogram_quantile(0.9, x_bucket)',
      '--generate',
      '--prometheus-program',
      './nowhere',
    );
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^hdrscope: --generate needs the program \.\/nowhere: no such program: install Prometheus 3, .*--prometheus-program PATH\n$/,
      ),
    ]);
  });

  testUnless(lackOfPeer('prometheus-2'))('says that an old Prometheus does not do', async () => {
    const old = ['--generate', '--prometheus-program', programOf('prometheus-2')];
    const { code, stderr } = await migrate('--query', 'histogram_quantile(0.9, x_bucket)', ...old);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/--generate needs Prometheus 3, and is tried with 3.16\n$/),
    ]);
  });

  describe('finds mistakes in rewritten queries', () => {
    let url: URL;

    beforeAll(async () => {
      const peer = await createFolder();
      await writeFile(join(peer, 'prometheus.yml'), 'global: {}\n');
      const address = `127.0.0.1:${await freePort()}`;
      url = new URL(`http://${address}`);
      const args = [
        '--config.file=prometheus.yml',
        '--storage.tsdb.path=data',
        `--web.listen-address=${address}`,
      ];
      await startPeer(PROGRAM, [...args, '--web.enable-remote-write-receiver'], {
        folder: peer,
        isReady: async () => (await fetch(new URL('/-/ready', url)).catch(() => undefined))?.ok === true,
      });
    }, 100_000);

    const untilMs = Date.now();
    let questions = 0;

    async function prove(before: string, after: string, { claims, records }: RewrittenQuery): Promise<Proof> {
      const { proveOnGenerated } = await loadMigration();
      const question = { name: String(questions++), before, after, claims, records, isOfLabels: false };
      return proveOnGenerated(question, { url, untilMs, seed: 3, signal: AbortSignal.timeout(60_000) });
    }

    test.each(MUTATED)(
      '%s',
      async (before, survivors) => {
        const { migrateQueries } = await loadMigration();
        const knowledge = { histograms: new Set(['x']), schema: 3 };
        const rewriting = migrateQueries([{ text: before, use: 'alert' }], knowledge)[0] as RewrittenQuery;
        expect(await prove(before, rewriting.after, rewriting)).toEqual({
          outcome: 'equal',
          values: expect.any(Number),
        });
        const mutants = listMutants(rewriting.after);
        const alive: string[] = [];
        for (const { mistake, query } of mutants) {
          if ((await prove(before, query, rewriting)).outcome !== 'different') alive.push(mistake);
        }
        expect(mutants.length).toBeGreaterThan(5);
        expect(alive).toEqual(survivors);
      },
      120_000,
    );
  });
});

/** The processes that were started in a folder. */
async function listProcesses(name: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((pid) => /^\d+$/.test(pid));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, at) => lines[at]!.includes(`--storage.tsdb.path=`) && lines[at]!.includes(name));
}
