import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { HdrscopeError } from '@hdrscope/core';
import { parseBpftraceLine } from './bpftrace-line.ts';
import { BpftraceState } from './bpftrace-state.ts';

/** From the start of a script to its end. */
export interface BpftraceRun {
  readonly state: BpftraceState;
  /** Resolves when its probes are attached, when it has printed, when it has ended, or after too long a time. */
  readonly started: Promise<void>;
  /** When it ended, by `performance.now()`. */
  readonly endedMs: number | undefined;
  /** Whether the reader was told of its end. */
  readonly isToldOf: boolean;
  readonly lostEvents: number;
  /** Why it cannot be read now; `undefined` where it can, which after its end is so once. */
  takeError(): HdrscopeError | undefined;
  close(): Promise<void>;
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly printEveryMs: number;
  readonly startTimeoutMs: number;
}

const KILL_AFTER_MS = 2000;
const LONGEST_LAST_WORDS = 2000;

/** Starts a script. */
export function startRun({ program, args, printEveryMs, startTimeoutMs }: Command): BpftraceRun {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-LONGEST_LAST_WORDS);
  });
  const run = new Run({ startTimeoutMs, lastWords: () => wordsThatMatter(words) });
  const end = new Promise<void>((resolve) => {
    child.on('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'there is no such program: install it' : cause.message;
      run.end(new HdrscopeError('ERR_KERNEL', `cannot run ${program}: ${why}`, { cause }));
      resolve();
    });
    child.on('close', (exitCode, signal) => {
      const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`;
      run.end(new HdrscopeError('ERR_KERNEL', `bpftrace has ended ${how}${run.lastWords()}`));
      resolve();
    });
  });
  // Left alone, it would trace for ever.
  const killAtExit = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', killAtExit);
  end.then(() => process.removeListener('exit', killAtExit));

  followLines(child.stdout, run);
  if (printEveryMs > 0) {
    run.attached.then(() => {
      // Before its probes are attached it would die of it. Source: bpftrace(8), "Signals".
      const ask = (): void => {
        child.kill('SIGUSR1');
      };
      if (run.endedMs !== undefined) return;
      ask();
      const timer = setInterval(ask, printEveryMs);
      end.then(() => clearInterval(timer));
    });
  }
  run.onClose = async () => {
    child.kill('SIGINT');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    await end;
    clearTimeout(timer);
  };
  return run;
}

/** Reads what a script prints that was started by somebody else. */
export function streamRun(stream: NodeJS.ReadableStream, startTimeoutMs: number): BpftraceRun {
  const run = new Run({ startTimeoutMs, lastWords: () => '' });
  const lines = followLines(stream, run);
  const end = (cause?: Error): void => {
    const why = cause === undefined ? 'has ended' : `cannot be read: ${cause.message}`;
    run.end(new HdrscopeError('ERR_KERNEL', `the output of bpftrace ${why}`, { cause }));
  };
  lines.on('error', end);
  stream.on('close', () => end());
  lines.on('close', () => end());
  if (!stream.readable) end();
  run.onClose = async () => lines.close();
  return run;
}

function followLines(stream: NodeJS.ReadableStream, run: Run): ReturnType<typeof createInterface> {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => run.take(line));
  return lines;
}

/** What bpftrace says of a limit that it need not raise is no reason for anything. */
function wordsThatMatter(words: string): string {
  const lines = words.split('\n').filter((line) => line.trim() !== '' && !line.includes('RLIMIT_MEMLOCK'));
  return lines.length === 0 ? '' : `: ${lines.join('\n')}`;
}

class Run implements BpftraceRun {
  readonly state: BpftraceState = new BpftraceState();
  readonly started: Promise<void>;
  /** Resolves when its probes are attached; never, where they are not. */
  readonly attached: Promise<void>;
  readonly lastWords: () => string;
  onClose: () => Promise<void> = async () => {};
  endedMs: number | undefined;
  isToldOf = false;
  lostEvents = 0;
  #attach: () => void = () => {};
  #start: () => void = () => {};
  #isLate = false;
  #hasUnread = false;
  #refused: HdrscopeError | undefined;
  #ending: HdrscopeError | undefined;
  readonly #startTimeoutMs: number;

  constructor({
    startTimeoutMs,
    lastWords,
  }: { readonly startTimeoutMs: number; readonly lastWords: () => string }) {
    this.lastWords = lastWords;
    this.#startTimeoutMs = startTimeoutMs;
    this.attached = new Promise((resolve) => {
      this.#attach = resolve;
    });
    this.started = new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#isLate = true;
        resolve();
      }, startTimeoutMs);
      this.#start = () => {
        this.#isLate = false;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  take(text: string): void {
    try {
      const line = parseBpftraceLine(text);
      if (line.kind === 'other') return;
      if (line.kind === 'lost') this.lostEvents += line.events;
      else if (line.kind === 'attached') this.#attach();
      else {
        this.state.update(line.variable, line.printed);
        this.#hasUnread = true;
      }
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      this.#refused = error;
    }
    this.#start();
  }

  end(ending: HdrscopeError): void {
    this.endedMs ??= performance.now();
    this.#ending ??= ending;
    this.#start();
  }

  takeError(): HdrscopeError | undefined {
    const refused = this.#refused;
    this.#refused = undefined;
    if (refused !== undefined) return refused;
    const isFresh = this.#hasUnread;
    this.#hasUnread = false;
    if (this.#ending !== undefined && !isFresh) {
      this.isToldOf = true;
      return this.#ending;
    }
    if (!this.#isLate) return undefined;
    const seconds = this.#startTimeoutMs / 1000;
    return new HdrscopeError(
      'ERR_KERNEL',
      `bpftrace has attached no probe within ${seconds} s${this.lastWords()}: give it longer with startTimeoutMs`,
    );
  }

  async close(): Promise<void> {
    await this.onClose();
    this.#start();
  }
}
