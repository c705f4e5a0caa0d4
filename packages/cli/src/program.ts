import { type Io, UsageError } from './command.ts';
import type { DefinedCommand } from './define-command.ts';
import { endWell } from './ending.ts';
import { type Group, type LoadCommand, runGroup } from './group.ts';

import { lookAtPath } from './system-error.ts';

// Modules that have several commands.
const rewrite = () => import('./commands/log/rewrite.ts');
const maintain = () => import('./commands/history/maintain.ts');
const config = () => import('./commands/config.ts');
const count = () => import('./commands/ebpf/count.ts');

function from<Name extends string>(
  load: () => Promise<Readonly<Record<Name, DefinedCommand>>>,
  name: Name,
): LoadCommand {
  return async () => ({ command: (await load())[name] });
}

const LOG: Group = {
  path: 'hdrscope log',
  description: `Works on HdrHistogram's interval logs, of any version and by any writer, plain or gzipped; - is standard input.
summary and convert also take percentile text (.hgrm, its CSV, wrk2 --latency).\nhdrscope diff compares logs.`,
  commands: {
    summary: ['prints counts, rates and percentiles of each tag', () => import('./commands/log/summary.ts')],
    tail: [
      'prints percentiles of the last intervals, and of new ones',
      () => import('./commands/log/tail.ts'),
    ],
    merge: ['merges several logs into one, in the order of time', from(rewrite, 'merge')],
    slice: ['copies a part of a log: times, tags', from(rewrite, 'slice')],
    reinterval: ['makes longer intervals, without loss', from(rewrite, 'reinterval')],
    convert: [
      'writes other formats: V2, NDJSON, CSV, percentile text',
      () => import('./commands/log/convert.ts'),
    ],
    process: [
      "prints what Java's HistogramLogProcessor prints, with the same arguments",
      () => import('./commands/log/process.ts'),
    ],
  },
  examples: [
    'hdrscope log summary service.hlog',
    'hdrscope log convert --format csv service.hlog -o service.csv',
    'hdrscope log tail -f service.hlog',
  ],
};

const HISTORY_SQL: Group = {
  path: 'hdrscope history sql',
  description: `Prints statements by which an engine keeps a history itself: DuckDB and Spark for files, ClickHouse and PostgreSQL for
tables. Nothing is asked or changed. "hdrscope query --print-sql" prints those that answer questions.`,
  commands: {
    table: ['the table of a history', () => import('./commands/history/sql/table.ts')],
    rollup: [
      'rows of longer stretches of time, also without some attributes',
      () => import('./commands/history/sql/rollup.ts'),
    ],
    compact: ['each row once, in one file for each day', () => import('./commands/history/sql/compact.ts')],
    unique: ['each row once, for statements of your own', () => import('./commands/history/sql/unique.ts')],
    functions: [
      'functions of an engine, for statements of your own',
      () => import('./commands/history/sql/functions.ts'),
    ],
  },
  examples: [
    'hdrscope history sql rollup history fleet --drop host.name | duckdb',
    'hdrscope history sql unique history --metric rpc.duration',
  ],
};

const HISTORY: Group = {
  path: 'hdrscope history',
  description: `Keeps distributions for months: Parquet files in a folder for each day, which DuckDB, ClickHouse and Spark read.
hdrscope query asks them. Services and "hdrscope run" write to such folders too.`,
  commands: {
    import: [
      'adds interval logs and files of OTLP to a history, each once',
      () => import('./commands/history/import.ts'),
    ],
    compact: ['merges the files of each day that has ended', from(maintain, 'compact')],
    rollup: ['adds rows up by the hour, in a history of its own', from(maintain, 'rollup')],
    remove: ['removes days that are too old', from(maintain, 'remove')],
    verify: ['finds files that the disk has damaged', from(maintain, 'verify')],
    sql: ['prints statements by which an engine keeps a history itself', HISTORY_SQL],
  },
  examples: ['hdrscope history import service.hlog -o history', 'hdrscope history compact history'],
};

const SLO: Group = {
  path: 'hdrscope slo',
  description: 'Works on service level objectives: shares of requests within a threshold.',
  commands: {
    rules: ['prints recording and alerting rules for Prometheus', () => import('./commands/slo/rules.ts')],
    report: [
      'says how an objective would have been kept, by day, from a history',
      () => import('./commands/slo/report.ts'),
    ],
  },
  examples: [
    'hdrscope slo rules --metric http_request_duration_seconds --threshold 300ms --objective 99.9%',
    'hdrscope slo report history --metric rpc.duration --threshold 250ms --objective 99.9%',
  ],
};

