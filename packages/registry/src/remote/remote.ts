import { HdrscopeError } from '@hdrscope/core';
import { type Channel, openChannel, type RemotePort } from '@hdrscope/kit';
import type { Attributes } from '../attributes.ts';
import { systemClock } from '../clock.ts';
import { distinctProblems, joinedError } from '../problems.ts';
import type { CollectLimits, Registry, Source } from '../registry.ts';
import type { RemoteStates } from './remote-states.ts';
import { collectMessage, type ReceivedChanges, readChanges, readRefusal } from './wire.ts';

/** How many answers of a remote may wait until they are added: a gather asks for one. */
const MOST_UNTAKEN = 100;

/** How many problems are kept for the next gather. A remote may send any number of messages that nobody waits for. */
const MOST_UNHEARD = 200;

/** A gather began before its source was called, and its timer may fire early. A problem that is kept in vain is reported twice. */
const EARLY_MS = 2;

/** The time between two questions to a remote that does not answer. A frozen one answers all of them when it goes on. */
const LEAST_PATIENCE_MS = 1000;
const LONGEST_PATIENCE_MS = 60_000;

/** The setup of a remote. */
export interface RemoteSetup {
  readonly name: string;
  /** A remote that is collected from later replaces one that has ended at the same place. */
  readonly place: unknown;
  readonly attributes: Attributes;
  readonly states: RemoteStates;
}

/** A gather that waits for an answer. */
interface Waiting {
  /** Until when the gather certainly waits, on the monotonic clock of the runtime. */
  readonly untilMs: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A registry in another thread or process as a source of this one. One that is lost stays a source, which fails, until it is closed, or
 * until it is replaced and a gather has reported the loss.
 */
export class Remote implements Source {
  readonly name: string;
  readonly place: unknown;
  readonly #setup: RemoteSetup;
  readonly #port: RemotePort;
  readonly #channel: Channel;
  /** Called when nothing is left to ask or to report, possibly more than once. */
  readonly #onDone: () => void;
  /** By number of the request, ascending. */
  readonly #waiting = new Map<number, Waiting>();
  /** How many answers came and are not in the registry yet. */
  #untaken = 0;
  #lastRequest = 0;
  /** Asks again. */
  #reminder: Timer | undefined;
  /** The instance that answered last. */
  #instance: string | undefined;
  #answeredMs: number | undefined;
  /** The problems of messages that no gather waited for, or that all had given up. The next gather reports them. */
  #problems: readonly unknown[] = [];
  /** `lost` when the remote ended without its last changes. Only a `live` remote can be asked. */
  #status: 'live' | 'done' | 'lost' = 'live';
  /** Whether the port has reported its end, after messages that may not be taken yet. */
  #isEnding = false;
  /** Whether a gather has reported that the remote is lost. */
  #isNamed = false;
  #isReplaced = false;

