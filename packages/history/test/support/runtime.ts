import { open } from 'node:fs/promises';
import { createRegistry, type Registry, systemClock } from '@hdrscope/registry';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import type { HistoryOptions, HistorySink } from '../../src/index.ts';
import { type Files, realFiles } from '../../src/parquet/files.ts';
import { openSink } from '../../src/sink/open.ts';
import { newDirectory } from './sandbox.ts';

type Operation = 'open' | 'write' | 'datasync' | 'rename' | 'unlink';

/** The real file system, some of whose operations fail. */
export class FaultyFiles {
  /** The operations that fail with this code. */
  readonly faults = new Map<Operation, string>();
  /** Every write waits for this. */
  gate: Promise<void> = Promise.resolve();
  /** Files that are open. */
  openFiles = 0;

  readonly files: Files = {
    ...realFiles,
    open: async (path, flags) => {
      if (flags !== 'r') this.#fail('open');
      const handle = await open(path, flags);
      this.openFiles++;
      const { write, datasync, close } = handle;
      handle.write = (async (...args: Parameters<typeof write>) => {
        await this.gate;
        this.#fail('write');
        return await write.apply(handle, args);
      }) as typeof write;
      handle.datasync = async () => {
        this.#fail('datasync');
        await datasync.call(handle);
      };
      handle.close = async () => {
        this.openFiles--;
        await close.call(handle);
      };
      return handle;
    },
    rename: async (from, to) => {
      this.#fail('rename');
      await realFiles.rename(from, to);
    },
    unlink: async (path) => {
      this.#fail('unlink');
      await realFiles.unlink(path);
    },
  };

  #fail(operation: Operation): void {
    const code = this.faults.get(operation);
    if (code !== undefined) throw Object.assign(new Error(`${code}: injected fault, ${operation}`), { code });
  }
}

export const START_MS = Date.parse('2026-11-22T12:00:00Z');

/** A history in a fake environment, and a registry to record in. */
export interface Opened {
  readonly folder: string;
  readonly registry: Registry;
  readonly sink: HistorySink;
  readonly time: FakeClock;
  readonly faulty: FaultyFiles;
  readonly events: string[];
  /** Records a value of a series. */
  record(seconds?: number, attributes?: Record<string, string>): void;
  /** Advances time by an interval, and waits until its work is done. */
  tick(ms?: number): Promise<void>;
  /** Advances time by an interval, and does not wait. */
  fire(ms?: number): void;
  /** How many callbacks are due again and again. */
  timers(): number;
}

export async function opened(
  options: Partial<HistoryOptions> = {},
  folder = newDirectory(),
): Promise<Opened> {
  const time = new FakeClock(START_MS);
  const faulty = new FaultyFiles();
  const events: string[] = [];
  const callbacks = new Set<() => void>();
  const registry = createRegistry({ clock: time });
  const listeners = {
    onError: (error: Error) => void events.push(error.message),
    onRecovery: () => void events.push('recovered'),
  };
  const runtime = {
    clock: time,
    files: faulty.files,
    repeat: (callback: () => void) => {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
  const sink = await openSink(registry, { folder, producer: 'shop', ...listeners, ...options }, runtime);
  const family = registry.histogram({ name: 'rpc', unit: 's' });
  const fire = (ms = 60_000): void => {
    time.advance(ms);
    for (const callback of callbacks) callback();
  };
  return {
    folder,
    registry,
    sink,
    time,
    faulty,
    events,
    record: (seconds = 0.001, attributes = {}) => family.with(attributes).record(seconds),
    fire,
    tick: async (ms) => {
      const { collectedUntilMs, failures } = sink.health;
      fire(ms);
      await until(() => sink.health.collectedUntilMs > collectedUntilMs || sink.health.failures > failures);
      // The rest of the cycle.
      await sink.idle();
    },
    timers: () => callbacks.size,
  };
}

/** Waits until a condition holds, for 60 s at most. */
export async function until(isSo: () => boolean): Promise<void> {
  const endMs = systemClock.monotonicMs() + 60_000;
  while (!isSo()) {
    if (systemClock.monotonicMs() > endMs) throw new Error(`the condition never held: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