const CONFIG: Group = {
  path: 'hdrscope config',
  description: 'Writes and checks configurations of hdrscope run.',
  commands: {
    init: ['writes a configuration that runs as it is', from(config, 'init')],
    check: ['reports problems, with lines', from(config, 'check')],
    schema: ['prints the JSON schema, for editors', from(config, 'schema')],
  },
  examples: ['hdrscope config init', 'hdrscope config check hdrscope.yaml'],
};

const EBPF: Group = {
  path: 'hdrscope ebpf',
  description: `Reads the histograms that eBPF programs count in the kernel. It never changes a map.

A map is named by the path of its pin, by id:N or by name:X. The last two take root (CAP_SYS_ADMIN);
a pin of mode 0444 takes no rights.`,
  commands: {
    list: ['lists the maps that this user can see', () => import('./commands/ebpf/list.ts')],
    read: ['shows the counts of a map as bars and percentiles', () => import('./commands/ebpf/read.ts')],
    watch: [
      'shows what a map counts from now on, a line for each interval',
      () => import('./commands/ebpf/watch.ts'),
    ],
    heatmap: ['draws what a map counts from now on, over time', () => import('./commands/ebpf/heatmap.ts')],
    runqueue: [
      'counts for some seconds how many tasks wait for a CPU, and how long',
      from(count, 'runqueue'),
    ],
    blockio: ['counts for some seconds how long block devices take for requests', from(count, 'blockio')],
    tcprtt: ['counts for some seconds the round-trip times of TCP connections', from(count, 'tcprtt')],
    serve: ['serves maps as metrics for Prometheus', () => import('./commands/ebpf/serve.ts')],
    doctor: [
      'checks what this user may read here, and shows what helps',
      () => import('./commands/ebpf/doctor.ts'),
    ],
  },
  examples: [
    'hdrscope ebpf doctor',
    'hdrscope ebpf read /sys/fs/bpf/queue_hist --layout queue-depth',
    'hdrscope ebpf watch name:latency_hist --layout log-linear-8 --unit ns',
  ],
};

const CEPH: Group = {
  path: 'hdrscope ceph',
  description: `Reads the perf histograms of Ceph's daemons, and serves histograms as a daemon does.

A daemon is read through its admin socket, by root or the user of the daemon, without the ceph program.
A folder stands for the sockets in it. A file holds the answer of a daemon: the output of ceph daemon or
ceph tell in JSON or XML, or a telemetry report.
- is standard input.`,
  commands: {
    schema: ['lists histograms, and what they count', () => import('./commands/ceph/schema.ts')],
    dump: ['prints percentiles and means of every axis', () => import('./commands/ceph/dump.ts')],
    top: ['shows the latency of a cluster, and its slowest OSDs', () => import('./commands/ceph/top.ts')],
    heatmap: ['draws two axes of a histogram', () => import('./commands/ceph/heatmap.ts')],
    watch: ['prints the values of each interval, from now on', () => import('./commands/ceph/watch.ts')],
    serve: [
      'serves daemons to Prometheus, or an admin socket for trying out',
      () => import('./commands/ceph/serve.ts'),
    ],
  },
  examples: [
    'hdrscope ceph dump /var/run/ceph/ceph-osd.0.asok',
    "hdrscope ceph dump ceph-osd.0.asok --where 'size=4KiB..8KiB'",
    'ceph tell osd.* perf histogram dump | hdrscope ceph heatmap -',
    'hdrscope ceph watch /var/run/ceph/ceph-osd.*.asok --interval 5s',
    'hdrscope ceph top /var/run/ceph',
  ],
};

const PROMETHEUS: Group = {
  path: 'hdrscope prometheus',
  description: `Reads the histograms of exporters and applications, as Prometheus does.`,
  commands: {
    top: [
      'shows the percentiles of histograms between two scrapes',
      () => import('./commands/prometheus/top.ts'),
    ],
  },
  examples: [
    'hdrscope prometheus top http://localhost:9100',
    'hdrscope prometheus top http://shop:8080 --by route',
  ],
};

