import { TimeoutError, within } from '@hdrscope/kit';
import type { NamedDaemon } from '../importer/daemons.ts';
import type { ImportedHistogram } from '../importer/read-histogram.ts';

/** The answer of a daemon: its histograms, or the reason why there is no answer. */
export interface DaemonAnswer {
  /** The name of the daemon: `osd.0`. */
  readonly name: string;
  /** `undefined` when the daemon did not answer. */
  readonly histograms: readonly ImportedHistogram[] | undefined;
  /** The reason why there is no answer, as a sentence. */
  readonly problem?: string;
  /** How long before the end of the reading the answer came, in milliseconds: from 0. @default 0 */
  readonly heldMs?: number;
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
 * A reading waits a second for a daemon that has answered as fast before, and hardly for others. So a daemon that hangs delays one reading,
 * once.
 */
export class Questions {
  readonly #ask: (daemon: NamedDaemon) => Promise<DaemonAnswer>;
  readonly #pending = new Map<string, Question>();
  /** The daemons whose last answer took longer than a reading waits. */
  readonly #slow = new Set<string>();
  #isFirst = true;

  /** @param ask Resolves with the problem where a daemon does not answer. It rejects only by a mistake of the program. */
  constructor(ask: (daemon: NamedDaemon) => Promise<DaemonAnswer>) {
    this.#ask = ask;
  }

  /** Asks each daemon that has answered its last question. The first reading also waits until a daemon has histograms. */
  async read(daemons: readonly NamedDaemon[]): Promise<DaemonAnswer[]> {
    const waits = daemons.map(({ name }) => this.#patienceFor(name));
    const questions = daemons.map((daemon) => this.#pending.get(daemon.name) ?? this.#put(daemon));
    if (this.#isFirst) await someHistograms(questions);
    this.#isFirst = false;
    await Promise.all(questions.map((question, at) => settledWithin(question, waits[at]!)));
    const endMs = performance.now();
    // Daemons that are asked at one moment answer at one moment, unless the reading has waited for others.
    const isWhole = questions.every(({ settled }, at) => settled !== undefined && waits[at] === PATIENCE_MS);
    return questions.map(({ settled }, at): DaemonAnswer => {
      const { name } = daemons[at]!;
      if (settled === undefined) return { name, histograms: undefined, problem: 'its answer is late' };
      this.#pending.delete(name);
      return isWhole ? settled.answer : { ...settled.answer, heldMs: endMs - settled.atMs };
    });
  }

  #patienceFor(name: string): number {
    if (this.#isFirst) return PATIENCE_MS;
    return this.#pending.has(name) || this.#slow.has(name) ? LATE_PATIENCE_MS : PATIENCE_MS;
  }

  #put(daemon: NamedDaemon): Question {
    const { name } = daemon;
    const askedMs = performance.now();
    const answer = this.#ask(daemon);
    const question: Question = { askedMs, answer };
    this.#pending.set(name, question);
    answer.then(
      (settled) => {
        const atMs = performance.now();
        question.settled = { answer: settled, atMs };
        if (atMs - askedMs > PATIENCE_MS) this.#slow.add(name);
        else this.#slow.delete(name);
      },
      // The reading that waits for it throws it.
      () => {},
    );
    return question;
  }
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
