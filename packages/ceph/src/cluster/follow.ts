import { type ExecFileException, execFile } from 'node:child_process';
import { HdrscopeError } from '@hdrscope/core';
import {
  callback,
  filledText,
  type OptionRules,
  object,
  optional,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import { reasonOf } from '@hdrscope/kit';
import { adminSocketError } from '../errors.ts';
import { type AskDaemon, readDaemon } from '../importer/ask-histograms.ts';
import type { NamedDaemon } from '../importer/daemons.ts';
import { PARSE_DUMP_RULES, type ParseDumpOptions, type ParseDumpSettings } from '../importer/parse-dump.ts';
import type { ImportedHistogram } from '../importer/read-histogram.ts';
import { type ClusterFollower, type DaemonAnswer, followAnswers } from './follower.ts';

/** The options of `followDaemons`. */
export interface FollowOptions extends ParseDumpOptions {
  /** A monotonic clock, in milliseconds. @default `performance.now` */
  readonly monotonicMs?: () => number;
}

const FOLLOW_RULES = {
  ...PARSE_DUMP_RULES,
  monotonicMs: withDefault(callback(), () => performance.now()),
} satisfies OptionRules<FollowOptions>;

/**
 * Follows daemons by their admin sockets: what each has counted from one reading to the next. A daemon without histograms is
 * left out. One that does not answer is `gone`, and counts over all that time when it is back.
 *
 * @param list Returns the daemons anew for each reading, such as `() => daemonsAt('/var/run/ceph')`.
 * @returns A follower. It rejects with `ERR_INVALID_OPTION` when two daemons have one name, and as `list` does.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 * @example
 * ```ts
 * import { followDaemons } from '@hdrscope/ceph';
 *
 * let counts = [0, 7, 2];
 * const ask = async (prefix: string) => prefix === 'perf dump' ? '{}' : `{"osd":{"op_r":{"axes":[
 *   {"name":"Items","min":0,"quant_size":8,"buckets":3,"scale_type":"linear"}],"values":[${counts}]}}}`;
 * // For the daemons of this machine: () => daemonsAt('/var/run/ceph').
 * const follower = followDaemons(async () => [{ name: 'osd.0', ask }]);
 * await follower.start();
 *
 * counts = [0, 9, 5];
 * const [daemon] = (await follower.advance()).daemons;
 * [daemon!.name, daemon!.state, daemon!.increases[0]!.histogram.totalCount]; //=> ['osd.0', 'counted', 5]
 * ```
 */
export function followDaemons(
  list: () => Promise<readonly NamedDaemon[]>,
  options: FollowOptions = {},
): ClusterFollower {
  const { monotonicMs, ...parsed } = readOptions(options, FOLLOW_DAEMONS);
  return followAnswers(async () => {
    const daemons = await list();
    const again = daemons.find(({ name }, at) => daemons.findIndex((one) => one.name === name) < at);
    if (again !== undefined) {
      const cure = 'name each socket once, and the sockets of one cluster';
      throw new HdrscopeError('ERR_INVALID_OPTION', `two sockets are those of ${again.name}: ${cure}`);
    }
    const answers = await Promise.all(daemons.map((daemon) => readAnswer(daemon, parsed)));
    return answers.filter(({ histograms }) => histograms === undefined || histograms.length > 0);
  }, monotonicMs);
}

const FOLLOW_DAEMONS = {
  name: 'followDaemons',
  rules: FOLLOW_RULES,
  call: "followDaemons(() => daemonsAt('/var/run/ceph'), { logger: 'osd' })",
};

async function readAnswer(
  { name, ask, life }: NamedDaemon,
  parsed: ParseDumpSettings,
): Promise<DaemonAnswer> {
  try {
    return { name, histograms: await readDaemon(ask, { ...parsed, life, attempts: ATTEMPTS }) };
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    return { name, histograms: undefined, problem: error.message };
  }
}

const ATTEMPTS = 3;

/** How the program `ceph tell` is run. */
export interface TellOptions extends FollowOptions {
  /** The daemons. @default 'osd.*' */
  readonly target?: string;
  /** The path of the `ceph` program. @default 'ceph' */
  readonly program?: string;
  /** Ends a reading. @default a reading ends within a minute */
  readonly signal?: AbortSignal;
}

const TELL_TIMEOUT_MS = 60_000;
const LONGEST_ANSWER = 2 ** 28;

/**
 * Follows the daemons that `ceph tell` reaches, also those on other machines.
 *
 * @returns A follower. It rejects with `ERR_ADMIN_SOCKET` when the program fails, and with the reason of `signal`.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 */
export function followByTell(options: TellOptions = {}): ClusterFollower {
  const { monotonicMs, target, program, signal, ...parsed } = readOptions(options, FOLLOW_BY_TELL);
  return followAnswers(async () => {
    const problems = new Map<string, string>();
    const ask: AskDaemon = (prefix, args) =>
      tell(program, [target, ...prefix.split(' '), ...Object.values(args)], signal, problems);
    const histograms = await readDaemon(ask, { ...parsed, life: undefined, attempts: 1 });
    const byDaemon = new Map<string, ImportedHistogram[]>();
    for (const one of histograms) {
      const { daemon = target } = one;
      byDaemon.set(daemon, [...(byDaemon.get(daemon) ?? []), one]);
    }
    const silent = [...problems].filter(([name]) => !byDaemon.has(name));
    return [
      ...[...byDaemon].map(([name, all]) => ({ name, histograms: all })),
      ...silent.map(([name, problem]) => ({ name, histograms: undefined, problem })),
    ];
  }, monotonicMs);
}

const FOLLOW_BY_TELL = {
  name: 'followByTell',
  rules: {
    ...FOLLOW_RULES,
    target: withDefault(filledText('the name of daemons, such as osd.*'), 'osd.*'),
    program: withDefault(filledText('the path of a program'), 'ceph'),
    signal: optional(object()),
  } satisfies OptionRules<TellOptions>,
  call: "followByTell({ target: 'osd.*' })",
};

/**
 * Runs the program. A daemon that is down makes it fail, after it has printed the answers of the others.
 *
 * @param problems Gets what the program reports of daemons.
 */
function tell(
  program: string,
  words: readonly string[],
  signal: AbortSignal | undefined,
  problems: Map<string, string>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = { maxBuffer: LONGEST_ANSWER, timeout: TELL_TIMEOUT_MS, signal };
    execFile(program, ['tell', ...words, '--format', 'json'], limits, (error, stdout, stderr) => {
      if (signal?.aborted) return reject(signal.reason);
      for (const [, problem = '', name = ''] of stderr.matchAll(/^(.*\b(osd\.\d+).*)$/gm)) {
        problems.set(name, problem.trim());
      }
      if (error === null || stdout.includes('{')) return resolve(stdout);
      const message = `${program} tell ${words[0]} has failed: ${explainFailure(error, stderr)}`;
      reject(adminSocketError(message, { program, command: words.slice(1).join(' ') }, error));
    });
  });
}

function explainFailure(error: ExecFileException, stderr: string): string {
  if (error.code === 'ENOENT') return 'there is no such program';
  if (error.killed) return `no answer within ${TELL_TIMEOUT_MS / 1000} s`;
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.at(-1) ?? reasonOf(error);
}
