import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { kernelError } from '../errors.ts';
import { BpftraceState, parseBpftraceLine } from './bpftrace-output.ts';

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly printEveryMs: number;
  readonly startTimeoutMs: number;
}

const KILL_AFTER_MS = 2000;
const STDERR_CHARACTERS = 2000;

/** Starts a script. */
export function startRun({ program, args, printEveryMs, startTimeoutMs }: Command): BpftraceRun {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARACTERS);
  });
  const run = new BpftraceRun({ startTimeoutMs, reason: () => reasonIn(stderr) });
  const end = new Promise<void>((resolve) => {
    child.on('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'it is not installed, or not in PATH' : cause.message;
      run.end(kernelError(`cannot run ${program}: ${why}`, { program }, cause));
      resolve();
    });
    child.on('close', (exitCode, signal) => {
      const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`;
      run.end(kernelError(`bpftrace has ended ${how}${run.reason()}`, { program }));
      resolve();
    });
  });
  // bpftrace would go on after the end of this process.
  const killAtExit = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', killAtExit);
  end.then(() => process.removeListener('exit', killAtExit));

  followLines(child.stdout, run);
  if (printEveryMs > 0) {
    run.attached.then(() => {
      // Before its probes are attached, the signal would end it. Source: bpftrace(8), "Signals".
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

/** Reads the output of a script that another program has started. */
export function streamRun(stream: NodeJS.ReadableStream, startTimeoutMs: number): BpftraceRun {
  const run = new BpftraceRun({ startTimeoutMs, reason: () => '' });
  const stop = followLines(stream, run);
  const end = (cause?: Error): void => {
    const why = cause === undefined ? 'has ended' : `cannot be read: ${cause.message}`;
    run.end(kernelError(`the output of bpftrace ${why}`, { program: 'bpftrace' }, cause));
  };
  stream.on('error', end);
  stream.on('close', () => end());
  stream.on('end', () => end());
  if (!stream.readable) end();
  run.onClose = async () => {
    stop();
    end();
  };
  return run;
}

/** The reason of a failure in the messages of bpftrace. A message about RLIMIT_MEMLOCK is harmless. */
function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.includes('RLIMIT_MEMLOCK'));
  return lines.length === 0 ? '' : `: ${lines.join('\n')}`;
}

/** One run of a script, from its start to its end. */
export class BpftraceRun implements LineEvents {
  readonly state: BpftraceState = new BpftraceState();
  /** Resolves when its probes are attached, when it has printed or ended, or after `startTimeoutMs`. */
  readonly started: Promise<void>;
  /** Resolves when its probes are attached. */
  readonly attached: Promise<void>;
  readonly reason: () => string;
  onClose: () => Promise<void> = async () => {};
  /** Time of its end, by `performance.now()`; `undefined` while it runs. */
  endedMs: number | undefined;
  /** Whether `takeError` has returned its end. */
  isEndReported = false;
  /** Events that did not reach bpftrace. */
  lostEvents = 0;
  #attach: () => void = () => {};
  #start: () => void = () => {};
  #isLate = false;
  #hasUnread = false;
  #malformed: HdrscopeError | undefined;
  #ending: HdrscopeError | undefined;
  readonly #startTimeoutMs: number;

  constructor({
    startTimeoutMs,
    reason,
  }: { readonly startTimeoutMs: number; readonly reason: () => string }) {
    this.reason = reason;
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

  onTooLong(): void {
    this.#refuse(
      mustBe('ERR_TOO_LARGE', 'a line of bpftrace', `at most ${LONGEST_LINE} characters`, 'a longer one'),
    );
    this.#start();
  }

  onLine(text: string): void {
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
      this.#refuse(error);
    }
    this.#start();
  }

  #refuse(error: unknown): void {
    // Nothing that a script prints may end this process.
    const unexpected = () => kernelError('a line of bpftrace cannot be read', { program: 'bpftrace' }, error);
    this.#malformed = error instanceof HdrscopeError ? error : unexpected();
  }

  end(ending: HdrscopeError): void {
    this.endedMs ??= performance.now();
    this.#ending ??= ending;
    this.#start();
  }

  /** Why it cannot be read now; `undefined` when it can. After its end it can be read once more. */
  takeError(): HdrscopeError | undefined {
    const malformed = this.#malformed;
    this.#malformed = undefined;
    if (malformed !== undefined) return malformed;
    const isFresh = this.#hasUnread;
    this.#hasUnread = false;
    if (this.#ending !== undefined && !isFresh) {
      this.isEndReported = true;
      return this.#ending;
    }
    if (!this.#isLate) return undefined;
    const seconds = this.#startTimeoutMs / 1000;
    return kernelError(
      `bpftrace must attach its probes within ${seconds} s, and has not${this.reason()}: raise startTimeoutMs`,
      { program: 'bpftrace' },
    );
  }

  async close(): Promise<void> {
    await this.onClose();
    this.#start();
  }
}

/** Receives the lines of a stream. */
export interface LineEvents {
  onLine(line: string): void;
  /** Called for a line that is too long. All of the line is left out. */
  onTooLong(): void;
}

/** The longest line that is read, in characters. bpftrace prints a variable with all its keys in one line. */
const LONGEST_LINE: number = 2 ** 25;

/**
 * Reads the lines of a stream. Without a limit, a stream without line feeds would fill the memory.
 *
 * @returns A function that ends reading.
 */
function followLines(stream: NodeJS.ReadableStream, events: LineEvents): () => void {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;
  let isTooLong = false;
  const add = (piece: string): void => {
    length += piece.length;
    if (length <= LONGEST_LINE) {
      pieces.push(piece);
      return;
    }
    pieces = [];
    if (!isTooLong) events.onTooLong();
    isTooLong = true;
  };
  const endLine = (): void => {
    const line = pieces.join('');
    if (!isTooLong) events.onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    pieces = [];
    length = 0;
    isTooLong = false;
  };
  const onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      add(text.slice(from, end));
      endLine();
      from = end + 1;
    }
    if (from < text.length) add(text.slice(from));
  };
  const onEnd = (): void => {
    if (length > 0) endLine();
  };
  stream.on('data', onData);
  stream.on('end', onEnd);
  return () => {
    stream.removeListener('data', onData);
    stream.removeListener('end', onEnd);
    stream.pause();
  };
}
