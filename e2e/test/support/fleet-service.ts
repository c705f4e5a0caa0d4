import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface Message {
  readonly type: 'ready' | 'recorded' | 'flushed';
  readonly isAcknowledged?: boolean;
}

/** Every service is killed after this time, even if its test dies. */
const DEADLINE_MS = 120_000;

const running = new Set<ChildProcess>();

/** The process of a service that records into an HDR histogram and sends deltas to a Collector. */
export class FleetService {
  readonly instance: string;
  readonly #child: ChildProcess;
  readonly #messages: Message[] = [];
  #hasEnded = false;
  /** Ends the wait for a message of the process. */
  #wake = (): void => {};

  private constructor(url: string, instance: string) {
    this.instance = instance;
    this.#child = fork(join(import.meta.dirname, 'fleet-service.mjs'), [url, instance], {
      // Without the options of the test runner.
      execArgv: [],
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    running.add(this.#child);
    this.#child.on('message', (message) => {
      this.#messages.push(message as Message);
      this.#wake();
    });
    this.#child.once('exit', () => {
      running.delete(this.#child);
      this.#hasEnded = true;
      this.#wake();
    });
  }

  static async start(collectorUrl: string, instance: string): Promise<FleetService> {
    const service = new FleetService(`${collectorUrl}/v1/metrics`, instance);
    await service.#next('ready');
    return service;
  }

  /** Records and exports values. Resolves when the Collector has acknowledged them. */
  async flush(values: readonly number[]): Promise<void> {
    this.#child.send({ values, isFlushed: true });
    await this.#next('recorded');
    const { isAcknowledged } = await this.#next('flushed');
    if (!isAcknowledged) throw new Error(`the export of ${this.instance} failed`);
  }

  /** Records values without exporting them. Resolves when the process has them. */
  async record(values: readonly number[]): Promise<void> {
    this.#child.send({ values, isFlushed: false });
    await this.#next('recorded');
  }

  /** Kills the process while it sends values. They may have arrived or not. */
  async killInFlush(values: readonly number[]): Promise<void> {
    this.#child.send({ values, isFlushed: true });
    await this.#next('recorded');
    // About the duration of a request.
    await sleep(4);
    await this.kill();
  }

  async kill(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  async #next(type: Message['type']): Promise<Message> {
    for (;;) {
      const message = this.#messages.shift();
      if (message?.type === type) return message;
      if (message !== undefined) throw new Error(`${this.instance} sent '${message.type}', not '${type}'`);
      if (this.#hasEnded) throw new Error(`${this.instance} ended before it was '${type}'`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Kills all services that are still running. */
export async function killServices(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }),
  );
}
