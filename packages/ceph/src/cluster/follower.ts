import { HistogramFollower, type ImportedIncrease } from '../importer/increase.ts';
import type { ImportedHistogram } from '../importer/read-histogram.ts';

/** The answer of a daemon: its histograms, or the reason why there is no answer. */
export interface DaemonAnswer {
  /** The name of the daemon: `osd.0`. */
  readonly name: string;
  /** `undefined` when the daemon did not answer. */
  readonly histograms: readonly ImportedHistogram[] | undefined;
  /** The reason why there is no answer, as a sentence. */
  readonly problem?: string;
  /** The time of the answer, in milliseconds of the clock of the follower. @default the time at which all daemons have answered */
  readonly atMs?: number;
}

/**
 * What an interval knows of a daemon: `counted`, its increase; `restarted`, its counts since it began anew; `new`, nothing yet,
 * as a first answer has no earlier one; `gone`, nothing.
 */
export type DaemonState = 'counted' | 'restarted' | 'new' | 'gone';

/** A daemon in an interval. */
export interface DaemonInterval {
  /** The name of the daemon: `osd.0`. */
  readonly name: string;
  /** What is known of the daemon. */
  readonly state: DaemonState;
  /** The reason of `gone`. */
  readonly problem?: string;
  /** The time of the increases, in seconds. It is longer than the interval when the daemon did not answer in between. */
  readonly seconds: number;
  /** Empty unless the state is `counted` or `restarted`. */
  readonly increases: readonly ImportedIncrease[];
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

/** A daemon that has answered. */
interface FollowedDaemon {
  readonly histograms: HistogramFollower;
  /** The time of its last answer. */
  atMs: number;
}

/**
 * Follows what a function reads.
 *
 * @param read Returns the answers of all daemons that have histograms, or that cannot be asked. Daemons may come and go.
 * @param monotonicMs The clock: a time in milliseconds.
 */
export function followAnswers(
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
      followed.set(name, { histograms: new HistogramFollower(histograms), atMs });
      return undefined;
    }
    const seconds = (atMs - daemon.atMs) / 1000;
    daemon.atMs = atMs;
    return { seconds, increases: histograms.map((one) => daemon.histograms.advance(one)) };
  };

  const intervalOf = ({ name, histograms, problem, atMs = nowMs }: DaemonAnswer): DaemonInterval => {
    if (histograms === undefined) return gone(name, problem ?? 'it does not answer');
    const taken = take(name, histograms, atMs);
    if (taken === undefined) return { name, state: 'new', seconds: 0, increases: [] };
    const isReset = taken.increases.some((one) => one.isReset);
    return { name, state: isReset ? 'restarted' : 'counted', ...taken };
  };

  return {
    async start() {
      const answers = await read();
      nowMs = monotonicMs();
      for (const { name, histograms, atMs = nowMs } of answers) {
        if (histograms !== undefined) take(name, histograms, atMs);
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
        ...missing.map((name) => gone(name, 'it is no longer there')),
      ];
      return { seconds: (nowMs - before) / 1000, daemons: daemons.sort((a, b) => byName(a.name, b.name)) };
    },
  };
}

function gone(name: string, problem: string): DaemonInterval {
  return { name, state: 'gone', seconds: 0, problem, increases: [] };
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
