/** Divides a long log between workers. */
import type { LogSource } from '@hdrscope/interval-log';
import type { LogDivision, LogPart, PartQuestion } from '@hdrscope/interval-log/internal';
import { findFile, noteRead, readBlob } from './disk.ts';
import type { PartJob, PartProgress, PartResult } from './job.ts';

/** The part of `Worker` that is used of other workers. */
export interface OtherWorker {
  postMessage(job: PartJob): void;
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: PartProgress | PartResult }) => void,
    options: { readonly signal: AbortSignal },
  ): void;
  addEventListener(
    type: 'error',
    listener: (event: Pick<Event, 'preventDefault'>) => void,
    options: { readonly signal: AbortSignal },
  ): void;
  terminate(): void;
}

/** Short parts: a worker waits for the end of one part at most. A log of two parts is read before another worker has started. */
const PART_BYTES = 2 ** 21;
const FEWEST_PARTS = 3;
/** More workers would wait for the disk, and each takes memory. */
const MOST_WORKERS = 4;

/** Divides logs between this worker, which begins with the first part, and others, which begin with the last one. */
export class LogDivider {
  readonly #startWorker: () => OtherWorker;
  readonly #otherCount: number;
  readonly #partBytes: number;
  /** Workers that wait for a part. */
  readonly #idle: OtherWorker[] = [];

  /** @param cores How many threads the machine runs at a time. */
  constructor(cores: number, startWorker: () => OtherWorker, partBytes: number = PART_BYTES) {
    this.#startWorker = startWorker;
    this.#otherCount = Math.min(MOST_WORKERS, cores) - 1;
    this.#partBytes = partBytes;
  }

  /** Divides a file; `undefined` for what is short, or is no text of ASCII at its beginning, such as a gzip file. */
  readonly divide = async (source: LogSource): Promise<LogDivision | undefined> => {
    if (typeof source !== 'string' || this.#otherCount < 1) return undefined;
    const blob = findFile(source, 'open');
    if (blob.size < FEWEST_PARTS * this.#partBytes) return undefined;
    const starts = await findStarts(blob, this.#partBytes);
    if (starts.length < FEWEST_PARTS) return undefined;
    const parts = starts.map((start, at) => blob.slice(start, starts[at + 1]));
    return new SharedParts(parts, this.#takeWorkers, this.#idle);
  };

  readonly #takeWorkers = (): OtherWorker[] => {
    const taken = this.#idle.splice(0);
    while (taken.length < this.#otherCount) taken.push(this.#startWorker());
    return taken;
  };
}

/** As much as a line has at most: where it is longer, parts are. */
const WINDOW_BYTES = 2 ** 16;
const NEWLINE = 0x0a;
/** A reader recognises gzip and UTF-16 by this many bytes. */
const MARK_BYTES = 4;

/** Where parts of about a length may start; none when the file begins with other bytes than ASCII. */
async function findStarts(blob: Blob, partBytes: number): Promise<number[]> {
  const starts: number[] = [];
  if (!isAscii(await readBytes(blob, 0, MARK_BYTES), 0)) return starts;
  for (let at = 0; at < blob.size; at += partBytes) {
    if (at === 0) {
      starts.push(0);
      continue;
    }
    const bytes = await readBytes(blob, at, at + WINDOW_BYTES);
    let start = bytes.indexOf(NEWLINE) + 1;
    while (start > 0 && !isAscii(bytes, start)) start = bytes.indexOf(NEWLINE, start) + 1;
    if (start > 0 && at + start > starts.at(-1)!) starts.push(at + start);
  }
  return starts;
}

async function readBytes(blob: Blob, from: number, to: number): Promise<Uint8Array> {
  return new Uint8Array(await blob.slice(from, to).arrayBuffer());
}

/** Whether bytes from a place on are a text that nothing has to recognise. */
function isAscii(bytes: Uint8Array, from: number): boolean {
  const mark = bytes.subarray(from, from + MARK_BYTES);
  return mark.length === MARK_BYTES && mark.every((byte) => byte >= 0x20 && byte < 0x7f);
}

/** The parts of a log, which workers take from both ends. */
class SharedParts implements LogDivision {
  readonly parts: readonly LogSource[];
  readonly #blobs: readonly Blob[];
  readonly #takeWorkers: () => OtherWorker[];
  readonly #idle: OtherWorker[];
  readonly #busy = new Map<OtherWorker, (summary: LogPart | undefined) => void>();
  readonly #answers = new Map<number, Promise<LogPart | undefined>>();
  /** Parts from here on belong to other workers; those before `#first` to this one. */
  #last: number;
  #first = 0;
  readonly #ended = new AbortController();

  constructor(blobs: readonly Blob[], takeWorkers: () => OtherWorker[], idle: OtherWorker[]) {
    this.#blobs = blobs;
    this.parts = blobs.map((blob) => ({ [Symbol.asyncIterator]: () => readBlob(blob) }));
    this.#takeWorkers = takeWorkers;
    this.#idle = idle;
    this.#last = blobs.length;
  }

  begin(question: PartQuestion): void {
    for (const worker of this.#takeWorkers()) void this.#work(worker, question);
  }

  async take(part: number): Promise<LogPart | undefined> {
    this.#first = part + 1;
    return this.#answers.get(part);
  }

  close(): void {
    this.#first = this.#last;
    this.#ended.abort();
    for (const worker of this.#busy.keys()) worker.terminate();
  }

  /** Gives a worker one part after the other, as long as there are some. */
  async #work(worker: OtherWorker, question: PartQuestion): Promise<void> {
    const { signal } = this.#ended;
    let hasFailed = false;
    const answer = (summary: LogPart | undefined): void => this.#busy.get(worker)?.(summary);
    const onMessage = ({ data }: { readonly data: PartProgress | PartResult }): void => {
      if ('newBytes' in data) noteRead(data.newBytes);
      else answer(data.summary);
    };
    const onError = (event: Pick<Event, 'preventDefault'>): void => {
      // Otherwise this worker would fail, too.
      event.preventDefault();
      hasFailed = true;
      answer(undefined);
    };
    worker.addEventListener('message', onMessage, { signal });
    worker.addEventListener('error', onError, { signal });
    while (this.#last > this.#first && !hasFailed) {
      this.#last -= 1;
      const part = this.#last;
      const found = new Promise<LogPart | undefined>((resolve) => this.#busy.set(worker, resolve));
      this.#answers.set(part, found);
      worker.postMessage({ part, blob: this.#blobs[part]!, question });
      await found;
      this.#busy.delete(worker);
    }
    if (!hasFailed) this.#idle.push(worker);
  }
}