  /** @throws HdrscopeError `ERR_INVALID_OPTION` when nothing can be sent through the port. */
  constructor(port: RemotePort, setup: RemoteSetup, onDone: () => void) {
    this.name = setup.name;
    this.place = setup.place;
    this.#setup = setup;
    this.#port = port;
    this.#onDone = onDone;
    this.#channel = openChannel(port, {
      onMessage: (message) => this.#receive(message),
      onEnd: () => this.#end(),
    });
  }

  /** Whether the other side has ended and nothing has replaced it. Its last messages may still come. */
  get isVacant(): boolean {
    if (this.#isReplaced || this.#status === 'done') return false;
    return this.#status === 'lost' || this.#isEnding || hasEnded(this.#port);
  }

  /** Notes that another remote is in its place. It is not named any more, unless no gather has named it yet. */
  replace(): void {
    this.#isReplaced = true;
    if (this.#isNamed) this.close();
  }

  /** Asks for the changes. Ends when they are in the registry. */
  async collect(_registry: Registry, { timeoutMs }: CollectLimits): Promise<void> {
    if (this.#status === 'lost') this.#failAsLost();
    if (this.#status === 'done') {
      const problems = this.#problems;
      this.close();
      if (problems.length === 0) return;
      throw joinedError(problems);
    }
    const request = ++this.#lastRequest;
    const untilMs = systemClock.monotonicMs() + timeoutMs - EARLY_MS;
    const answer = new Promise<void>((resolve, reject) =>
      this.#waiting.set(request, { untilMs, resolve, reject }),
    );
    this.#ask(request, timeoutMs, LEAST_PATIENCE_MS);
    return answer;
  }

  /**
   * Asks, and asks again after a while, because a process that has just begun may lose what it is sent before it listens. A remote that
   * is late answers all questions, and the repeated answers add nothing.
   */
  #ask(request: number, timeoutMs: number, patienceMs: number): void {
    const { states } = this.#setup;
    const known = this.#instance === undefined ? undefined : states.known(this.#instance);
    const question = collectMessage({ request, timeoutMs, asker: states.asker, known });
    this.#channel.post(question).catch(() => this.#end());
    this.#remind(request, timeoutMs, patienceMs);
  }

  #remind(request: number, timeoutMs: number, patienceMs: number): void {
    clearTimeout(this.#reminder);
    this.#reminder = setTimeout(() => {
      if (!this.#waiting.has(request)) return;
      const nextMs = Math.min(2 * patienceMs, LONGEST_PATIENCE_MS);
      // An answer that waits for its turn is not late: another one would double the work of both sides.
      if (this.#untaken > 0) this.#remind(request, timeoutMs, nextMs);
      else this.#ask(request, timeoutMs, nextMs);
    }, patienceMs);
    this.#reminder.unref?.();
  }

  /** Ends asking and listening. The counts that came stay. */
  close(): void {
    this.#status = 'done';
    this.#leave();
    this.#settle(this.#lastRequest, []);
    this.#onDone();
  }

  #leave(): void {
    this.#channel.close();
    if (this.#instance !== undefined) this.#setup.states.detach(this.#instance);
    this.#instance = undefined;
  }

  #receive(message: unknown): void {
    const { states } = this.#setup;
    try {
      const changes = readChanges(message);
      const isMine = changes?.asker === states.asker || changes?.asker === '';
      if (changes !== undefined && isMine) this.#takeInTurn(changes);
      const refusal = readRefusal(message);
      if (refusal === undefined || (refusal.asker !== states.asker && refusal.asker !== '')) return;
      const problem = new HdrscopeError('ERR_DECODE', `${this.name} refuses the question: ${refusal.error}`);
      states.inTurn(() => {
        // Another asker may have sent the question, or no gather waits for its answer any more.
        if (this.#waiting.size > 0) this.#settle(refusal.request || this.#lastRequest, [problem]);
      });
    } catch (error) {
      // No answer can be expected, to whatever request.
      states.inTurn(() => this.#settle(this.#lastRequest, [error]));
    }
  }

  #takeInTurn(changes: ReceivedChanges): void {
    const { states } = this.#setup;
    // What is left out comes again: the remote repeats what was not acknowledged.
    if (this.#untaken >= MOST_UNTAKEN) {
      const message = `${this.name} must send its answers one by one, got ${MOST_UNTAKEN + 1} at once`;
      const problem = new HdrscopeError('ERR_TOO_LARGE', message, {
        details: { what: 'answers', limit: 'count', most: MOST_UNTAKEN },
      });
      states.inTurn(() => this.#settle(this.#lastRequest, [problem]));
      return;
    }
    this.#untaken++;
    states.inTurn(async () => {
      try {
        await this.#take(changes);
      } catch (error) {
        this.#settle(this.#lastRequest, [error]);
      } finally {
        this.#untaken--;
      }
    });
  }

  async #take(changes: ReceivedChanges): Promise<void> {
    if (this.#status !== 'live') return;
    const { states, attributes } = this.#setup;
    this.#attachTo(changes.instance);
    this.#answeredMs = changes.timeMs;
    const problems = [
      ...(await states.take(changes, attributes)),
      ...changes.errors.map((error) => new Error(error)),
    ];
    this.#settle(changes.isLast ? this.#lastRequest : changes.request, problems);
    if (!changes.isLast) return;
    // Problems that no gather has reported yet keep the source in the registry until the next gather.
    if (this.#problems.length === 0) this.close();
    else this.#status = 'done';
  }

  #attachTo(instance: string): void {
    if (this.#instance === instance) return;
    const { states } = this.#setup;
    states.attach(instance);
    if (this.#instance !== undefined) states.detach(this.#instance);
    this.#instance = instance;
  }

  /** Ends the waiting for all requests up to a number. */
  #settle(request: number, newProblems: readonly unknown[]): void {
    const problems = distinctProblems([...this.#problems, ...newProblems]);
    if (request >= this.#lastRequest) clearTimeout(this.#reminder);
    const answered = [...this.#waiting].filter(([asked]) => asked <= request);
    for (const [asked, { resolve, reject }] of answered) {
      this.#waiting.delete(asked);
      if (problems.length === 0) resolve();
      else reject(joinedError(problems));
    }
    const nowMs = systemClock.monotonicMs();
    const isHeard = answered.some(([, { untilMs }]) => untilMs > nowMs);
    this.#problems = isHeard ? [] : problems.slice(0, MOST_UNHEARD);
  }

  /** The other side ended. */
  #end(): void {
    this.#isEnding = true;
    // After the messages that came before.
    this.#setup.states.inTurn(() => this.#endNow());
  }

  #endNow(): void {
    if (this.#status !== 'live') return;
    this.#status = 'lost';
    this.#leave();
    // The gathers that asked may have given up already, so this does not count as named.
    if (this.#waiting.size > 0) this.#settle(this.#lastRequest, [this.#lostError()]);
  }

  #failAsLost(): never {
    const problems = [...this.#problems, this.#lostError()];
    this.#problems = [];
    this.#isNamed = true;
    if (this.#isReplaced) this.close();
    throw joinedError(problems);
  }

  #lostError(): Error {
    const since = this.#answeredMs === undefined ? '' : ` since ${new Date(this.#answeredMs).toISOString()}`;
    return new Error(`${this.name} ended and did not report its counts${since}`);
  }
}

/** Whether a thread or process has ended, which its port reports later: after its last messages. */
function hasEnded(port: RemotePort): boolean {
  const { threadId, process = port } = port as { threadId?: number; process?: object };
  const { exitCode, signalCode } = process as { exitCode?: number | null; signalCode?: string | null };
  return threadId === -1 || (exitCode ?? signalCode ?? undefined) !== undefined;
}

/** Every runtime has them, but the library of the language does not declare them. Timers of Node.js keep a process alive. */
type Timer = { unref?(): unknown };
declare function setTimeout(callback: () => void, delayMs: number): Timer;
declare function clearTimeout(timer: Timer | undefined): void;
