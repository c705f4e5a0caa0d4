import { dumpIncrease, type ImportedHistogram, type ImportedIncrease } from '@hdrscope/ceph';
import { formatDecimal } from '@hdrscope/core/internal';
import { Refusal } from '../command.ts';
import type { ClusterSource, DaemonAnswer } from './cluster-source.ts';

/**
 * What an interval knows of a daemon: `counted`, its increase; `restarted`, its counts since it began anew; `new`, nothing yet,
 * as a first answer has no earlier one; `gone`, nothing.
 */
export type DaemonState = 'counted' | 'restarted' | 'new' | 'gone';

/** A daemon in an interval. */
export interface DaemonInterval {
  readonly name: string;
  readonly state: DaemonState;
  /** The reason of `gone`. */
  readonly problem?: string;
  /** The time of the increases. It is longer than the interval when the daemon did not answer in between. */
  readonly seconds: number;
  /** Empty unless the state is `counted` or `restarted`. */
  readonly increases: readonly ImportedIncrease[];
}

/** The counts of a cluster in an interval. */
export interface ClusterInterval {
  readonly seconds: number;
  /** In the order of their names: `osd.2` before `osd.10`. */
  readonly daemons: readonly DaemonInterval[];
}

interface LastAnswer {
  readonly histograms: readonly ImportedHistogram[];
  readonly atMs: number;
}

/** Takes the differences of counts from one reading of a cluster to the next. */
export class ClusterFollower {
  readonly #source: ClusterSource;
  readonly #monotonicMs: () => number;
  readonly #last = new Map<string, LastAnswer>();
  #atMs = 0;

  constructor(source: ClusterSource, monotonicMs: () => number) {
    this.#source = source;
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Makes the first reading. Increases count from here.
   *
   * @throws Refusal when no daemon has histograms.
   */
  async start(): Promise<readonly DaemonAnswer[]> {
    const answers = await this.#source.read();
    this.#atMs = this.#monotonicMs();
    for (const answer of answers) this.#keep(answer);
    if (this.#last.size === 0) {
      const reasons = answers.flatMap(({ problem }) => problem ?? []);
      const why = reasons.length === 0 ? "among Ceph's daemons, OSDs have some" : reasons.join('; ');
      throw new Refusal(`no daemon with histograms answers: ${why}`);
    }
    return answers;
  }

  /** Reads again, and returns what came since the last reading. */
  async advance(): Promise<ClusterInterval> {
    const answers = await this.#source.read();
    const before = this.#atMs;
    this.#atMs = this.#monotonicMs();
    const seconds = (this.#atMs - before) / 1000;
    const answered = new Set(answers.map(({ name }) => name));
    const missing = [...this.#last.keys()].filter((name) => !answered.has(name));
    const daemons = [
      ...answers.map((answer) => this.#intervalOf(answer)),
      ...missing.map((name) => gone(name, seconds, 'it is no longer there')),
    ];
    return { seconds, daemons: daemons.sort((a, b) => byName(a.name, b.name)) };
  }

  #intervalOf(answer: DaemonAnswer): DaemonInterval {
    const { name, histograms, problem } = answer;
    const last = this.#last.get(name);
    if (histograms === undefined) return gone(name, 0, problem ?? 'it does not answer');
    this.#keep(answer);
    const seconds = (this.#atMs - (last?.atMs ?? this.#atMs)) / 1000;
    if (last === undefined) return { name, state: 'new', seconds, increases: [] };
    const increases = dumpIncrease(last.histograms, histograms);
    const isReset = increases.some((one) => one.isReset);
    return { name, state: isReset ? 'restarted' : 'counted', seconds, increases };
  }

  #keep({ name, histograms }: DaemonAnswer): void {
    if (histograms !== undefined) this.#last.set(name, { histograms, atMs: this.#atMs });
  }
}

function gone(name: string, seconds: number, problem: string): DaemonInterval {
  return { name, state: 'gone', seconds, problem, increases: [] };
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** What a person must know of the daemons of an interval, as sentences. */
export function notesOf({ seconds, daemons }: ClusterInterval): string[] {
  return daemons.flatMap((daemon) => {
    const { name, state, problem, seconds: own } = daemon;
    if (state === 'gone') return [`${name} is gone: ${problem}`];
    if (state === 'new') return [`${name} is new: its operations count from the next interval on`];
    const notes = state === 'restarted' ? [`${name} began anew: its operations are those since then`] : [];
    // A reading takes a while, and daemons are not read at the same moment.
    const isLonger = own > 1.5 * seconds;
    return isLonger
      ? [...notes, `${name} is back: its operations are those of ${formatDecimal(own, 1)} s`]
      : notes;
  });
}
