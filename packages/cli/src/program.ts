import { cleanIo } from './clean-output.ts';
import { ExitCode, type Io, Termination, UsageError } from './command.ts';
import { type Group, runGroup } from './command-module.ts';
import { errorText } from './system-error.ts';

const LOG: Group = {
  path: 'hdrscope log',
  description: `Works on HdrHistogram's interval logs, of any version and by any writer, plain or gzipped; - is standard input.
summary and convert also take percentile text (.hgrm, its CSV, wrk2 --latency).\nhdrscope diff compares logs.`,
  commands: [
    {
      name: 'summary',
      summary: 'prints counts, rates and percentiles of each tag',
      load: () => import('./log/summary.ts'),
    },
    {
      name: 'tail',
      summary: 'prints percentiles of the last intervals, and of new ones',
      load: () => import('./log/tail.ts'),
    },
    {
      name: 'merge',
      summary: 'merges several logs into one, in the order of time',
      load: async () => (await import('./log/rewrite.ts')).merge,
    },
    {
      name: 'slice',
      summary: 'copies a part of a log: times, tags',
      load: async () => (await import('./log/rewrite.ts')).slice,
    },
    {
      name: 'reinterval',
      summary: 'makes longer intervals, without loss',
      load: async () => (await import('./log/rewrite.ts')).reinterval,
    },
    {
      name: 'convert',
      summary: 'writes other formats: V2, NDJSON, CSV, percentile text',
      load: () => import('./log/convert.ts'),
    },
    {
      name: 'process',
      summary: "prints what Java's HistogramLogProcessor prints, with the same arguments",
      load: () => import('./log/process.ts'),
    },
  ],
  examples: [
    'hdrscope log summary service.hlog',
    'hdrscope log convert --format csv service.hlog -o service.csv',
    'hdrscope log tail -f service.hlog',
  ],
};

const HISTORY: Group = {
  path: 'hdrscope history',
  description: `Keeps distributions for months: Parquet files in a folder for each day, which DuckDB, ClickHouse and Spark read.
hdrscope query asks them. Services and "hdrscope run" write to such folders too.`,
  commands: [
    {
      name: 'import',
      summary: 'adds interval logs and files of OTLP to a history, each once',
      load: () => import('./history/import.ts'),
    },
    {
      name: 'compact',
      summary: 'merges the files of each day that has ended',
      load: async () => (await import('./history/maintain.ts')).compact,
    },
    {
      name: 'rollup',
      summary: 'adds rows up by the hour, in a history of its own',
      load: async () => (await import('./history/maintain.ts')).rollup,
    },
  ],
  examples: ['hdrscope history import service.hlog -o history', 'hdrscope history compact history'],
};

const SLO: Group = {
  path: 'hdrscope slo',
  description: 'Works on service level objectives: shares of requests within a threshold.',
  commands: [
    {
      name: 'rules',
      summary: 'prints recording and alerting rules for Prometheus',
      load: () => import('./slo/rules.ts'),
    },
    {
      name: 'report',
      summary: 'says how an objective would have been kept, by day, from a history',
      load: () => import('./slo/report.ts'),
    },
  ],
  examples: [
    'hdrscope slo rules --metric http_request_duration_seconds --threshold 300ms --objective 99.9%',
    'hdrscope slo report history --metric rpc.duration --threshold 250ms --objective 99.9%',
  ],
};

const CONFIG: Group = {
  path: 'hdrscope config',
  description: 'Writes and checks configurations of hdrscope run.',
  commands: [
    {
      name: 'init',
      summary: 'writes a configuration that runs as it is',
      load: async () => (await import('./commands/config.ts')).init,
    },
    {
      name: 'check',
      summary: 'reports problems, with lines',
      load: async () => (await import('./commands/config.ts')).check,
    },
    {
      name: 'schema',
      summary: 'prints the JSON schema, for editors',
      load: async () => (await import('./commands/config.ts')).schema,
    },
  ],
  examples: ['hdrscope config init', 'hdrscope config check hdrscope.yaml'],
};

