import type { Job, JobProgress, JobResult } from './job.ts';
import { startWorker } from './parts.ts';

/** Why a command has no result: the reader has cancelled it. */
export class Cancellation extends Error {
  override readonly name = 'Cancellation';
}

/** How far a command has read. */
export interface Progress {
  /** The command as people type it. */
  readonly line: string;
  readonly readBytes: number;
  /** How long its files are. */
  readonly totalBytes: number;
}

interface Waiting {
  readonly job: Job;
  readonly line: string;
  resolve(result: JobResult): void;
  reject(error: unknown): void;
}

/** Runs commands in a worker, one at a time, in the order in which they are asked for. */
export class Runner {
  readonly #onProgress: (progress: Progress | undefined) => void;
  readonly #queue: Waiting[] = [];
  #worker: Worker | undefined;
  #lastId = 0;

  /** @param onProgress Gets `undefined` when no command runs. */
  constructor(onProgress: (progress: Progress | undefined) => void) {
    this.#onProgress = onProgress;
  }

  /** Runs a command. Rejects with a `Cancellation`, or when the worker has ended, as with too little memory. */
  run(asked: Omit<Job, 'id'>): Promise<JobResult> {
    this.#lastId += 1;
    const job = { ...asked, id: this.#lastId };
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, line: formatLine(job), resolve, reject });
      if (this.#queue.length === 1) this.#start();
    });
  }

  /** Ends the command that runs, and those that wait. */
  cancel(reason: Error = new Cancellation('cancelled')): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#queue.splice(0)) reject(reason);
    this.#onProgress(undefined);
  }

  #start(): void {
    const [first] = this.#queue;
    if (first === undefined) {
      this.#onProgress(undefined);
      return;
    }
    this.#worker ??= this.#begin();
    this.#report(first, 0);
    this.#worker.postMessage(first.job);
  }

  #report({ job, line }: Waiting, readBytes: number): void {
    let totalBytes = 0;
    for (const { size } of job.files.values()) totalBytes += size;
    this.#onProgress({ line, readBytes, totalBytes });
  }

  #begin(): Worker {
    const worker = startWorker();
    worker.addEventListener('message', ({ data }: MessageEvent<JobProgress | JobResult>) => {
      const [first] = this.#queue;
      if (data.id !== first?.job.id) return;
      if ('readBytes' in data) {
        this.#report(first, data.readBytes);
        return;
      }
      this.#queue.shift();
      first.resolve(data);
      this.#start();
    });
    worker.addEventListener('error', ({ message }) => {
      this.cancel(new Error(message || 'the worker has ended: the browser may have too little memory'));
    });
    return worker;
  }
}

/** A command as people type it. */
export function formatLine({ command, words, output }: Pick<Job, 'command' | 'words' | 'output'>): string {
  const name = command === 'figures' ? 'inspect' : command;
  const all = [...words, ...(output === undefined ? [] : ['-o', output])];
  return `hdrscope ${name} ${all.map(quoteWord).join(' ')}`;
}

/** Quotes a word for a shell when it needs that. */
function quoteWord(word: string): string {
  return /^[\w./:=,%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
