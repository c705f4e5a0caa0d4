import type { HdrscopeError } from '@hdrscope/core';
import { inSlices, type Patience, Slices } from '@hdrscope/kit';
import { DeliveryLoop, DeliveryTimes } from '@hdrscope/kit/delivery';
import type { Registry } from '@hdrscope/registry';
import { assertRegistry, SHARED_GATHER_MS, showSnapshot } from '@hdrscope/registry/internal';
import type { RemoteWriteErrorCode } from '../errors.ts';
import { gatherFamilies } from '../family-source.ts';
import { type SnapshotFamiliesOptions, toLazyFamilies } from '../from-registry.ts';
import type { LazyFamily } from '../lazy-family.ts';
import { type KnownSeries, mergeSteps } from '../merge-families.ts';
import { readStrategy } from '../names.ts';
import type { Verdict } from './answer.ts';
import { RequestEncoder } from './encode.ts';
import { type RemoteWriteOptions, type RemoteWriteSettings, settingsOf } from './options.ts';
import { postRequest } from './post-request.ts';
import { type PresentSeries, type SentSeries, SentSeriesLedger } from './sent-series.ts';

/** Counters of a writer. They only grow. */
export interface RemoteWriteHealth {
  /** How many requests the receiver has taken as a whole. */
  readonly requests: number;
  /** How many requests failed, or were taken in part. */
  readonly failedRequests: number;
  /** How many requests the receiver has taken in part. */
  readonly partialWrites: number;
  /** How many numbers the receiver says that it has written. */
  readonly writtenSamples: number;
  /** How many histograms the receiver says that it has written. */
  readonly writtenHistograms: number;
  /** How many exemplars the receiver says that it has written. */
  readonly writtenExemplars: number;
  /** How many numbers and histograms the receiver has refused for good. The next snapshot has the newer counts of their series. */
  readonly rejectedSamples: number;
}

/** A running writer. */
export interface RemoteWriter {
  /** The counters at this moment. */
  readonly health: RemoteWriteHealth;
  /**
   * Sends the present counts at once, also while the writer waits after a failure. Rejects with `ERR_REMOTE_WRITE` when the receiver
   * does not take all of them.
   */
  flush(): Promise<void>;
  /**
   * Sends the present counts, once, and ends the writer. Rejects with `ERR_REMOTE_WRITE` when the receiver does not take all of
   * them. A second call returns the same promise.
   *
   * @param options.timeoutMs Requests are cut off after so many milliseconds. @default each request has its own `timeoutMs`
   */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

/**
 * Sends the histograms of a registry to Prometheus by remote write 2.0, until the writer is closed: with native buckets, or with buckets of
 * their own boundaries, and with start timestamps and exemplars.
 *
 * - Counts are cumulative, so that a request that is lost, or that arrives twice, changes no later count. Nothing is queued while the
 *   receiver is down: the next request has all counts, and memory does not grow with the length of an outage.
 * - The times of the samples that a receiver has or may have only grow, also when the clock goes back. A receiver that refuses times of
 *   the future gets those of the clock again.
 * - One request is under way at a time. A snapshot of many series goes out in several requests; after a failure, the next snapshot
 *   begins with the series that the receiver lacks longest.
 * - After a failure the writer waits 1 s, 2 s, 4 s, up to 30 s, each up to a half shorter by chance, and as long as `Retry-After`
 *   asks for, up to an hour. Samples that the receiver has refused for good are counted, and not sent again.
 * - A series that is removed from the registry, or left out by its source, is not sent any more, not even with what it counted after
 *   the last request. If the receiver may have it, the next request marks it as stale, so that queries do not show it any more.
 *   `close` marks no series: a writer that follows goes on with them, and the last counts of a program that ends can be queried.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { sendRemoteWrite } from '@hdrscope/prometheus/remote-write';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * // Stands for a Prometheus with --web.enable-remote-write-receiver.
 * const receiver = createServer((request, response) => {
 *   request.resume().on('end', () => {
 *     response.writeHead(204, { 'x-prometheus-remote-write-histograms-written': '1' }).end();
 *   });
 * }).listen(0, '127.0.0.1');
 * await new Promise((resolve) => receiver.once('listening', resolve));
 * const { port } = receiver.address() as { port: number };
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'job.duration', unit: 's' }).with({ queue: 'mail' }).record(0.25);
 * const writer = sendRemoteWrite(registry, {
 *   url: `http://127.0.0.1:${port}/api/v1/write`,
 *   labels: { job: 'shop' },
 * });
 * await writer.close();
 * writer.health.writtenHistograms; //=> 1
 * receiver.close();
 * ```
 */
export function sendRemoteWrite(registry: Registry, options: RemoteWriteOptions): RemoteWriter {
  assertRegistry(registry);
  return new Writer(registry, settingsOf(options));
}

/** The longest wait that a receiver may ask for. */
const MOST_WAIT_MS = 3_600_000;

/** A series of a snapshot, or one that has ended. */
type Entry = PresentSeries | SentSeries;

class Writer implements RemoteWriter {
  readonly #registry: Registry;
  readonly #settings: RemoteWriteSettings;
  readonly #shown: SnapshotFamiliesOptions;
  readonly #loop: DeliveryLoop;
  readonly #known: KnownSeries = new Map();
  readonly #ledger = new SentSeriesLedger();
  readonly #counters = {
    requests: 0,
    failedRequests: 0,
    partialWrites: 0,
    writtenSamples: 0,
    writtenHistograms: 0,
    writtenExemplars: 0,
    rejectedSamples: 0,
  };
  readonly #times = new DeliveryTimes();
  /** The place of the series that the next snapshot begins with. */
  #next = 0;

