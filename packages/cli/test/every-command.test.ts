import { OSD_SCHEMA } from '@hdrscope/testing/osd';
import { Termination } from '../src/command.ts';
import { commandTree } from '../src/commands/completion/index.ts';
import { HDRSCOPE } from '../src/program.ts';
import { hdrscope, type World } from './support/fake-io.ts';
import { useFolder } from './support/logs.ts';

const folder = useFolder();
const DATA = '../../examples/data';
const [BEFORE, AFTER] = [`${DATA}/before.hlog`, `${DATA}/after.hlog`];

/** What a run of a command must leave: its exit code, and a part of what it prints. */
interface Run {
  readonly args: readonly string[];
  /** What it may be. @default 0 */
  readonly exitCode?: number | readonly number[];
  readonly prints: RegExp;
  /** It ends by Ctrl-C after its first text on standard output or standard error. */
  readonly isService?: true;
}

const SERVICE = { exitCode: 130, isService: true } as const;
// There is no such map on any machine.
const NO_MAP = {
  args: ['/sys/fs/bpf/hdrscope-none', '--layout', 'queue-depth'],
  exitCode: 1,
  prints: /^hdrscope: /,
};
// These wait for the map, or say that this process has not the rights to look for it.
const WAITING = { ...NO_MAP, exitCode: [1, 130], prints: /^hdrscope: /m, isService: true } as const;
// It has the rights, or says which ones it lacks: live.test.ts looks at what it counts.
const COUNTING = { args: ['--duration', '50ms'], exitCode: [0, 1], prints: /^counted for|^hdrscope: /m };

const commands = (await commandTree(HDRSCOPE)).filter((node) => node.commands.length === 0);

