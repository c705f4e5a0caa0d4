import { type ExecFileException, execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Axis,
  formatHistogramDump,
  formatHistogramSchema,
  type HistogramLogger,
  PerfHistogram,
  type RunningAdminSocket,
  serveAdminSocket,
  snapshotNumbers,
} from '@hdrscope/ceph';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { COUNTER, LATENCY as OSD_LATENCY, SIZE } from '@hdrscope/testing/osd';

// The unmodified command and Python modules of Ceph read our admin socket.

const LATENCY: Axis = { ...OSD_LATENCY, name: 'Latency (nsec)', quantSize: 131_072 };

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
let server: RunningAdminSocket;
let histogram: PerfHistogram;

/** Runs a program without blocking this process, which serves the socket. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const options = { env: { ...process.env, ...env }, timeout: 90_000, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error: ExecFileException | null, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const ceph = (...args: readonly string[]): Promise<Outcome> =>
  run(programOf('ceph-client'), ['--admin-daemon', server.path, ...args]);

/** Runs a script that may import the modules of Ceph's client. Its argument is the path of the socket. */
function python(script: string): Promise<Outcome> {
  const file = join(folder, 'script.py');
  writeFileSync(file, script);
  const modules = join(dirname(programOf('ceph-client')), '../usr/lib/python3/dist-packages');
  return run('/usr/bin/python3', [file, server.path], { PYTHONPATH: modules });
}

const loggers = (): HistogramLogger[] => [
  { name: 'osd', counters: [{ name: COUNTER, histogram, description: 'latency of writes, and their size' }] },
  { name: 'cct', counters: [] },
];