  constructor(registry: Registry, settings: RemoteWriteSettings) {
    const { intervalMs, unref, prefix, maxBuckets, withoutScopeInfo, warn } = settings;
    const { translationStrategy = readStrategy(process.env) } = settings;
    this.#registry = registry;
    this.#settings = settings;
    this.#shown = { prefix, translationStrategy, maxBuckets, withoutScopeInfo, warn };
    this.#loop = new DeliveryLoop({ intervalMs, mostWaitMs: MOST_WAIT_MS, unref }, (isAtOnce, patience) =>
      this.#deliver(isAtOnce ? 0 : SHARED_GATHER_MS, patience),
    );
  }

  get health(): RemoteWriteHealth {
    return Object.freeze({ ...this.#counters });
  }

  flush(): Promise<void> {
    return this.#loop.flush();
  }

  close(options?: { readonly timeoutMs?: number }): Promise<void> {
    return this.#loop.stop(options);
  }

  /** Sends all series. Rejects when the receiver has not taken all of them. */
  async #deliver(maxAgeMs: number, patience: Patience): Promise<void> {
    const { observer } = this.#settings;
    try {
      await this.#sendAll(maxAgeMs, patience);
    } catch (error) {
      observer.failed?.(error as Error);
      throw error;
    }
    observer.succeeded?.();
  }

  async #sendAll(maxAgeMs: number, patience: Patience): Promise<void> {
    const { maxSeriesPerRequest } = this.#settings;
    const { entries, timeMs } = await this.#gather(maxAgeMs, patience);
    const first = entries.length === 0 ? 0 : this.#next % entries.length;
    const inTurn = [...entries.slice(first), ...entries.slice(0, first)];
    let failure: HdrscopeError<RemoteWriteErrorCode> | undefined;
    for (let from = 0; from < inTurn.length; from += maxSeriesPerRequest) {
      const part = inTurn.slice(from, from + maxSeriesPerRequest);
      const verdict = await this.#send(part, timeMs, patience);
      const { kind, presence, error } = verdict;
      this.#noteTime(timeMs, verdict);
      // Any series of the request may be the one that was written.
      for (const entry of part) if (isPresent(entry)) this.#ledger.sent(entry.sent, presence);
      if (kind !== 'judged') {
        this.#next = (first + from) % inTurn.length;
        throw error;
      }
      this.#loop.noteProgress();
      for (const entry of part) if (!isPresent(entry)) this.#ledger.marked(entry);
      failure ??= error;
    }
    this.#next = 0;
    if (failure !== undefined) throw failure;
  }

  async #gather(maxAgeMs: number, patience: Patience): Promise<{ entries: Entry[]; timeMs: number }> {
    const { timeoutMs, sources, buckets, warn } = this.#settings;
    let snapshotMs = 0;
    const own = async (): Promise<LazyFamily[]> => {
      const snapshot = await this.#registry.gather({ timeoutMs, maxAgeMs });
      snapshotMs = snapshot.timeMs;
      return toLazyFamilies(showSnapshot(snapshot), this.#shown, ({ boundaries }) =>
        buckets === 'custom' && boundaries !== undefined && boundaries.length > 0 ? 'classic' : 'native',
      );
    };
    const all = await gatherFamilies(own(), sources, this.#shown, timeoutMs);
    const slices = new Slices({ patience });
    const families = await inSlices(mergeSteps(all, warn, this.#known), slices);
    const { present, ended } = await inSlices(this.#ledger.begin(families), slices);
    // After the millisecond of the snapshot, because a series may have started in it.
    const timeMs = this.#times.next(Math.floor(snapshotMs) + 1);
    return { entries: [...present, ...ended], timeMs };
  }

  #noteTime(timeMs: number, { presence, isAhead }: Verdict): void {
    if (presence === 'written') this.#times.noteTaken(timeMs);
    else if (presence === 'possible') this.#times.noteDoubt(timeMs);
    else if (isAhead) this.#times.noteAhead(timeMs);
  }

  async #send(entries: readonly Entry[], timeMs: number, patience: Patience): Promise<Verdict> {
    const { url, headers, tls, timeoutMs, labels } = this.#settings;
    const encoder = new RequestEncoder(timeMs, Object.entries(labels));
    const slices = new Slices({ patience });
    for (const entry of entries) {
      if (isPresent(entry)) encoder.add(entry.family, entry.part.metricOf(entry.state));
      else encoder.addStale(entry.family, { labels: entry.labels, value: entry.shape });
      if (slices.isOver()) await slices.next();
    }
    const { contents } = encoder;
    const verdict = await postRequest(encoder, {
      url,
      tls,
      timeoutMs,
      headers,
      signal: this.#loop.signal,
    });
    this.#count(verdict, contents.samples + contents.histograms);
    return verdict;
  }

  #count({ kind, written, error }: Verdict, sent: number): void {
    const counters = this.#counters;
    const taken = written.samples + written.histograms;
    counters.writtenSamples += written.samples;
    counters.writtenHistograms += written.histograms;
    counters.writtenExemplars += written.exemplars;
    if (error === undefined) counters.requests++;
    else counters.failedRequests++;
    if (error !== undefined && taken > 0) counters.partialWrites++;
    if (kind === 'judged') counters.rejectedSamples += Math.max(0, sent - taken);
  }
}

function isPresent(entry: Entry): entry is PresentSeries {
  return 'part' in entry;
}