export const HDRSCOPE: Group = {
  path: 'hdrscope',
  description:
    'Counts how long requests take, exactly to three digits: from numbers, logs, load tests, kernels and clusters.\nhdrscope FILE says what a file is, shows what is in it, and names the commands that go on.',
  sections: {
    'numbers, logs and load tests': ['record', 'log', 'convert', 'plot', 'serve', 'inspect'],
    'is it slower, is it fast enough': ['diff', 'ab', 'check'],
    'months of a service': ['history', 'query', 'explain', 'slo'],
    'kernels and clusters': ['ebpf', 'ceph', 'prometheus'],
    'from classic to native histograms': ['migrate'],
    'in production': ['run', 'config', 'doctor'],
    'before you record': ['advise', 'bounds'],
    'in your shell': ['completion'],
  },
  commands: {
    record: [
      'counts the numbers of a text, and prints their distribution',
      () => import('./commands/record/index.ts'),
    ],
    ab: [
      'runs two load tests in turn, and says whether one is slower',
      () => import('./commands/ab/index.ts'),
    ],
    diff: [
      'compares runs, and says whether their difference is real',
      () => import('./commands/diff/index.ts'),
    ],
    check: [
      'judges whether a load test or a log keeps objectives, for CI',
      () => import('./commands/check/index.ts'),
    ],
    advise: [
      'says what a histogram would cost and how exact it would be',
      () => import('./commands/advise.ts'),
    ],
    bounds: ['prints round boundaries for explicit buckets', () => import('./commands/bounds.ts')],
    inspect: ['says what files are, and which commands take them', () => import('./commands/inspect.ts')],
    log: ['works on interval logs (.hlog)', LOG],
    convert: [
      'writes a histogram in another form, and says the worst error',
      () => import('./commands/convert/index.ts'),
    ],
    plot: ['draws histograms, on the terminal or as a picture', () => import('./commands/plot/index.ts')],
    serve: [
      'serves a live page with curves and heat maps of files',
      () => import('./commands/serve/index.ts'),
    ],
    history: ['keeps the distributions of logs for months, in Parquet files', HISTORY],
    query: [
      'asks a history for percentiles of any series, over any time',
      () => import('./commands/query/index.ts'),
    ],
    explain: ['says which attributes made a percentile move', () => import('./commands/explain/index.ts')],
    ebpf: ["reads the kernel's histograms from eBPF maps", EBPF],
    ceph: ["reads Ceph's perf histograms, and serves ours as Ceph does", CEPH],
    prometheus: ['reads histograms of exporters, as Prometheus does', PROMETHEUS],
    migrate: [
      'rewrites rules and dashboards for native histograms',
      () => import('./commands/migrate/index.ts'),
    ],
    slo: ['judges an objective afterwards, writes rules for Prometheus', SLO],
    run: [
      'brings sources of histograms to sinks, as a configuration says',
      () => import('./commands/run.ts'),
    ],
    config: ['writes and checks configurations of run', CONFIG],
    doctor: [
      'asks services, Prometheus and receivers whether they work together',
      () => import('./commands/doctor/index.ts'),
    ],
    completion: [
      'prints a script with which a shell completes these commands',
      async () => ({ command: (await import('./commands/completion/index.ts')).defineCompletion(HDRSCOPE) }),
    ],
  },
  notes: `  hdrscope --version prints the version.

exit codes:
  0 done; 1 a verdict (worse, missed), or input that is refused; 2 a wrong command line; 3 too little to judge by; 4 a failed load test of ab; 130 ended by Ctrl-C

environment:
  NO_COLOR no colours; COLUMNS the length of a line; HDRSCOPE_TOKEN what clients of serve must send; HDRSCOPE_DEBUG where errors arose
`,
  examples: [
    'hdrscope service.hlog',
    'hdrscope record latencies.txt --unit ms',
    'hdrscope diff --before main/ --after branch/ --fail-if-worse 5%',
  ],
};

/** Runs a command line and returns its exit code. Turns every error into a message on standard error. */
export async function runCli(args: readonly string[], rawIo: Io): Promise<number> {
  return endWell(rawIo, async (io) => (await lookAtFile(args, io)) ?? (await runGroup(HDRSCOPE, args, io)));
}

/** `hdrscope FILE`. `undefined` when the first word is no file. */
async function lookAtFile(args: readonly string[], io: Io): Promise<number | undefined> {
  const [path, ...others] = args;
  if (path === undefined || path.startsWith('-') || Object.hasOwn(HDRSCOPE.commands, path)) return undefined;
  if ((await lookAtPath(path)) === undefined) return undefined;
  if (others.length > 0) {
    throw new UsageError(
      `hdrscope FILE takes one file and no options, got '${others[0]}' too: hdrscope ${path} names the commands that take them`,
    );
  }
  const { look } = await import('./commands/look.ts');
  return look(path, io, (words) => runGroup(HDRSCOPE, words, io));
}