describeWithPeers(['ceph-client'])('the client of Ceph', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-ceph-'));
    histogram = new PerfHistogram([LATENCY, SIZE]);
    for (let ms = 1; ms <= 100; ms++) histogram.record(ms * 1e6, 4096);
    const registry = createRegistry();
    registry.histogram({ name: 'request.duration', unit: 's' }).with({}).record(0.25);
    server = await serveAdminSocket({
      path: join(folder, 'shop.asok'),
      version: { version: '1.2.3', release: 'shop' },
      histograms: {
        schema: (format) => formatHistogramSchema(loggers(), { format }),
        dump: (filter, format) => formatHistogramDump(loggers(), { ...filter, format }),
      },
      numbers: async () => ({
        ...snapshotNumbers(await registry.gather()),
        shop: { orders: { kind: 'counter', value: 3, nick: 'ord', priority: 10 } },
      }),
      commands: [
        {
          prefix: 'cache drop',
          help: 'drop what is cached',
          args: [
            { name: 'kind', type: 'choice', choices: ['old', 'all'] },
            { name: 'max_age', type: 'int', required: false },
            { name: 'share', type: 'float', required: false },
            { name: 'names', repeated: true, required: false },
          ],
          run: (args) => args,
        },
        {
          prefix: 'fail',
          run: () => {
            throw new Error('there is no cache');
          },
        },
      ],
    });
  });

  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  test('lists the commands', async () => {
    const { status, stdout } = await ceph('help');

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      'cache drop': 'drop what is cached',
      'perf histogram dump': 'dump perf histogram values',
    });
  });

  test('reads the dump, with filters and in all formats', async () => {
    const all = await ceph('perf', 'histogram', 'dump');
    const one = await ceph('perf', 'histogram', 'dump', 'osd', COUNTER, '-f', 'json');
    const empty = await ceph('perf', 'histogram', 'dump', 'cct');
    const xml = await ceph('perf', 'histogram', 'dump', 'osd', COUNTER, '-f', 'xml');

    expect(all).toEqual({ status: 0, stdout: formatHistogramDump(loggers()), stderr: '' });
    expect(JSON.parse(one.stdout)).toEqual({ osd: JSON.parse(all.stdout).osd });
    expect(one.stdout).not.toContain('\n');
    expect(empty.stdout).toBe('{\n    "cct": {}\n}\n');
    expect(xml.stdout).toMatch(/^<perfcounter_collection><osd>.*<\/perfcounter_collection>$/);
  });

  test('reads the schema', async () => {
    const { status, stdout } = await ceph('perf', 'histogram', 'schema');

    expect(status).toBe(0);
    expect(JSON.parse(stdout).osd[COUNTER]).toMatchObject({
      type: 26,
      metric_type: 'counter',
      value_type: 'integer-2d-histogram',
    });
  });

  test('reads the versions of the server and of the protocol', async () => {
    expect(JSON.parse((await ceph('version')).stdout)).toEqual({
      version: '1.2.3',
      release: 'shop',
      release_type: 'dev',
    });
    expect(await ceph('0')).toEqual({ status: 0, stdout: '2', stderr: '' });
  });

  test('reads percentiles from numbers', async () => {
    const { status, stdout } = await ceph('perf', 'dump');

    expect(status).toBe(0);
    expect(JSON.parse(stdout).hdrscope).toMatchObject({
      'request.duration': { avgcount: 1, sum: 0.25, avgtime: 0.25 },
      'request.duration_max': 0.25,
    });
  });

  test('shows the numbers of a high priority as they change', async () => {
    const program = programOf('ceph-client');
    const { status, stdout } = await run(program, ['daemonperf', server.path, '1', '1']);

    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/shop.*\n.*ord/) });
  });

  test('passes typed arguments to a command', async () => {
    const { status, stdout } = await ceph('cache', 'drop', 'old', '60', '0.5', 'a', 'b');

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ kind: 'old', max_age: 60, share: 0.5, names: ['a', 'b'] });
  });

  test('refuses arguments that the descriptions do not allow, without asking the server', async () => {
    const unknown = await ceph('nonesuch');
    const wrong = await ceph('cache', 'drop', 'young');

    expect([unknown.status, wrong.status]).toEqual([22, 22]);
    expect(unknown.stderr).toContain('admin_socket: invalid command');
  });

  test('prints the error of a command that throws', async () => {
    expect(await ceph('fail')).toEqual({
      status: 0,
      stdout: 'ERROR: (22) Invalid argument\nthere is no cache\n',
      stderr: '',
    });
  });

  test('reads the answers to the requests of its Python modules', async () => {
    const { status, stdout, stderr } = await python(`
import json, sys
from ceph_daemon import admin_socket
path = sys.argv[1]
dump = json.loads(admin_socket(path, ['perf', 'histogram', 'dump'], ''))
print(json.dumps(dump['osd'], sort_keys=True))
print(admin_socket(path, ['version'], 'json').decode())
try:
    admin_socket(path, ['nonesuch'], '')
except Exception as error:
    print(error)
`);

    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) });
    const [dump, version, error] = stdout.split('\n');
    expect(JSON.parse(dump!)).toEqual(JSON.parse(formatHistogramDump(loggers())).osd);
    expect(version).toBe('{"version":"1.2.3","release":"shop","release_type":"dev"}');
    expect(error).toContain('invalid command');
  });

  test('a reader of two dimensions finds its cells by the ranges of both axes', async () => {
    const { status, stdout } = await python(`
import json, sys
from ceph_daemon import admin_socket
path = sys.argv[1]
counter = json.loads(admin_socket(path, ['perf', 'histogram', 'dump'], ''))['osd']['${COUNTER}']
latency, size = counter['axes'][0], counter['axes'][1]
assert len(counter['values']) == latency['buckets'] == len(latency['ranges'])
for row in counter['values']:
    assert len(row) == size['buckets'] == len(size['ranges'])
columns = [sum(column) for column in zip(*counter['values'])]
for total, bounds in zip(columns, size['ranges']):
    if total:
        print(bounds['min'], bounds['max'], total)
slow = sum(sum(row) for row, bounds in zip(counter['values'], latency['ranges']) if bounds.get('min', -1) >= 131072 * 512)
print(slow)
`);

    expect(status).toBe(0);
    // In a recording of 1 to 100 ms, 67.1 ms is the lower bound of a range.
    expect(stdout).toBe('4096 8191 100\n33\n');
  });

  test('explains that no server listens', async () => {
    const { status, stderr } = await run(programOf('ceph-client'), [
      '--admin-daemon',
      join(folder, 'none.asok'),
      'version',
    ]);

    expect(status).toBe(22);
    expect(stderr).toContain('No such file or directory');
  });
});
