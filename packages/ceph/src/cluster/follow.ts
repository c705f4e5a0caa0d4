import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  callback,
  custom,
  having,
  listOf,
  type OptionRules,
  optional,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import type { NamedDaemon } from '../importer/daemons.ts';
import { HistogramFollower, type ImportedIncrease } from '../importer/increase.ts';
import { PARSE_DUMP_RULES, type ParseDumpOptions } from '../importer/parse-dump.ts';
import { askDaemon, type DaemonAnswer, orMistake, Questions } from '../importer/questions.ts';
import type { ImportedHistogram } from '../importer/read-histogram.ts';
import { readByTell, TELL_RULES, type TellOptions } from '../importer/tell.ts';

/**
 * What an interval knows of a daemon: `counted`, its increase; `restarted`, its counts since it began anew; `new`, nothing yet,
 * as a first answer has no earlier one; `gone`, nothing, as it does not answer any more; `waiting`, nothing, as it has never answered.
 */
export type DaemonState = 'counted' | 'restarted' | 'new' | 'gone' | 'waiting';

/** A daemon in an interval. */
export interface DaemonInterval {
  /** The name of the daemon: `osd.0`. */
  readonly name: string;
  /** What is known of the daemon. */
  readonly state: DaemonState;
  /** The reason of `gone` and `waiting`. */
  readonly problem?: string;
  /** The time of the increases, in seconds. It is longer than the interval when the daemon did not answer in between. */
  readonly seconds: number;
  /** Empty unless the state is `counted` or `restarted`. */
  readonly increases: readonly ImportedIncrease[];
  /** Whether it did not answer at the reading before, and has now. */
  readonly isBack: boolean;
  /** The time since its last answer, in seconds. 0 when it has answered now; `undefined` when it has never answered. */
  readonly ageSeconds: number | undefined;
  /** What its last answer has counted, while the daemon is there and does not answer. Nobody may add it to the counts of now. */
  readonly last?: Pick<DaemonInterval, 'seconds' | 'increases'>;
}

/** The counts of a cluster in an interval. */
export interface ClusterInterval {
  /** The time from the reading before to this one, in seconds. */
  readonly seconds: number;
  /** In the order of their names: `osd.2` before `osd.10`. */
  readonly daemons: readonly DaemonInterval[];
}

/** Follows the daemons of a cluster from one reading to the next. */
export interface ClusterFollower {
  /**
   * Makes the first reading. Increases count from here.
   *
   * @returns The answers of all daemons that have histograms, or that cannot be asked.
   */
  start(): Promise<readonly DaemonAnswer[]>;
  /** Reads again, and returns what came since the last reading. */
  advance(): Promise<ClusterInterval>;
}

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
 * left out. One that does not answer within a second is `gone`, and counts over all that time when it is back. It delays one reading, by a
 * second, and has one request at a time. Only the first reading waits as long as `list` lets daemons take, and only until one has answered.
 *
 * @param list Returns the daemons anew for each reading, such as `() => daemonsAt('/var/run/ceph')`.
 * @returns A follower. It rejects with `ERR_INVALID_OPTION` when `list` returns no daemons or two of one name, and as `list` does.
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
  assertFollows('list', callback<typeof list>(), list);
  const { monotonicMs, ...parsed } = readOptions(options, FOLLOW_DAEMONS);
  const questions = new Questions<NamedDaemon>(async (daemon) =>
    orMistake(await askDaemon(daemon, parsed, ATTEMPTS)),
  );
  return followAnswers(async () => {
    const daemons = await list();
    assertFollows('what list returns', DAEMONS, daemons);
    const again = daemons.find(({ name }, at) => daemons.findIndex((one) => one.name === name) < at);
    if (again !== undefined) {
      const cure = 'name each socket once, and the sockets of one cluster';
      throw new HdrscopeError('ERR_INVALID_OPTION', `two sockets are those of ${again.name}: ${cure}`);
    }
    const answers = await questions.read(daemons);
    return answers.filter(({ histograms }) => histograms === undefined || histograms.length > 0);
  }, monotonicMs);
}

const DAEMONS = listOf(having<NamedDaemon>('a daemon', 'ask'), 'daemons');

const FOLLOW_DAEMONS = {
  name: 'followDaemons',
  rules: FOLLOW_RULES,
  call: "followDaemons(() => daemonsAt('/var/run/ceph'), { logger: 'osd' })",
};

const ATTEMPTS = 3;

