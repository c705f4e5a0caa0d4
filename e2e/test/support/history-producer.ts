import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type EngineName = 'postgres' | 'clickhouse';

interface Message {
  readonly type: 'ready' | 'written' | 'ended';
  readonly engine: EngineName;
  readonly step: number;
  readonly lostRows: number;
  readonly waitingRows: number;
}

/** The routes of each producer. */
export const ROUTES: readonly string[] = ['/pay', '/search', '/'];

/** How many values a route gets in a step. */
export const VALUES_PER_STEP = 5;

/** The values that a route gets in a step, in ticks: those of history-producer.mjs. */
export function valuesOf(seed: number, step: number, route: number): number[] {
  return Array.from(
    { length: VALUES_PER_STEP },
    (_, i) => 1 + (((((seed * 10_000 + step) * 3 + route) * 5 + i) * 7919) % 1_000_000_000),
  );
}

// Also when the test dies.
const DEADLINE_MS = 120_000;

/** One life of a producer, from its start to its end. */
export class HistoryProducer {
  readonly name: string;
  /** Determines its values. */
  readonly seed: number;
  /** The last step that each table has as a whole, as the producer has reported. */
  readonly written = new Map<EngineName, number>();
  /** The last step of a producer that has ended by itself. */
  lastStep: number | undefined;
  /** The rows that it has not written until its end. */
  missingRows = 0;
  readonly #child: ChildProcess;
  readonly #ready: Promise<unknown>;
  #hasWritten: () => void = () => {};
  /** Resolves when a table has its first step. */
  readonly wrote: Promise<void> = new Promise((resolve) => {
    this.#hasWritten = resolve;
  });
  readonly #exit: Promise<unknown>;

  /**
   * @param name Of no other life.
   * @param seed Of no other life.
   */
  constructor(name: string, seed: number, addresses: Readonly<Partial<Record<EngineName, string>>>) {
    this.name = name;
    this.seed = seed;
    this.#child = fork(
      join(import.meta.dirname, 'history-producer.mjs'),
      [name, String(seed), JSON.stringify(addresses)],
      {
        execArgv: [],
        timeout: DEADLINE_MS,
        killSignal: 'SIGKILL',
      },
    );
    this.#ready = once(this.#child, 'message');
    this.#exit = once(this.#child, 'exit');
    this.#child.on('message', (message) => this.#hear(message as Message));
  }

  /** Resolves when it records. */
  async started(): Promise<void> {
    await Promise.race([
      this.#ready,
      this.#exit.then(() => Promise.reject(new Error(`${this.name} has ended before it began`))),
    ]);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }

  /** Lets it write everything and end. */
  async end(): Promise<void> {
    this.#child.send('end');
    await this.#exit;
  }

  #hear({ type, engine, step, lostRows, waitingRows }: Message): void {
    if (type === 'written') {
      this.written.set(engine, step);
      this.#hasWritten();
    }
    if (type !== 'ended') return;
    this.lastStep = step;
    this.missingRows += lostRows + waitingRows;
  }
}