/** A real run of each command, by its path. */
const RUNS: Readonly<Record<string, () => Run>> = {
  record: () => ({ args: [`${DATA}/latencies.txt`, '--unit', 'ms'], prints: /^total 5,000$/m }),
  ab: () => ({
    args: ['--before', 'seq 1 99', '--after', 'seq 1 99', '--runs', '2', '--warm-ups', '0', '--json'],
    prints: /"ending": ?"all runs are made"/,
  }),
  diff: () => ({ args: [BEFORE, AFTER, '--percentiles', '50'], prints: /^p50 /m }),
  check: () => ({ args: [BEFORE, '--slo', 'p50=1s'], prints: /kept beyond doubt/ }),
  advise: () => ({ args: ['--max', '1h'], prints: /slots/ }),
  bounds: () => ({ args: ['--from', '5ms', '--to', '10s'], prints: /0\.005/ }),
  inspect: () => ({ args: [`${DATA}/access.log`], prints: /access log/ }),
  'log summary': () => ({ args: [BEFORE], prints: /60,000/ }),
  'log tail': () => ({ args: ['-f', BEFORE], prints: /p99/, ...SERVICE }),
  'log merge': () => ({ args: [BEFORE, AFTER], prints: /^"StartTimestamp"|HISTF/m }),
  'log slice': () => ({ args: [BEFORE, '--since', '0s', '--until', '20s'], prints: /HISTF/ }),
  'log reinterval': () => ({ args: ['60s', BEFORE], prints: /HISTF/ }),
  'log convert': () => ({ args: [BEFORE, '--format', 'csv'], prints: /^start_s,end_s/ }),
  'log process': () => ({ args: ['-i', BEFORE], prints: /IntervalPercentiles|Percentile/ }),
  convert: () => ({ args: [`${DATA}/last-month.hgrm`, '--to', 'json'], prints: /^\{/ }),
  plot: () => ({ args: [BEFORE, '--format', 'svg'], prints: /^<svg/ }),
  serve: () => ({ args: [BEFORE, '--port', '0'], prints: /http:\/\/localhost:\d/, ...SERVICE }),
  'history import': () => ({ args: [AFTER, '-o', folder.pathOf('after')], prints: /: 10 rows, / }),
  'history compact': () => ({ args: [history()], prints: /\S/ }),
  'history rollup': () => ({ args: [history(), folder.pathOf('hours')], prints: /\S/ }),
  'history remove': () => ({ args: [history(), '--keep', '36500d'], prints: /\S/ }),
  'history verify': () => ({ args: [history()], prints: /\S/ }),
  'history sql table': () => ({ args: ['h'], prints: /CREATE/ }),
  'history sql rollup': () => ({ args: ['h', 'fleet'], prints: /SELECT/ }),
  'history sql compact': () => ({ args: ['h', 'compacted'], prints: /SELECT/ }),
  'history sql unique': () => ({ args: ['h'], prints: /SELECT/ }),
  'history sql functions': () => ({ args: [], prints: /CREATE/ }),
  query: () => ({ args: [history(), '--metric', 'rpc'], prints: /60,000/ }),
  explain: () => ({ args: [BEFORE, AFTER], prints: /p99/ }),
  'ebpf list': () => ({ args: ['--json'], exitCode: [0, 1], prints: /^\[|^\{|^hdrscope: / }),
  'ebpf read': () => NO_MAP,
  'ebpf watch': () => WAITING,
  'ebpf heatmap': () => ({
    args: ['program:runqueue/all/latency', '-n', '1', '--interval', '50ms'],
    ...{ exitCode: [0, 1], prints: /\S/ },
  }),
  'ebpf serve': () => ({ ...WAITING, args: [...NO_MAP.args, '--port', '0'] }),
  'ebpf runqueue': () => COUNTING,
  'ebpf blockio': () => COUNTING,
  'ebpf tcprtt': () => COUNTING,
  'ebpf doctor': () => ({ args: ['--json'], exitCode: [0, 1], prints: /"findings"/ }),
  'ceph schema': () => ({
    args: [folder.write('schema.json', OSD_SCHEMA)],
    prints: /op_w_latency/,
  }),
  'ceph dump': () => ({ args: [`${DATA}/osd.json`], prints: /p99/ }),
  'ceph top': () => ({ args: [folder.pathOf('no.asok')], exitCode: 1, prints: /no\.asok/ }),
  'ceph heatmap': () => ({ args: [`${DATA}/osd.json`], prints: /\S/ }),
  'ceph watch': () => ({ args: [folder.pathOf('no.asok')], exitCode: 1, prints: /no\.asok/ }),
  'ceph serve': () => ({ args: ['--socket', folder.pathOf('osd.asok')], prints: /osd\.asok/, ...SERVICE }),
  'prometheus top': () => ({ args: ['http://127.0.0.1:9'], exitCode: 1, prints: /127\.0\.0\.1:9/ }),
  migrate: () => ({
    args: ['--query', 'histogram_quantile(0.9, sum by (le) (rate(rpc_seconds_bucket[5m])))'],
    prints: /histogram_quantile\(0\.9, sum\(rate\(rpc_seconds\[5m\]\)\)\)/,
  }),
  'slo rules': () => ({
    args: ['--metric', 'a_seconds', '--threshold', '300ms', '--objective', '99.9%'],
    prints: /^groups:/m,
  }),
  'slo report': () => ({
    args: [
      history(),
      '--metric',
      'rpc',
      '--threshold',
      '300ms',
      '--objective',
      '99%',
      '--since',
      '2026-01-01',
    ],
    prints: /99/,
  }),
  run: () => ({ args: [folder.write('run.yaml', RUN)], prints: /./, isService: true }),
  'config init': () => ({ args: ['-'], prints: /^sinks:/m }),
  'config check': () => ({ args: ['../../examples/hdrscope.yaml'], prints: /\S/ }),
  'config schema': () => ({ args: [], prints: /"\$schema"/ }),
  doctor: () => ({ args: ['--health', 'http://127.0.0.1:9'], exitCode: 1, prints: /127\.0\.0\.1:9/ }),
  completion: () => ({ args: ['bash'], prints: /hdrscope log summary/ }),
};

const RUN = "sources: []\nsinks: [{ type: prometheus, listen: '127.0.0.1:0' }]\n";

const history = (): string => folder.pathOf('history');
beforeAll(async () => {
  expect(await hdrscope(['history', 'import', BEFORE, '-o', history(), '--metric', 'rpc'])).toMatchObject({
    exitCode: 0,
  });
});

const wordsOf = (path: string): string[] => path.split(' ').slice(1);

test('each command has a run', () => {
  expect(Object.keys(RUNS).toSorted()).toEqual(
    commands.map(({ path }) => wordsOf(path).join(' ')).toSorted(),
  );
});

test.each(commands.map(({ path }) => path))(
  '%s runs',
  async (path) => {
    const words = wordsOf(path);
    const { args, exitCode = 0, prints, isService } = RUNS[words.join(' ')]!();
    const end: World['onOutput'] = (_, end) => end(new Termination('SIGINT', 130));
    const listening = isService && { onOutput: end, onNote: end };
    const ran = await hdrscope([...words, ...args], { ...listening });
    expect(ran.stdout + ran.stderr).toMatch(prints);
    expect([exitCode].flat()).toContain(ran.exitCode);
  },
  60_000,
);