/** The options of `followByTell`. */
export interface FollowByTellOptions extends FollowOptions, TellOptions {}

/**
 * Follows the daemons that `ceph tell` reaches, also those on other machines. An OSD that hangs delays one reading, once: it is `gone`, and
 * the others are asked one by one until it answers.
 *
 * @returns A follower. It rejects with `ERR_ADMIN_SOCKET` when the program fails, and with the reason of `signal`.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 */
export function followByTell(options: FollowByTellOptions = {}): ClusterFollower {
  const { monotonicMs, target, program, signal, ...parsed } = readOptions(options, FOLLOW_BY_TELL);
  return followAnswers(readByTell({ target, program, signal }, parsed), monotonicMs);
}

const FOLLOW_BY_TELL = {
  name: 'followByTell',
  rules: {
    ...FOLLOW_RULES,
    ...TELL_RULES,
    signal: optional(custom('an AbortSignal', (value) => value instanceof AbortSignal)),
  } satisfies OptionRules<FollowByTellOptions>,
  call: "followByTell({ target: 'osd.*' })",
};

/** A daemon that has answered. */
interface FollowedDaemon {
  readonly histograms: HistogramFollower;
  /** The time of its last answer. */
  atMs: number;
  /** Whether it has answered at the last reading. */
  isThere: boolean;
  last?: Pick<DaemonInterval, 'seconds' | 'increases'>;
}

/**
 * Follows what a function reads.
 *
 * @param read Returns the answers of all daemons that have histograms, or that cannot be asked. Daemons may come and go.
 * @param monotonicMs The clock: a time in milliseconds.
 */
function followAnswers(
  read: () => Promise<readonly DaemonAnswer[]>,
  monotonicMs: () => number,
): ClusterFollower {
  const followed = new Map<string, FollowedDaemon>();
  let nowMs = 0;

  /** The increases of a daemon; `undefined` for its first answer. */
  const take = (
    name: string,
    histograms: readonly ImportedHistogram[],
    atMs: number,
  ): Pick<DaemonInterval, 'seconds' | 'increases'> | undefined => {
    const daemon = followed.get(name);
    if (daemon === undefined) {
      followed.set(name, { histograms: new HistogramFollower(histograms), atMs, isThere: true });
      return undefined;
    }
    const seconds = (atMs - daemon.atMs) / 1000;
    daemon.atMs = atMs;
    daemon.last = { seconds, increases: histograms.map((one) => daemon.histograms.advance(one)) };
    return daemon.last;
  };

  const intervalOf = ({ name, histograms, problem, heldMs = 0 }: DaemonAnswer): DaemonInterval => {
    const daemon = followed.get(name);
    const isBack = histograms !== undefined && daemon?.isThere === false;
    if (daemon !== undefined) daemon.isThere = histograms !== undefined;
    if (histograms === undefined) {
      const absent = { name, seconds: 0, problem: problem ?? 'it does not answer', increases: [], isBack };
      if (daemon === undefined) return { ...absent, state: 'waiting', ageSeconds: undefined };
      const { last, atMs } = daemon;
      return { ...absent, state: 'gone', ageSeconds: (nowMs - atMs) / 1000, ...(last && { last }) };
    }
    const ageSeconds = heldMs / 1000;
    const taken = take(name, histograms, nowMs - heldMs);
    if (taken === undefined) return { name, state: 'new', seconds: 0, increases: [], isBack, ageSeconds };
    const isReset = taken.increases.some((one) => one.isReset);
    return { name, state: isReset ? 'restarted' : 'counted', ...taken, isBack, ageSeconds };
  };

  return {
    async start() {
      const answers = await read();
      nowMs = monotonicMs();
      for (const { name, histograms, heldMs = 0 } of answers) {
        if (histograms !== undefined) take(name, histograms, nowMs - heldMs);
      }
      return answers;
    },
    async advance() {
      const answers = await read();
      const before = nowMs;
      nowMs = monotonicMs();
      const answered = new Set(answers.map(({ name }) => name));
      const missing = [...followed.keys()].filter((name) => !answered.has(name));
      const daemons = [
        ...answers.map(intervalOf),
        ...missing.map((name): DaemonInterval => {
          const { last: _, ...rest } = intervalOf({
            name,
            histograms: undefined,
            problem: 'it is no longer there',
          });
          return rest;
        }),
      ];
      return { seconds: (nowMs - before) / 1000, daemons: daemons.sort((a, b) => byName(a.name, b.name)) };
    },
  };
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
