import { HdrscopeError } from '@hdrscope/core';
import { reasonOf, TimeoutError, within } from '@hdrscope/kit';
import { readDaemon } from './ask-histograms.ts';
import type { CephDaemon } from './daemons.ts';
import type { ParseDumpSettings } from './parse-dump.ts';
import type { ImportedHistogram } from './read-histogram.ts';

/** The answer of a daemon: its histograms, or the reason why there is no answer. */
export interface DaemonAnswer {
  /** The name of the daemon: `osd.0`; empty when it has none. */
  readonly name: string;
  /** `undefined` when the daemon did not answer. */
  readonly histograms: readonly ImportedHistogram[] | undefined;
  /** The reason why there is no answer, as a sentence. */
  readonly problem?: string;
  /** The error that is the reason. @default the daemon is late, or a program has reported the problem */
  readonly error?: unknown;
  /** How long before the end of the reading the answer came, in milliseconds: from 0. @default 0 */
  readonly heldMs?: number;
  /** See `AnswerAge`. */
  readonly poolIds?: readonly number[] | undefined;
  /** How long a daemon that is late has been asked, in milliseconds. @default the daemon is not late */
  readonly lateMs?: number;
}

/** A question to a daemon, which may wait for its answer for longer than a reading. */
interface Question {
  readonly askedMs: number;
  readonly answer: Promise<DaemonAnswer>;
  settled?: { readonly answer: DaemonAnswer; readonly atMs: number };
}

// An OSD answers within milliseconds.
const PATIENCE_MS = 1000;
const LATE_PATIENCE_MS = 10;

/**
 * Asks daemons, all at the same time, and takes what they answer in time. A daemon is asked again when its answer has come, so one that
 * hangs has one request, and an answer that comes later counts in the reading after it.
 *
 * A reading waits for a daemon that has answered in time before, and hardly for others. So a daemon that hangs delays one reading, once.
 */
export class Questions<Daemon extends CephDaemon> {
  readonly #ask: (daemon: Daemon) => Promise<DaemonAnswer>;
  readonly #patienceMs: number;
  readonly #pending = new Map<string, Question>();
  /** The daemons whose last answer took longer than a reading waits. */
  readonly #slow: Set<string>;
  #isFirst: boolean;

  /**
   * @param ask Resolves with the problem where a daemon does not answer. It rejects only by a mistake of the program.
   * @param how How long a reading waits for a daemon that has answered in time before; whether the first reading also waits until a daemon has
   *   histograms; and the names of daemons that have not answered in time.
   */
  constructor(
    ask: (daemon: Daemon) => Promise<DaemonAnswer>,
    {
      patienceMs = PATIENCE_MS,
      waitsAtFirst = true,
      slow = [],
    }: { patienceMs?: number; waitsAtFirst?: boolean; slow?: readonly string[] } = {},
  ) {
    this.#slow = new Set(slow);
    this.#ask = ask;
    this.#patienceMs = patienceMs;
    this.#isFirst = waitsAtFirst;
  }

  /**
   * Asks each daemon that has answered its last question.
   *
   * @param isPatient Whether it waits for all answers, however long they take.
   */
  async read(daemons: readonly Daemon[], isPatient = false): Promise<DaemonAnswer[]> {
    const waits = daemons.map((daemon) =>
      isPatient ? Number.POSITIVE_INFINITY : this.#patienceFor(nameOf(daemon)),
    );
    const questions = daemons.map((daemon) => this.#pending.get(nameOf(daemon)) ?? this.#put(daemon));
    if (this.#isFirst) await someHistograms(questions);
    this.#isFirst = false;
    await Promise.all(questions.map((question, at) => settledWithin(question, waits[at]!)));
    const endMs = performance.now();
    // Daemons that are asked at one moment answer at one moment, unless the reading has waited for others.
    const isWhole = questions.every(
      ({ settled }, at) => settled !== undefined && waits[at]! >= this.#patienceMs,
    );
    return questions.map(({ settled, askedMs }, at): DaemonAnswer => {
      const name = nameOf(daemons[at]!);
      if (settled === undefined)
        return { name, histograms: undefined, problem: 'its answer is late', lateMs: endMs - askedMs };
      this.#pending.delete(name);
      return isWhole ? settled.answer : { ...settled.answer, heldMs: endMs - settled.atMs };
    });
  }

  #patienceFor(name: string): number {
    if (this.#isFirst) return this.#patienceMs;
    return this.#pending.has(name) || this.#slow.has(name) ? LATE_PATIENCE_MS : this.#patienceMs;
  }

  #put(daemon: Daemon): Question {
    const name = nameOf(daemon);
    const askedMs = performance.now();
    const answer = this.#ask(daemon);
    const question: Question = { askedMs, answer };
    this.#pending.set(name, question);
    answer.then(
      (settled) => {
        const atMs = performance.now();
        question.settled = { answer: settled, atMs };
        if (atMs - askedMs > this.#patienceMs) this.#slow.add(name);
        else this.#slow.delete(name);
      },
      // The reading that waits for it throws it.
      () => {},
    );
    return question;
  }
}

function nameOf({ name = '' }: CephDaemon): string {
  return name;
}

/** Waits for the first answer with histograms, or for all answers. */
async function someHistograms(questions: readonly Question[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    for (const { answer } of questions)
      answer.then(({ histograms = [] }) => histograms.length > 0 && resolve(), reject);
    Promise.all(questions.map(({ answer }) => answer)).then(() => resolve(), reject);
  });
}

async function settledWithin({ answer }: Question, patienceMs: number): Promise<void> {
  try {
    await within(answer, patienceMs, { unref: false });
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
  }
}

/**
 * Asks a daemon for its histograms.
 *
 * @param attempts How often it is asked for sums and counts of one moment.
 */
export async function askDaemon(
  { name, ask, life }: CephDaemon,
  parsed: ParseDumpSettings,
  attempts: number,
): Promise<DaemonAnswer> {
  try {
    const histograms = await readDaemon(ask, { ...parsed, life, attempts });
    return {
      name: name ?? '',
      histograms: histograms.map((one) => ({ ...one, daemon: one.daemon ?? name })),
    };
  } catch (error) {
    return { name: name ?? '', histograms: undefined, problem: reasonOf(error), error };
  }
}

/** @throws What is no refusal of the daemon, but a mistake of the program. */
export function orMistake(answer: DaemonAnswer): DaemonAnswer {
  if (answer.error !== undefined && !(answer.error instanceof HdrscopeError)) throw answer.error;
  return answer;
}
