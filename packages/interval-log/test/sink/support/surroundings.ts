import { EventEmitter } from 'node:events';
import { open } from 'node:fs/promises';
import type { Clock } from '@hdrscope/registry';
import { type FileHandle, type Files, realFiles } from '../../../src/sink/files.ts';
import type { SinkRuntime } from '../../../src/sink/sink.ts';
import type { Delay } from '../../../src/sink/ticker.ts';

/** A clock that only `advance` moves, and its timers. */
export class FakeTime implements Clock {
  #wallMs: number;
  #monotonicMs = 5000;
  #timers: { readonly dueMs: number; readonly callback: () => void }[] = [];

  constructor(wallMs = 1_700_000_000_000) {
    this.#wallMs = wallMs;
  }

  readonly nowMs = (): number => this.#wallMs;
  readonly monotonicMs = (): number => this.#monotonicMs;

  readonly delay: Delay = (callback, delayMs) => {
    const timer = { dueMs: this.#monotonicMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  };

  get timerCount(): number {
    return this.#timers.length;
  }

  /** Advances both clocks and fires the timers that come due. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#pass(Math.max(0, next.dueMs - this.#monotonicMs));
      next.callback();
    }
    this.#pass(endMs - this.#monotonicMs);
  }

  /** Sets the wall clock, as an operator or NTP does. */
  setWallClock(wallMs: number): void {
    this.#wallMs = wallMs;
  }

  #pass(ms: number): void {
    this.#monotonicMs += ms;
    this.#wallMs += ms;
  }
}

/** The failure of an operation. A write may take some bytes before it. */
export interface Fault {
  readonly code: string;
  readonly afterBytes?: number;
}

/** The real file system, with injected faults. */
export class FaultyFiles {
  readonly faults: Record<'write' | 'truncate' | 'datasync' | 'open' | 'rename' | 'unlink', Fault[]> = {
    write: [],
    truncate: [],
    datasync: [],
    open: [],
    rename: [],
    unlink: [],
  };
  /** Every write waits for this. */
  gate: Promise<void> = Promise.resolve();
  readonly #open = new Set<FileHandle>();
  writesInFlight = 0;
  mostWritesInFlight = 0;

  readonly files: Files = {
    ...realFiles,
    open: (async (path: string, flags: string, mode?: number) => {
      this.#fail('open');
      return this.#wrapped(await open(path, flags, mode));
    }) as typeof open,
    rename: async (from, to) => {
      this.#fail('rename');
      await realFiles.rename(from, to);
    },
    unlink: async (path) => {
      this.#fail('unlink');
      await realFiles.unlink(path);
    },
  };

  /** Closes all files, as the system does when a process dies. */
  async closeAll(): Promise<void> {
    for (const handle of this.#open) await handle.close();
    this.#open.clear();
  }

  clear(): void {
    for (const faults of Object.values(this.faults)) faults.length = 0;
  }

  #fail(operation: keyof FaultyFiles['faults']): void {
    const fault = this.faults[operation].shift();
    if (fault !== undefined) throw failure(operation, fault.code);
  }

  #wrapped(handle: FileHandle): FileHandle {
    this.#open.add(handle);
    const wrapped = {
      stat: () => handle.stat(),
      close: () => {
        this.#open.delete(handle);
        return handle.close();
      },
      sync: () => handle.sync(),
      chown: (uid: number, gid: number) => handle.chown(uid, gid),
      chmod: (mode: number) => handle.chmod(mode),
      read: (...args: Parameters<FileHandle['read']>) => handle.read(...args),
      truncate: async (length: number) => {
        this.#fail('truncate');
        await handle.truncate(length);
      },
      datasync: async () => {
        this.#fail('datasync');
        await handle.datasync();
      },
      write: async (bytes: Uint8Array | string, offset = 0, length = bytes.length) => {
        this.writesInFlight++;
        this.mostWritesInFlight = Math.max(this.mostWritesInFlight, this.writesInFlight);
        try {
          await this.gate;
          const fault = this.faults.write.shift();
          if (fault === undefined) return await handle.write(Buffer.from(bytes), offset, length);
          const taken = Math.min(fault.afterBytes ?? 0, length);
          if (taken === 0) throw failure('write', fault.code);
          // The system takes a part of the bytes, and fails for the rest.
          this.faults.write.unshift({ code: fault.code });
          return await handle.write(Buffer.from(bytes), offset, taken);
        } finally {
          this.writesInFlight--;
        }
      },
    };
    return wrapped as unknown as FileHandle;
  }
}

function failure(operation: string, code: string): Error {
  return Object.assign(new Error(`${code}: injected fault, ${operation}`), { code });
}

export interface Surroundings {
  readonly time: FakeTime;
  readonly faulty: FaultyFiles;
  readonly signals: EventEmitter;
  readonly runtime: SinkRuntime;
}

/** A fake environment of a sink. */
export function surroundings(wallMs?: number): Surroundings {
  const time = new FakeTime(wallMs);
  const faulty = new FaultyFiles();
  const signals = new EventEmitter();
  const runtime: SinkRuntime = {
    clock: time,
    delay: time.delay,
    files: faulty.files,
    signals,
    lock: async () => async () => {},
  };
  return { time, faulty, signals, runtime };
}

/** Waits until a condition holds, for 90 s at most. */
export async function until(isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + 90_000;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`the condition never held: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
