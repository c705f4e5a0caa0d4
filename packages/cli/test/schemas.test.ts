import { readdirSync, readFileSync } from 'node:fs';
import { hdrscope } from './support/fake-io.ts';
import { type CountsByMs, writeHistory } from './support/history-rows.ts';
import { faultsIn, readSchema, undescribedIn } from './support/json-schema.ts';
import { evenly, logText, useFolder } from './support/logs.ts';

const folder = useFolder();

const BEFORE = '2026-03-10T14:00/15:00';
const AFTER = '2026-03-10T15:00/16:00';

let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  const minutes = Array.from({ length: 120 }, (_, minute) => minute);
  await writeHistory(
    history,
    minutes.flatMap((minute) =>
      ['a', 'b'].map((host) => {
        const time = new Date(Date.UTC(2026, 2, 10, 14, minute)).toISOString().slice(0, 19);
        const slow = host === 'b' && minute >= 60 ? 50 : 1;
        const counts: CountsByMs = { 10: 900, [20 * slow]: 100 };
        return [time, { host }, counts] as const;
      }),
    ),
  );
});

const json = async (...args: string[]): Promise<unknown> =>
  JSON.parse((await hdrscope([...args, '--json'])).stdout);

const explained = (...args: string[]) => json('explain', history, '--metric', 'rpc', ...args);

/** Documents of a command, as different as they can be. */
const COMMANDS: Readonly<Record<string, () => Promise<unknown[]>>> = {
  async check() {
    const log = folder.write(
      'a.hlog',
      logText([
        { tag: 'get', at: 0, ms: evenly(1000) },
        { at: 1, ms: [] },
      ]),
    );
    const wrk = folder.write(
      'wrk.txt',
      'Running 30s test @ http://localhost:80/\n  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%  500.00ms\n 99.000%  900.00ms\n100.000% 1.00s\n\n  Detailed Percentile spectrum:\n       Value   Percentile   TotalCount 1/(1-Percentile)\n\n     500.223     0.500000          500         2.00\n    1000.447     1.000000         1000          inf\n#[Mean    =      500.500, StdDeviation   =      288.675]\n#[Max     =     1000.000, Total count    =         1000]\n----------------------------------------------------------\n  1000 requests in 30.00s, 1.00MB read\n  Socket errors: connect 0, read 1, write 0, timeout 0\n',
    );
    return [
      await json('check', log, '--slo', 'p99=2s', '--slo', 'p50=1ms', '--min-count', '10'),
      await json('check', wrk, '--slo', 'p99=2s', '--max-errors', '1%'),
    ];
  },
  async 'slo-report'() {
    const args = ['slo', 'report', history, '--metric', 'rpc', '--objective', '99%', '--since', '2026-03-10'];
    return [
      await json(...args, '--until', '2026-03-12', '--threshold', '100ms', '--by', 'host'),
      await json(...args, '--until', '2026-03-11', '--threshold', '10.01ms'),
    ];
  },
  async migrate() {
    const rules = folder.write(
      'rules.yaml',
      `groups:
  - rules:
      - { record: "a_bucket:rate", expr: 'sum by (le) (rate(a_bucket[5m]))' }
      - { record: b, expr: 'histogram_quantile(0.9, a_bucket:rate)' }
      - { record: c, expr: 'sum(rate(a_bucket{le="0.3"}[5m]))' }
      - { record: d, expr: 'count(a_bucket)' }
`,
    );
    folder.write('migrate.json', '{ "panels": [{ "targets": [{ "expr": "a_count - b_count" }] }] }');
    folder.write('template.yaml', '{{ if }}: a_bucket');
    return [
      await json('migrate', rules),
      await json('migrate', folder.pathOf('.')),
      await json('migrate', '--query', 'a_bucket'),
    ];
  },
  explain: async () => [
    await explained('--before', BEFORE, '--after', AFTER),
    await explained('--before', BEFORE, '--after', '2026-03-11/1d'),
    await explained('--before', '2026-03-10T14:00/20m', '--after', '2026-03-10T14:20/20m'),
    await json(
      'explain',
      ...[1, 50].map((slow) =>
        folder.write(
          `explain-${slow}.hlog`,
          logText(
            ['rpc?host=a', 'rpc?host=b'].map((tag) => ({
              ...{ tag, at: 0 },
              ms: [...evenly(20_000, 1e-3), ...evenly(200, tag.endsWith('b') ? slow : 1)],
            })),
          ),
        ),
      ),
    ),
  ],
  doctor: async () => [await json('doctor', 'localhost:1', '--otlp', 'http://localhost:1', '--kernel')],
  async record() {
    const lines = [200, 503].map(
      (status) => `10.0.0.1 - - [28/Nov/2026:21:00:00 +0000] "GET /a HTTP/1.1" ${status} 5 "-" "x" 0.003\n`,
    );
    const fio =
      '{"fio version":"fio-3.33","jobs":[{"jobname":"a","read":{"clat_ns":{"min":1100,"max":1190,"bins":{"1096":2,"1192":3}}}}]}';
    return [
      await json('record', folder.write('access.log', lines.join('')), '--by', 'status'),
      await json('record', folder.write('access.log', lines.join('')), '--by', 'status', '--every', '1m'),
      await json('record', folder.write('fio.json', fio)),
    ];
  },
  query: async () => [
    await json('query', history),
    await json('query', history, '--metric', 'rpc', '--by', 'host', '--every', '1h'),
    await json('query', history, '--metric', 'rpc', '--percentiles', '50,100'),
  ],
};

test.each(Object.entries(COMMANDS))('the JSON of %s is that of its schema', async (name, documents) => {
  const schema = readSchema(`${name}.schema.json`);
  for (const document of await documents()) {
    expect(faultsIn(document, schema)).toEqual([]);
    expect(undescribedIn(document, schema)).toEqual([]);
  }
});

const VECTORS = new URL('../../../docs/formats/vectors/', import.meta.url);

test.each(readdirSync(VECTORS))('the vectors of %s are those of their schema', (file) => {
  const document = JSON.parse(readFileSync(new URL(file, VECTORS), 'utf8'));
  const schema = readSchema('vectors.schema.json');
  expect(faultsIn(document, schema)).toEqual([]);
  expect(undescribedIn(document, schema)).toEqual([]);
});

test('a document that differs from its schema has faults', async () => {
  const schema = readSchema('query.schema.json');
  const [, answer] = (await COMMANDS.query!()) as { groups: { count: unknown }[] }[];
  const broken = structuredClone(answer!) as { groups: { count: unknown }[] };
  broken.groups[1]!.count = 'many';
  expect(faultsIn(broken, schema)).not.toEqual([]);
  expect(undescribedIn({ ...answer, more: 1 }, schema)).toEqual(['$.more']);
});

test('every schema has a test', () => {
  const names = readdirSync(new URL('../../../docs/formats/', import.meta.url));
  expect(names.filter((name) => name.endsWith('.schema.json')).sort()).toEqual(
    [...Object.keys(COMMANDS), 'missing', 'percentiles', 'trace', 'vectors']
      .map((name) => `${name}.schema.json`)
      .sort(),
  );
});
