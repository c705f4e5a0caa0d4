import { cleanIo } from './clean-output.ts';
import { ExitCode, type Io, Termination, UsageError } from './command.ts';
import { type Group, runGroup } from './command-module.ts';
import { errorText } from './system-error.ts';

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
      load: () => import('./advise/index.ts'),
    },
    {
      name: 'bounds',
      summary: 'prints round boundaries for explicit buckets, and how much they leave open',
      load: () => import('./bounds/index.ts'),
    },
    {
      name: 'log',
      summary: 'works on interval logs (.hlog)',
      load: () => import('./log/index.ts'),
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
      load: () => import('./history/index.ts'),
    },
    {
      name: 'query',
      summary: 'asks a history for percentiles of any series, over any time',
      load: () => import('./query/index.ts'),
    },
    {
      name: 'explain',
      summary: 'says which attribute made a percentile move, from a history',
      load: () => import('./explain/index.ts'),
    },
    {
      name: 'ebpf',
      summary: "reads the kernel's histograms from eBPF maps",
      load: () => import('./ebpf/index.ts'),
    },
    {
      name: 'ceph',
      summary: "reads Ceph's perf histograms, and serves ours as Ceph does",
      load: () => import('./ceph/index.ts'),
    },
    {
      name: 'slo',
      summary: 'judges an objective afterwards, and writes rules for Prometheus that watch it',
      load: () => import('./slo/index.ts'),
    },
    {
      name: 'run',
      summary: 'brings sources of histograms to sinks, as a configuration says',
      load: () => import('./agent/run.ts'),
    },
    {
      name: 'config',
      summary: 'writes and checks configurations of run',
      load: () => import('./agent/config.ts'),
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
