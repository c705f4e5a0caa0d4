import { isFixed, keyOfQuestion, type Question } from '../question.ts';
import { StreamEvent } from '../stream-event.ts';
import type { Answer } from './answers.ts';

/** The parts of an answer, by the names of their events. */
export type AnswerEvents = ReadonlyMap<keyof Answer, StreamEvent>;

// The answer about a time that has ended changes little: the line of all time grows, and intervals are merged.
const FIXED_MS = 5000;

interface Running {
  /** The last answer. */
  events: AnswerEvents | undefined;
  /** When the last answer was begun, as `performance.now()`. */
  beganMs: number;
  /** How long the last answer took. */
  tookMs: number;
  /** The round of the last answer. */
  round: number;
  /** The last round in which it was asked. */
  askedRound: number;
  isRunning: boolean;
  /** Whether it is going to be asked again. */
  isWaiting: boolean;
}

/**
 * The answers to the questions of all clients. A question that several clients ask is answered once for all of them, and one whose
 * answer takes longer than an update is asked again when the answer is there.
 */
export class RunningAnswers {
  readonly #answer: (question: Question) => Promise<Answer>;
  readonly #onAnswer: (key: string, events: AnswerEvents) => void;
  readonly #restTimes: number;
  readonly #running = new Map<string, Running>();

  /**
   * @param onAnswer Takes each answer with the key of its question.
   * @param restTimes An answer is good for so many times the time that it took: 19 leave it a twentieth of a core. @default 0
   */
  constructor(
    answer: (question: Question) => Promise<Answer>,
    onAnswer: (key: string, events: AnswerEvents) => void,
    restTimes = 0,
  ) {
    this.#answer = answer;
    this.#onAnswer = onAnswer;
    this.#restTimes = restTimes;
  }

  /** Forgets the questions that nobody asks any more. @param asked The keys of the others. */
  keep(asked: ReadonlySet<string>): void {
    for (const key of this.#running.keys()) if (!asked.has(key)) this.#running.delete(key);
  }

  /**
   * Has a question answered anew, unless its last answer is still good. Never throws.
   *
   * @param round The number of the last update, whatever it has changed. An answer of the same round is good.
   */
  ask(question: Question, round: number): void {
    const key = keyOfQuestion(question);
    const known = this.#running.get(key);
    if (known !== undefined) known.askedRound = round;
    if (known?.isRunning === true) return;
    if (known?.events !== undefined && (known.round === round || this.#restMs(known, question) > 0)) {
      this.#onAnswer(key, known.events);
      this.#askAgain(known, question);
      return;
    }
    const running = known ?? {
      ...{ events: undefined, beganMs: 0, tookMs: 0, round, askedRound: round },
      ...{ isRunning: false, isWaiting: false },
    };
    running.isRunning = true;
    running.beganMs = performance.now();
    running.round = round;
    this.#running.set(key, running);
    void this.#run(key, question, running);
  }

  /** How long the last answer is still good. */
  #restMs({ beganMs, tookMs }: Running, question: Question): number {
    const goodMs = Math.max(isFixed(question) ? FIXED_MS : 0, tookMs * (1 + this.#restTimes));
    return beganMs + goodMs - performance.now();
  }

  /** Asks once more when the last answer is no longer good, if it is older than the last update: no later one may come. */
  #askAgain(running: Running, question: Question): void {
    if (running.isWaiting || running.askedRound === running.round) return;
    running.isWaiting = true;
    setTimeout(
      () => {
        running.isWaiting = false;
        if (this.#running.get(keyOfQuestion(question)) === running) this.ask(question, running.askedRound);
      },
      // Timers are early by less than a millisecond.
      Math.max(this.#restMs(running, question), 0) + 1,
    ).unref();
  }

  async #run(key: string, question: Question, running: Running): Promise<void> {
    try {
      const events = new Map<keyof Answer, StreamEvent>();
      for (const [name, part] of Object.entries(await this.#answer(question))) {
        const event = name as keyof Answer;
        events.set(event, new StreamEvent({ event, data: JSON.stringify(part) }));
      }
      running.events = events;
      running.tookMs = performance.now() - running.beganMs;
      this.#onAnswer(key, events);
    } catch {
      // The client keeps what it has, and the next update tries again.
    } finally {
      running.isRunning = false;
    }
    this.#askAgain(running, question);
  }
}
