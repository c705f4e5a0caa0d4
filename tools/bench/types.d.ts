/** Types that the files of the benchmark share. */

/** A case that is timed. */
export interface Timed {
  /** Runs the operation `iterations` times. Awaiting a promise is part of the measured time. */
  run(iterations: number): unknown;
  /** A number that proves equal work: it is the same for every case of the group, however often `run` was called. */
  answer?(): number;
  /** Runs before each operation, outside the measured time. For operations of microseconds and more only. */
  before?(): void;
}

/** A case that reports an amount instead of being timed: bytes, or a time that it measures itself. It warms itself up. */
export interface Sized {
  /** The amount in the unit of the group. */
  measure(): number | Promise<number>;
}

/** Prepares a case in its own process. If it throws, the message is printed as the reason why the case is missing. */
export type Setup = () => Timed | Sized | Promise<Timed | Sized>;

/** A case that needs options of Node.js to run at its best. */
export interface Tuned {
  readonly setup: Setup;
  readonly nodeOptions: readonly string[];
}

/** A case in a program of another language, which speaks the protocol described in `harness.js`. */
export interface External {
  /** The command, or the reason why it cannot run here. */
  command(): readonly [string, ...string[]] | { readonly absent: string };
}

export type Case = Setup | Tuned | External;

/** Cases that answer one question on the same input. A name that starts with `hdrscope` is ours, all others are peers. */
export interface Group {
  /** Used by `--filter` and by `targets.js`. */
  readonly id: string;
  readonly title: string;
  /** The unit of a sample. @default 'ns' */
  readonly unit?: 'ns' | 'bytes';
  /** The largest relative difference between the answers of the cases; `null` when they cannot agree. @default 0.02 */
  readonly agree?: number | null;
  /** Samples of each case, for groups in which a sample takes seconds. @default the number of the effort */
  readonly rounds?: number;
  readonly cases: Readonly<Record<string, Case>>;
}

/** One measured case. */
export interface CaseResult {
  readonly name: string;
  /** One sample per round, in the unit of the group per operation. Empty when the case is missing. */
  readonly samples: readonly number[];
  /** The samples of the warm-up, oldest first. */
  readonly warmUp: readonly number[];
  /** False when the warm-up ended by its time limit, not because its samples agreed. */
  readonly stable: boolean;
  /** Operations per sample. */
  readonly iterations: number;
  readonly answer?: number;
  /** The reason why nothing was measured. */
  readonly missing?: string;
}

export interface GroupResult {
  readonly id: string;
  readonly title: string;
  readonly unit: 'ns' | 'bytes';
  readonly cases: readonly CaseResult[];
  /** Problems of the measurement, in sentences. */
  readonly warnings: readonly string[];
}

/** A promise of `targets.js`. */
export interface Target {
  readonly group: string;
  /** The case of ours that the promise is about. */
  readonly ours: string;
  /** The case for the comparison; absent when the promise is about `ours` alone. */
  readonly peer?: string;
  /** Ours takes at most 1/atLeast of the time of the peer. */
  readonly atLeast?: number;
  /** Ours takes at most `atMost` times the time of the peer. */
  readonly atMost?: number;
  /** The amount that ours must not exceed, in the unit of the group. */
  readonly limit?: number;
}

/** A line of the table, about a pair of cases or one case. */
export interface Comparison {
  readonly ours: string;
  readonly peer?: string;
  /** Median over the rounds of (peer / ours): above 1, ours is faster or smaller. */
  readonly ratio?: number;
  readonly target?: Target;
  readonly met?: boolean;
}

export interface Effort {
  /** The most samples of a case that is timed. */
  readonly rounds: number;
  /** Samples of a case that reports an amount. */
  readonly amounts: number;
  /** After so long, the samples of a group are enough. */
  readonly groupMs: number;
  /** Aimed length of one timed sample. */
  readonly sampleMs: number;
  /** Shortest warm-up of a case; the longest is four times as long. */
  readonly warmUpMs: number;
}