/** The whole command. */
export const HDRSCOPE: Group = {
  path: 'hdrscope',
  description:
    'Counts whole distributions, reads them from logs, kernels and daemons, compares them, draws them, and brings\nthem to where people watch them.',
  commands: [
    {
      name: 'record',
      summary: 'counts the numbers of a text, and prints their distribution',
      load: () => import('./record/index.ts'),
    },
    {
      name: 'diff',
      summary: 'compares two logs, texts or histograms, and says whether the difference is real',
      load: () => import('./diff/index.ts'),
    },
    {
      name: 'check',
      summary: 'judges whether a load test or a log keeps objectives, for CI',
      load: () => import('./check/index.ts'),
    },
    {
      name: 'advise',
      summary: 'says what a histogram would cost and how exact it would be',
      load: () => import('./commands/advise.ts'),
    },
    {
      name: 'bounds',
      summary: 'prints round boundaries for explicit buckets, and how much they leave open',
      load: () => import('./commands/bounds.ts'),
    },
    {
      name: 'inspect',
      summary: 'says what files are, and which commands take them',
      load: () => import('./commands/inspect.ts'),
    },
    {
      name: 'log',
      summary: 'works on interval logs (.hlog)',
      load: async () => ({ group: LOG }),
    },
    {
      name: 'plot',
      summary: 'draws histograms, on the terminal or as a picture',
      load: () => import('./plot/index.ts'),
    },
    {
      name: 'serve',
      summary: 'serves a live page with curves and heat maps of files',
      load: () => import('./serve/index.ts'),
    },
    {
      name: 'history',
      summary: 'keeps the distributions of logs for months, in Parquet files',
      load: async () => ({ group: HISTORY }),
    },
    {
      name: 'query',
      summary: 'asks a history for percentiles of any series, over any time',
      load: () => import('./query/index.ts'),
    },
    {
      name: 'explain',
      summary: 'says which attribute made a percentile move, from a history',
      load: () => import('./commands/explain.ts'),
    },
    {
      name: 'ebpf',
      summary: "reads the kernel's histograms from eBPF maps",
      load: () => import('./commands/ebpf/index.ts'),
    },
    {
      name: 'ceph',
      summary: "reads Ceph's perf histograms, and serves ours as Ceph does",
      load: () => import('./commands/ceph/index.ts'),
    },
    {
      name: 'slo',
      summary: 'judges an objective afterwards, and writes rules for Prometheus that watch it',
      load: async () => ({ group: SLO }),
    },
    {
      name: 'run',
      summary: 'brings sources of histograms to sinks, as a configuration says',
      load: () => import('./commands/run.ts'),
    },
    {
      name: 'config',
      summary: 'writes and checks configurations of run',
      load: async () => ({ group: CONFIG }),
    },
    {
      name: 'completion',
      summary: 'prints a script that makes a shell complete these commands',
      load: async () => {
        const { completionOf } = await import('./completion/index.ts');
        return completionOf(HDRSCOPE);
      },
    },
  ],
  notes: `  hdrscope --version prints the version.

exit codes:
  0    done
  1    a verdict (diff and query: worse, check: missed), or refused input: a file that cannot be read, malformed lines
  2    a wrong command line
  130  ended by Ctrl-C; any other signal: 128 and its number

environment:
  NO_COLOR        no colours, not even on terminals
  COLUMNS         the length of a line, also without a terminal
  HDRSCOPE_TOKEN  the token that clients of serve, ebpf serve and ceph serve must send
  HDRSCOPE_DEBUG  errors show the place in the program where they arose
`,
  examples: [
    'hdrscope record latencies.txt --unit ms',
    'hdrscope log summary service.hlog',
    'hdrscope diff before.hlog after.hlog --fail-if-worse 5%',
    'hdrscope plot before.hlog after.hlog -o latency.html',
    'hdrscope serve service.hlog',
    'hdrscope run hdrscope.yaml',
  ],
};

/** Runs a command line and returns its exit code. Turns every error into a message on standard error. */
export async function runCli(args: readonly string[], rawIo: Io): Promise<number> {
  const io = cleanIo(rawIo);
  try {
    const exitCode = await runGroup(HDRSCOPE, args, io);
    if (exitCode === ExitCode.serviceEnded) return ExitCode.done;
    return endedBySignal(io) ?? exitCode;
  } catch (error) {
    // The error of an aborted command is a consequence of the abort.
    if (io.signal.aborted) return await ended(io);
    await io.stderr.write(`hdrscope: ${errorText(error, io)}\n`);
    return error instanceof UsageError ? ExitCode.usage : ExitCode.refused;
  }
}

function endedBySignal({ signal }: Io): number | undefined {
  const { reason } = signal;
  return signal.aborted && reason instanceof Termination && reason.exitCode > 128
    ? reason.exitCode
    : undefined;
}

async function ended(io: Io): Promise<number> {
  const { reason } = io.signal;
  if (!(reason instanceof Termination)) return ExitCode.refused;
  // The output failed, for example on a full disk. The person does not know that yet.
  if (reason.exitCode === ExitCode.refused) {
    await io.stderr.write(`hdrscope: the output cannot be written: ${reason.message}\n`).catch(() => {});
  }
  return reason.exitCode;
}
