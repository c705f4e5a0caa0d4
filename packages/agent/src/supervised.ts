import { reasonOf } from '@hdrscope/kit';
import { IngestMemory, type IntakeOptions } from '@hdrscope/registry';
import type { ConfigEntry } from './config/agent-config.ts';
import type { Tally } from './health.ts';
import type { AgentLog } from './log.ts';
import { type EntryMemory, MemoryKind } from './memory.ts';
import type { EntryContext, Running, RunningSource } from './part.ts';
import type { RetryOptions } from './retry.ts';

type Surroundings = Omit<
  EntryContext,
  | 'added'
  | 'missed'
  | 'delivered'
  | 'stored'
  | 'received'
  | 'succeeded'
  | 'failed'
  | 'died'
  | 'info'
  | 'intake'
  | 'memory'
  | 'refusals'
>;

/** The options of `Supervised`. */
interface SupervisedOptions {
  readonly config: ConfigEntry;
  start(context: EntryContext): Promise<Running | RunningSource>;
  readonly tally: Tally;
  readonly log: AgentLog;
  readonly retry: Required<RetryOptions>;
  readonly surroundings: Surroundings;
  readonly memory: EntryMemory;
}

/** What sources have ingested, by the name of the input. Entries that read the same input share it. */
const INTAKES = new MemoryKind<IngestMemory>();

/** Keeps one source or sink running until `stop`. */
export class Supervised {
  readonly config: ConfigEntry;
  /** Such as `source osd.0`. */
  readonly label: string;
  readonly #options: SupervisedOptions;
  #running: Running | RunningSource | undefined;
  #attempt: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waitMs: number;
  #isStopped = false;
  #hasStarted = false;
  /** The number of the current run. Reports of earlier runs are ignored. */
  #life = 0;

  constructor(options: SupervisedOptions) {
    const { tally, retry, config } = options;
    this.config = config;
    this.#options = options;
    this.label = `${tally.kind} ${tally.name}`;
    this.#waitMs = retry.firstMs;
  }

  /** Starts the entry. Never rejects: a failed start is tried again. */
  start(): Promise<void> {
    this.#attempt = this.#try();
    return this.#attempt;
  }

  /** The kernel maps that a source reads now, once its start is over. */
  async kernelMaps(): Promise<readonly number[]> {
    await this.#attempt;
    const running = this.#running;
    return running !== undefined && 'kernelMaps' in running ? running.kernelMaps() : [];
  }

  /** Ends the entry. Rejects when a sink could not send what it held. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#attempt;
    const running = this.#running;
    this.#running = undefined;
    try {
      await running?.stop();
      this.#options.tally.state = 'stopped';
    } catch (error) {
      this.#note(error, 'failing');
      throw error;
    } finally {
      // Until now the entry reports what it does last.
      this.#life++;
    }
  }

  async #try(): Promise<void> {
    const { tally, log } = this.#options;
    tally.state = 'starting';
    try {
      const running = await this.#options.start(this.#context());
      this.#running = running;
      if (this.#isStopped) return;
      // A source may have reported a success or a failure while it started.
      if ((tally.state as Tally['state']) === 'starting') tally.state = 'running';
      const where = running.note === undefined ? '' : `: ${running.note}`;
      if (!this.#hasStarted) log.info(`${this.label} has started${where}`);
      // An entry that dies again and again starts as often: its lines are limited.
      else log.problem(`start of ${this.label}`, `${this.label} has started again${where}`);
      this.#hasStarted = true;
    } catch (error) {
      this.#retryAfter(error);
    }
  }

  #context(): EntryContext {
    const { surroundings, memory, log, tally } = this.#options;
    const life = ++this.#life;
    const ifAlive =
      <Args extends unknown[]>(act: (...args: Args) => void) =>
      (...args: Args): void => {
        if (life === this.#life) act(...args);
      };
    const succeeded = ifAlive(() => {
      if (tally.state === 'failing') log.info(`${this.label} works again`);
      tally.state = 'running';
      tally.lastSuccessMs = surroundings.nowMs();
      this.#waitMs = this.#options.retry.firstMs;
    });
    const failed = ifAlive((error: unknown) => {
      this.#note(error, 'failing');
      log.problem(this.label, `${this.label} has failed: ${reasonOf(error)}`);
    });
    const added = ifAlive((values: number) => {
      tally.values += values;
    });
    return {
      ...surroundings,
      intake: (input) => ({
        sourceName: tally.name,
        memory: memory.ensure(INTAKES, input, () => new IngestMemory()),
        dropAttributes: (this.config as Pick<IntakeOptions, 'dropAttributes'>).dropAttributes,
        observer: { added, succeeded, failed },
      }),
      memory,
      refusals: tally.refusals,
      added,
      missed: ifAlive((values: number) => {
        tally.missed = (tally.missed ?? 0) + values;
      }),
      // The last report comes from the end of a sink.
      delivered: (delivery) => {
        const { lastPartialSuccess: partial } = delivery;
        // The message comes from the receiver, which may repeat a header of the request.
        tally.delivery =
          partial === undefined
            ? delivery
            : {
                ...delivery,
                lastPartialSuccess: { ...partial, message: surroundings.shown(partial.message) },
              };
      },
      stored: (storage) => {
        tally.storage = storage;
      },
      received: (packets) => {
        tally.packets = packets;
      },
      info: ifAlive((line: string) => log.info(`${this.label}: ${line}`)),
      succeeded,
      failed,
      died: ifAlive((error: unknown) => void this.#bury(error)),
    };
  }

  async #bury(error: unknown): Promise<void> {
    this.#life++;
    // The entry may die while it starts.
    await this.#attempt;
    const running = this.#running;
    this.#running = undefined;
    await running?.stop().catch(() => {});
    this.#retryAfter(error);
  }

  #retryAfter(error: unknown): void {
    const { log, retry, tally } = this.#options;
    if (this.#isStopped) return;
    this.#note(error, 'waiting');
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(2 * waitMs, retry.longestMs);
    const again = `it is started again in ${waitMs / 1000} s`;
    log.problem(this.label, `${this.label} has failed: ${reasonOf(error)}; ${again}`);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      tally.restarts++;
      this.#attempt = this.#try();
    }, waitMs);
  }

  #note(error: unknown, state: Tally['state']): void {
    const { tally, surroundings } = this.#options;
    tally.errors++;
    tally.lastError = surroundings.shown(reasonOf(error));
    tally.state = state;
  }
}
