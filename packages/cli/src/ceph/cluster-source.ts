import { type ExecFileException, execFile } from 'node:child_process';
import {
  type AskDaemon,
  askHistograms,
  daemonsAt,
  type ImportedHistogram,
  type NamedDaemon,
  type ParseDumpOptions,
} from '@hdrscope/ceph';
import { HdrscopeError } from '@hdrscope/core';
import { reasonOf } from '@hdrscope/kit';
import { type Io, Refusal } from '../command.ts';
import { kindOf } from './input.ts';

/** The answer of a daemon: its histograms, or the reason why there is no answer. */
export interface DaemonAnswer {
  readonly name: string;
  readonly histograms: readonly ImportedHistogram[] | undefined;
  readonly problem?: string;
}

/** The daemons of a cluster, or of one machine. */
export interface ClusterSource {
  /** The answers of all daemons that have histograms, or that cannot be asked. Daemons may come and go. */
  read(): Promise<readonly DaemonAnswer[]>;
}

/**
 * The daemons behind admin sockets.
 *
 * @param paths Sockets, and folders whose sockets are found anew at each read.
 * @throws Refusal when there is no such path, or it is neither a socket nor a folder.
 */
export async function socketsSource(
  paths: readonly string[],
  options: ParseDumpOptions,
): Promise<ClusterSource> {
  const kinds = await Promise.all(paths.map(kindOf));
  const file = paths.find((_, at) => kinds[at] === 'file');
  if (file !== undefined) throw new Refusal(`${file} is neither an admin socket nor a folder of sockets`);
  return {
    async read() {
      const daemons = (await Promise.all(paths.map((path) => daemonsAt(path)))).flat();
      const again = daemons.find(({ name }, at) => daemons.findIndex((one) => one.name === name) < at);
      if (again !== undefined) {
        throw new Refusal(
          `two sockets are those of ${again.name}: name each socket once, and the sockets of one cluster`,
        );
      }
      const answers = await Promise.all(daemons.map((daemon) => answerOf(daemon, options)));
      return answers.filter(({ histograms }) => histograms === undefined || histograms.length > 0);
    },
  };
}

async function answerOf({ name, ask, life }: NamedDaemon, options: ParseDumpOptions): Promise<DaemonAnswer> {
  try {
    return { name, histograms: await askHistograms(ask, { ...options, ...(life && { life }) }) };
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    return { name, histograms: undefined, problem: error.message };
  }
}

/** How `ceph tell` is run. */
export interface TellOptions {
  /** The daemons: `osd.*`. */
  readonly target: string;
  /** The path of the `ceph` program. */
  readonly program: string;
}

const TELL_TIMEOUT_MS = 60_000;
const LONGEST_ANSWER = 2 ** 28;

/** The daemons that `ceph tell` reaches. */
export function tellSource(
  { target, program }: TellOptions,
  options: ParseDumpOptions,
  io: Pick<Io, 'signal'>,
): ClusterSource {
  return {
    async read() {
      const problems = new Map<string, string>();
      const ask: AskDaemon = (prefix, args) =>
        tell(program, [target, ...prefix.split(' '), ...Object.values(args)]);
      const histograms = await askHistograms(ask, { ...options, attempts: 1 });
      const byDaemon = grouped(histograms, target);
      return [
        ...[...byDaemon].map(([name, all]) => ({ name, histograms: all })),
        ...[...problems]
          .filter(([name]) => !byDaemon.has(name))
          .map(([name, problem]) => ({ name, histograms: undefined, problem })),
      ];

      /** A daemon that is down makes the program fail, after it has printed the answers of the others. */
      function tell(path: string, words: readonly string[]): Promise<string> {
        return new Promise((resolve, reject) => {
          const args = ['tell', ...words, '--format', 'json'];
          const limits = { maxBuffer: LONGEST_ANSWER, timeout: TELL_TIMEOUT_MS, signal: io.signal };
          execFile(path, args, limits, (error, stdout, stderr) => {
            if (io.signal.aborted) return reject(io.signal.reason);
            for (const [, problem = '', name = ''] of stderr.matchAll(/^(.*\b(osd\.\d+).*)$/gm)) {
              problems.set(name, problem.trim());
            }
            if (error === null || stdout.includes('{')) resolve(stdout);
            else
              reject(
                new Refusal(`${path} tell ${target} has failed: ${failureOf(error, stderr)}`, {
                  cause: error,
                }),
              );
          });
        });
      }
    },
  };
}

/** By the name of the daemon: that in the text, or the only one that was asked. */
function grouped(histograms: readonly ImportedHistogram[], only: string): Map<string, ImportedHistogram[]> {
  const groups = new Map<string, ImportedHistogram[]>();
  for (const one of histograms) {
    const name = one.daemon ?? only;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return groups;
}

function failureOf(error: ExecFileException, stderr: string): string {
  if (error.code === 'ENOENT') return 'there is no such program';
  if (error.killed) return `no answer within ${TELL_TIMEOUT_MS / 1000} s`;
  const [line] = stderr
    .split('\n')
    .filter((text) => text.trim() !== '')
    .slice(-1);
  return line ?? reasonOf(error);
}
