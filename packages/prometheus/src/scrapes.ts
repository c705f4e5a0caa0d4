import { type Patience, Slices, within } from '@hdrscope/kit';
import { gzipInSlices } from '@hdrscope/kit/delivery';
import { SHARED_GATHER_MS } from '@hdrscope/registry/internal';
import type { Body } from './body.ts';
import type { Deadline } from './deadline.ts';
import type { Exposition } from './exposition.ts';
import type { LazyFamily } from './lazy-family.ts';
import type { NegotiatedFormat } from './negotiation.ts';
import type { ExpositionFormat } from './render.ts';

/**
 * Returns the families to expose now. After `timeoutMs` it leaves out sources that have not finished, as far as it can. `signal` is
 * aborted when nobody waits for them any more.
 */
export type Collect = (timeoutMs: number, signal: AbortSignal) => Promise<readonly LazyFamily[]>;

/** A scrape that waits for its bytes. */
export interface Wanted extends NegotiatedFormat {
  readonly isZipped: boolean;
  readonly deadline: Deadline;
  /** Is aborted when the client has gone. */
  readonly signal: AbortSignal;
}

// Each one holds a copy of the exposition, and all of them share the processor.
const MOST_AT_ONCE = 2;

/** Makes the bytes for scrapes. Scrapes of one format that wait at the same time share the work. */
export class Scrapes {
  readonly #collect: Collect;
  readonly #exposition: Exposition;
  /** The work that is under way, oldest first. */
  readonly #running = new Map<string, SharedWork[]>();
  /** The last rendering. Two at a time would both take twice as long. */
  #rendering: Promise<unknown> = Promise.resolve();

  constructor(collect: Collect, exposition: Exposition) {
    this.#collect = collect;
    this.#exposition = exposition;
  }

  /** Rejects with a `TimeoutError` when the families are not there in time, and when the signal is aborted. */
  async bodyOf(wanted: Wanted): Promise<Body> {
    const { isZipped, deadline, signal } = wanted;
    signal.throwIfAborted();
    const work = this.#workFor(wanted, deadline);
    return work.bodyFor(isZipped, deadline.hardMs, signal);
  }

  #workFor({ format, escaping }: NegotiatedFormat, { patientMs, softMs }: Deadline): SharedWork {
    const key = `${format} ${escaping ?? 'underscores'}`;
    const running = this.#running.get(key) ?? [];
    const newest = running.findLast(({ isAbandoned }) => !isAbandoned);
    const patientUntilMs = performance.now() + patientMs;
    if (newest !== undefined && (newest.suits(softMs) || running.length >= MOST_AT_ONCE)) {
      newest.patience.untilMs = Math.min(newest.patience.untilMs, patientUntilMs);
      return newest;
    }
    const patience: Patience = { untilMs: patientUntilMs };
    const render: Render = (families, signal) => {
      const rendering = this.#rendering.then(() => {
        signal.throwIfAborted();
        return this.#exposition.render(families, { format, escaping }, new Slices({ patience }), signal);
      });
      this.#rendering = rendering.catch(() => {});
      return rendering;
    };
    const level = GZIP_LEVELS[format];
    const zip: Zip = (body, signal) => gzipInSlices(body, new Slices({ patience }), { level, signal });
    const work = new SharedWork(softMs, patience, this.#collect, render, zip);
    running.push(work);
    this.#running.set(key, running);
    work.onEnd(() => void running.splice(running.indexOf(work), 1));
    return work;
  }
}

// On lists of counts, zlib's own level takes two to five times as long as the fastest one and saves a tenth of the bytes.
const GZIP_LEVELS: Readonly<Partial<Record<ExpositionFormat, number>>> = { openmetrics2: 1, protobuf: 1 };

type Render = (families: readonly LazyFamily[], signal: AbortSignal) => Promise<Body>;
type Zip = (body: Body, signal: AbortSignal) => Promise<Body>;

/** One gather and its bytes, for all scrapes that wait for them. */
class SharedWork {
  /** The shortest of all that wait. */
  readonly patience: Patience;
  readonly #startMs = performance.now();
  readonly #softEndMs: number;
  readonly #controller = new AbortController();
  readonly #families: Promise<readonly LazyFamily[]>;
  readonly #plain: Promise<Body>;
  #zipped: Promise<Body> | undefined;
  readonly #zip: Zip;
  #waiting = 0;

  constructor(softMs: number, patience: Patience, collect: Collect, render: Render, zip: Zip) {
    this.patience = patience;
    this.#zip = zip;
    const { signal } = this.#controller;
    this.#softEndMs = this.#startMs + softMs;
    this.#families = collect(softMs, signal);
    this.#plain = this.#families.then((families) => {
      signal.throwIfAborted();
      return render(families, signal);
    });
    // Whoever waits gets the failure.
    this.#plain.catch(() => {});
  }

  /** Whether all clients have gone. */
  get isAbandoned(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Whether a scrape may share this: it is as fresh as the answers of a registry's sources, and ends in time. */
  suits(softMs: number): boolean {
    const nowMs = performance.now();
    return nowMs - this.#startMs <= SHARED_GATHER_MS && this.#softEndMs <= nowMs + softMs;
  }

  /** Calls back once, when the bytes are there, or nobody waits for them any more. */
  onEnd(callback: () => void): void {
    const { signal } = this.#controller;
    untilAborted(this.#plain, signal).then(callback, callback);
  }

  async bodyFor(isZipped: boolean, hardMs: number, signal: AbortSignal): Promise<Body> {
    this.#waiting += 1;
    try {
      await untilAborted(within(this.#families, hardMs), signal);
      return await untilAborted(isZipped ? this.#zipOnce() : this.#plain, signal);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#controller.abort();
    }
  }

  #zipOnce(): Promise<Body> {
    this.#zipped ??= this.#plain.then((body) => this.#zip(body, this.#controller.signal));
    this.#zipped.catch(() => {});
    return this.#zipped;
  }
}

/** The result of some work; rejects at once when the signal is aborted. */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const done = (): void => signal.removeEventListener('abort', onAbort);
    work.finally(done).then(resolve, reject);
  });
}
