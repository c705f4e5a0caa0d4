import { joinBytes, type Patience, Slices } from '@hdrscope/kit';
import { DeliveryLoop, gzipInSlices, isAboutFuture, quoted } from '@hdrscope/kit/delivery';
import { EMPTY_SNAPSHOT, type Registry, type Snapshot } from '@hdrscope/registry';
import { assertRegistry, readShown, SHARED_GATHER_MS, snapshotAt } from '@hdrscope/registry/internal';
import { otlpError } from '../errors.ts';
import { cureOfMessage, type Failure, type PartialSuccess, type Send, undelivered } from './answer.ts';
import { type Deliveries, deliveriesFor, newsBetween } from './deliveries.ts';
import { atTime, compact, type Delivery, valuesIn } from './delivery.ts';
import { encodePart, type Part } from './encode.ts';
import { JSON_ENCODING } from './encode-json.ts';
import { PROTOBUF } from './encode-protobuf.ts';
import type { Encoding, Frame } from './encoding.ts';
import { sendGrpc } from './grpc.ts';
import { sendHttp } from './http.ts';
import type { OtlpSenderMemory } from './memory.ts';
import { type OtlpSenderOptions, type SenderSettings, settingsOf } from './options.ts';
import { DeliveryQueue } from './queue.ts';

/** Counters of a sender and of those that it has replaced. They only grow, except `pendingValues`. */
export interface OtlpSenderHealth {
  /** How many requests the receiver has taken. */
  readonly requests: number;
  /** How many requests failed. The sender has sent their values again, or will, but for those that it has given up. */
  readonly failedRequests: number;
  /**
   * How many values of deltas could not be delivered and are kept, with those that were counted up to the last attempt. 0 when the last
   * request was taken.
   */
  readonly pendingValues: number;
  /** How many points the receiver has rejected in requests that it took otherwise. */
  readonly rejectedPoints: number;
  /**
   * How many values of deltas the sender has given up: after `giveUpAfterMs`, with more than `maxEndedSeries`, in points that are too
   * large, or for the size of a queue.
   */
  readonly givenUpValues: number;
  /** How many damaged files of the queue were set aside. Their values are lost, and nobody knows how many they are. */
  readonly damagedFiles: number;
  /** Why deliveries are not on disk, although the sender has a queue; `undefined` when they are. */
  readonly queueProblem: string | undefined;
  /** How many of `givenUpValues` the receiver may have: the answer to an earlier request with them is unknown. */
  readonly uncertainValues: number;
  /** How many points the receiver has refused for their size, each alone in its request. They were given up. */
  readonly tooLargePoints: number;
  /** What the receiver said when it took a request in part. */
  readonly lastPartialSuccess: PartialSuccess | undefined;
}

/** A running sender. */
export interface OtlpSender {
  /** The counters at this moment. */
  readonly health: OtlpSenderHealth;
  /** What was delivered: an option of a sender that replaces this one. */
  readonly memory: OtlpSenderMemory;
  /**
   * Sends what is new at once, also while the sender waits after a failure. Rejects with `ERR_OTLP` when the receiver does not take
   * it: then it is sent later.
   */
  flush(): Promise<void>;
  /**
   * Sends what is new, once, and ends the sender. Rejects with `ERR_OTLP` when the receiver does not take it. Then `memory` still has
   * it; with a queue, its folder has it for the next sender. A second call returns the same promise.
   *
   * @param options.timeoutMs Requests are cut off after so many milliseconds. @default each request has its own `timeoutMs`
   */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

/**
 * Sends the histograms of a registry by OTLP, until the sender is closed. Nothing is lost while the receiver is down: a delta counts as
 * delivered when the receiver has taken it.
 *
 * - A request of deltas that was not taken goes out again, with the same bytes and times, before anything new: after a timeout, a
 *   connection that broke, 5xx, 408, 429. Its receiver may have it: one that knows a repetition by its times counts it once, and
 *   Prometheus refuses it as one. Meanwhile the registry goes on counting, and the next request begins where this one ends.
 * - Only points that the receiver has judged and refused (400 and its like), and does not have from an earlier request, are made again:
 *   with all that was counted since, at the next interval.
 * - A clock that was set forward and back delays nothing: times of the future that the receiver has refused are given up, and no counts.
 * - What is larger than `maxRequestBytes` goes out in several requests. A request that the receiver refuses for its size (413, or
 *   `RESOURCE_EXHAUSTED` with a message about it) is halved, down to a single point, which is then given up. When a request fails, those
 *   before it have been taken and are not sent again; the others follow, as they were, before anything new.
 * - One request is under way at a time. After a failure the sender waits 1 s, 2 s, 4 s, up to 30 s, each up to a half shorter by
 *   chance, and as long as `Retry-After` asks for.
 * - The registry's own counts wait for the receiver, so that memory does not grow with the length of an outage.
 * - With a `queue`, each delivery is on disk before it is sent, and at each interval also what follows one that is not taken. The next
 *   sender with the same folder delivers first what a process that was killed has left there, with its resource, times and counts.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 * @example
 * ```ts
 * import { serveOtlp } from '@hdrscope/otel/receiver';
 * import { sendOtlp } from '@hdrscope/otel/sender';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const central = createRegistry();
 * const receiver = await serveOtlp(central, { host: '127.0.0.1', port: 0 });
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'job.duration', unit: 's' }).with({ job: 'a' }).record(0.25);
 * const sender = sendOtlp(registry, {
 *   url: `http://127.0.0.1:${receiver.port}/v1/metrics`,
 *   temporality: 'delta',
 *   resource: { 'service.name': 'shop' },
 * });
 * await sender.close();
 *
 * const [family] = (await central.gather()).families;
 * [family!.name, family!.series[0]!.histogram.totalCount]; //=> ['job.duration', 1]
 * await receiver.close();
 * ```
 */
export function sendOtlp(registry: Registry, options: OtlpSenderOptions): OtlpSender {
  assertRegistry(registry);
  return new Sender(registry, settingsOf(options));
}

class Sender implements OtlpSender {
  readonly memory: OtlpSenderMemory;
  readonly #registry: Registry;
  readonly #settings: SenderSettings;
  readonly #deliveries: Deliveries;
  readonly #encoding: Encoding;
  readonly #resource: Frame;
  readonly #send: Send;
  readonly #loop: DeliveryLoop;
  readonly #renewal: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #warning = '';
  #hasWarnedOfSize = false;

  constructor(registry: Registry, settings: SenderSettings) {
    const { memory, protocol, temporality, intervalMs, giveUpAfterMs, unref } = settings;
    this.#registry = registry;
    this.#settings = settings;
    this.memory = memory;
    // For cumulative counts, an older snapshot would keep the last states of ended series in memory.
    if (temporality === 'delta') memory.base ??= registry.emptySnapshot();
    memory.numbers ??= { timeMs: Date.now(), counts: new Map() };
    this.#deliveries = deliveriesFor(registry, settings, memory);
    this.#encoding = protocol === 'http/json' ? JSON_ENCODING : PROTOBUF;
    this.#resource = this.#encoding.resource(settings.resource);
    this.#send = protocol === 'grpc' ? sendGrpc(settings) : sendHttp(settings, this.#encoding.contentType);
    // Senders that share a memory take turns, so that each sees what the other has delivered.
    this.#loop = new DeliveryLoop(
      { intervalMs, mostWaitMs: giveUpAfterMs, unref },
      (isAtOnce, patience) => this.#deliver(isAtOnce ? 0 : SHARED_GATHER_MS, patience),
      memory,
    );
    if (settings.queue === undefined) return;
    this.#renewal = setInterval(() => void this.#renew(), intervalMs);
    if (unref) this.#renewal.unref();
  }

  get health(): OtlpSenderHealth {
    return Object.freeze({ ...this.memory.counters });
  }

  flush(): Promise<void> {
    return this.#loop.flush();
  }

  close(options?: { readonly timeoutMs?: number }): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options?: { readonly timeoutMs?: number }): Promise<void> {
    const { memory } = this;
    try {
      await this.#loop.stop(options);
    } finally {
      clearInterval(this.#renewal);
      const turn = memory.work.then(() => this.#leaveQueue());
      memory.work = turn.catch(() => {});
      await turn;
    }
  }

  /** Sends all that the receiver does not have. Rejects when it is not delivered. */
  async #deliver(maxAgeMs: number, patience: Patience): Promise<void> {
    const { memory } = this;
    try {
      await this.#openQueue();
      for (;;) {
        memory.held ??= await memory.queue?.next();
        if (memory.held === undefined) break;
        await this.#handHeld(memory.held, patience);
      }
      let delivery: Delivery;
      do delivery = await this.#next(maxAgeMs, patience);
      while ((await this.#hand(delivery, delivery.snapshot, patience)) !== delivery);
    } catch (error) {
      await this.#renew();
      this.#settings.observer.failed?.(error as Error);
      throw error;
    }
  }

  /** Opens the queue of the options, and leaves another one of the memory. */
  async #openQueue(): Promise<void> {
    const { memory } = this;
    const { queue, resource, maxRequestBytes, observer } = this.#settings;
    if (memory.queue?.settings.folder !== queue?.folder) await this.#leaveQueue();
    if (queue === undefined) return;
    const failed = (error: Error): void => observer.failed?.(error);
    const settings = { ...queue, resource, mostBytes: maxRequestBytes, failed };
    if (memory.queue === undefined) memory.queue = await DeliveryQueue.open(settings, memory.counters);
    else memory.queue.settings = settings;
  }

  /** Leaves what is on disk to whoever opens the folder next. */
  async #leaveQueue(): Promise<void> {
    const { memory } = this;
    const { queue, held } = memory;
    if (queue === undefined) return;
    memory.queue = undefined;
    const last = await queue.close();
    if (held?.file !== undefined) memory.held = undefined;
    if (last === undefined) return;
    memory.base = last.snapshot;
    memory.numbers = last.numbers;
  }

  /** Writes what was counted since the delivery under way to the queue, while something is not taken. Never rejects. */
  #renew(): Promise<void> {
    this.#renewing = this.#renewing.then(async () => {
      try {
        if (this.memory.queue !== undefined) await this.#renewIn(this.memory.queue);
      } catch (error) {
        this.#settings.observer.failed?.(error as Error);
      }
    });
    return this.#renewing;
  }

  async #renewIn(queue: DeliveryQueue): Promise<void> {
    const { memory } = this;
    const { base, held, failingSinceMs } = memory;
    if (held === undefined && failingSinceMs === undefined) return;
    const underWay = held?.resource === undefined ? held : undefined;
    const from = underWay ?? { snapshot: base!, numbers: memory.numbers! };
    let snapshot = await this.#registry.gather({ timeoutMs: this.#settings.timeoutMs });
    // Equal times would make a repetition of it.
    const earlierMs = Math.max(held?.snapshot.timeMs ?? Number.NEGATIVE_INFINITY, queue.latestMs);
    const nowMs = Math.max(memory.times.latestMs, from.snapshot.timeMs, earlierMs) + 1;
    if (nowMs > snapshot.timeMs)
      snapshot = await this.#registry.gather({ maxAgeMs: SHARED_GATHER_MS, nowMs });
    const next = await this.#deliveries.changes(snapshot, from);
    await queue.renew(
      next,
      underWay,
      () => memory.queue === queue && memory.base === base && memory.held === held,
    );
  }

  async #handHeld(held: Delivery, patience: Patience): Promise<void> {
    const { memory } = this;
    const { timeoutMs } = this.#settings;
    // For the clock and for the health: cumulative counts need neither.
    if (!this.#isDelta) {
      await this.#hand(held, held.snapshot, patience);
      return;
    }
    const now = await this.#registry.gather({ timeoutMs, maxAgeMs: SHARED_GATHER_MS });
    memory.times.clockMs = now.timeMs;
    const isAhead = Math.max(now.timeMs, memory.times.latestMs + 1) < held.snapshot.timeMs;
    // The clock was set back, and the receiver has nothing of the delivery: it is made again, with a time that is right. A delivery of an
    // earlier process stays as it is: only that process knew the times that the receiver has.
    if (isAhead && isUntouched(held) && held.resource === undefined) memory.held = undefined;
    else await this.#hand(held, now, patience);
  }

  /** All that the receiver does not have, at a time that is later than all that it has or may have. */
  async #next(maxAgeMs: number, patience: Patience): Promise<Delivery> {
    if (this.#isDelta) return this.#deliveries.changes(await this.#gather(maxAgeMs), {}, patience);
    const shown = await readShown(this.#registry, { timeoutMs: this.#settings.timeoutMs, maxAgeMs });
    return this.#deliveries.totals({ ...shown, timeMs: this.memory.times.next(shown.timeMs) }, patience);
  }

  /** Takes a snapshot that is later than all that the receiver has or may have. */
  async #gather(maxAgeMs: number): Promise<Snapshot> {
    const { memory } = this;
    const { timeoutMs } = this.#settings;
    let snapshot = await this.#registry.gather({ timeoutMs, maxAgeMs });
    const nowMs = memory.times.next(snapshot.timeMs);
    if (nowMs > snapshot.timeMs) {
      snapshot = await this.#registry.gather({ timeoutMs, maxAgeMs: SHARED_GATHER_MS, nowMs });
    }
    if (memory.base !== undefined && memory.base.timeMs >= snapshot.timeMs) {
      // The clock was set back, and nothing that ends after its new time was sent or taken.
      const { latestMs } = memory.times;
      const startMs = Number.isFinite(latestMs) ? latestMs : snapshot.timeMs - 1;
      memory.base = snapshotAt(memory.base, startMs);
      memory.numbers = { ...memory.numbers!, timeMs: startMs };
    }
    return snapshot;
  }

  /**
   * Sends the points of a delivery that the receiver does not have. Rejects at the first request that is not taken.
   *
   * @param now The latest snapshot.
   * @returns The delivery that was sent: an older one when that is on disk and cannot be replaced.
   */
  async #hand(wanted: Delivery, now: Snapshot, patience: Patience): Promise<Delivery> {
    const { memory } = this;
    const { counters } = memory;
    // From here on, it is what the next delivery on disk follows.
    if (memory.queue !== undefined) memory.held = wanted;
    const delivery = (await memory.queue?.keep(wanted)) ?? wanted;
    if (memory.queue !== undefined) memory.held = delivery;
    const { items, resource } = delivery;
    const frame = resource === undefined ? this.#resource : this.#encoding.resource(resource);
    while (delivery.done < items.length) {
      const { done, tried, mostBytes } = delivery;
      const isRepetition = tried > done;
      const to = isRepetition ? tried : items.length;
      const slices = new Slices({ patience });
      const part = await encodePart(this.#encoding, frame, items, done, mostBytes, to, slices);
      const isGzip = this.#settings.compression === 'gzip';
      const bytes = isGzip
        ? joinBytes(await gzipInSlices([part.bytes], new Slices({ patience }), { level: GZIP_LEVEL }))
        : part.bytes;
      const answer = await this.#send({ bytes, isGzip }, this.#loop.signal);
      if (answer.kind === 'taken' || (isRepetition && answer.kind === 'refused' && answer.isKnown)) {
        const partial = answer.kind === 'taken' ? answer.partial : undefined;
        counters.requests++;
        await this.#isDone(delivery, part.end);
        this.#noteTime(delivery, part, partial);
        this.#heard(part, partial);
        continue;
      }
      // A smaller request takes no doubt away from the points after it.
      if (answer.kind === 'unknown') delivery.tried = Math.max(delivery.tried, part.end);
      counters.failedRequests++;
      if (isTooLarge(answer, part)) await this.#shrink(delivery, part, answer.error);
      else throw undelivered(answer, await this.#keep(delivery, answer, now));
    }
    await this.#moveTo(delivery);
    return delivery;
  }

  /** From here on, the other points of a delivery have to go out as they are. */
  async #isDone(delivery: Delivery, end: number): Promise<void> {
    delivery.settled += end - delivery.done;
    delivery.done = end;
    this.memory.held = delivery;
    this.memory.failingSinceMs = undefined;
    this.#loop.noteProgress();
    if (end < delivery.items.length) await this.memory.queue?.noteDone(delivery);
  }

  /** The receiver has points of the time of a delivery, if it has not rejected them all for this time. */
  #noteTime({ snapshot }: Delivery, { points }: Part, partial: PartialSuccess | undefined): void {
    const { times } = this.memory;
    const isRejected = partial !== undefined && partial.rejectedPoints >= points;
    if (isRejected && isAboutFuture(partial.message)) times.noteAhead(snapshot.timeMs);
    else times.noteTaken(snapshot.timeMs);
  }

  /** Makes smaller requests of a delivery, or gives up a point that is too large by itself. */
  async #shrink(delivery: Delivery, { bytes, points, end }: Part, { message }: Error): Promise<void> {
    const { observer } = this.#settings;
    const { counters } = this.memory;
    if (points > 1) {
      delivery.mostBytes = Math.floor(bytes.length / 2);
      if (!this.#hasWarnedOfSize)
        observer.warned?.(
          `${message}; a request of ${bytes.length} bytes is sent in halves: lower maxRequestBytes`,
        );
      this.#hasWarnedOfSize = true;
      return;
    }
    const { metric, point } = delivery.items[delivery.done]!;
    const isUncertain = delivery.tried > delivery.done;
    counters.tooLargePoints++;
    if (this.#isDelta) this.#giveUp(delivery, end);
    await this.#isDone(delivery, end);
    const name = quoted(`${metric.descriptor.name} ${JSON.stringify(point.attributes)}`);
    const may = isUncertain ? ', which the receiver may have from an earlier request' : '';
    observer.failed?.(
      otlpError(`${message}; a single point of ${bytes.length} bytes is given up${may}: ${name}`),
    );
  }

  /** Counts the values of the points from the first one that the receiver lacks up to the position `end`. */
  #giveUp({ items, done, tried }: Delivery, end: number): void {
    const { counters } = this.memory;
    counters.givenUpValues += valuesIn(items.slice(done, end));
    counters.uncertainValues += valuesIn(items.slice(done, Math.min(tried, end)));
  }

  #moveTo(delivery: Delivery): Promise<void> | undefined {
    const { memory } = this;
    if (delivery.resource === undefined) {
      if (this.#isDelta) memory.base = delivery.snapshot;
      memory.numbers = delivery.numbers;
    }
    memory.held = undefined;
    memory.failingSinceMs = undefined;
    memory.counters.pendingValues = 0;
    this.#loop.noteProgress();
    return memory.queue?.done(delivery);
  }

  get #isDelta(): boolean {
    return this.#settings.temporality === 'delta';
  }

  /** Reports what the receiver says about a request that it has taken. */
  #heard({ numberPoints }: Part, partial: PartialSuccess | undefined): void {
    const { observer, protocol } = this.#settings;
    const { counters } = this.memory;
    const rejected = partial?.rejectedPoints ?? 0;
    if (partial !== undefined) counters.lastPartialSuccess = partial;
    counters.rejectedPoints += rejected;
    const says = partial?.message ? `: ${partial.message}${cureOfMessage(partial.message)}` : '';
    // A receiver of histograms alone rejects all numbers, each time.
    if (rejected > 0 && rejected !== numberPoints) {
      observer.failed?.(
        otlpError(`the receiver has rejected ${many(rejected, 'point')} over ${protocol}${says}`),
      );
      return;
    }
    observer.succeeded?.();
    const warning =
      rejected > 0
        ? `the receiver takes histograms only, and has rejected ${many(rejected, 'number')}${says}`
        : says.slice(2);
    if (warning !== '' && warning !== this.#warning) observer.warned?.(warning);
    this.#warning = warning;
  }

  /** Keeps what was not delivered, for as long as that is allowed. Returns what to add to the error. */
  async #keep(delivery: Delivery, answer: Failure, now: Snapshot): Promise<string> {
    const { memory } = this;
    const { giveUpAfterMs, maxEndedSeries } = this.#settings;
    const { counters } = memory;
    const { snapshot } = delivery;
    const nowMs = performance.now();
    memory.failingSinceMs ??= nowMs;
    const isLate = nowMs - memory.failingSinceMs >= giveUpAfterMs;
    const isAhead = answer.kind === 'refused' && answer.isAhead === true;
    if (isAhead) memory.times.noteAhead(snapshot.timeMs);
    else if (answer.kind === 'unknown') memory.times.noteDoubt(snapshot.timeMs);
    if (!this.#isDelta) {
      // The next delivery has these counts too.
      if (answer.isFinal || isLate) memory.held = undefined;
      return '';
    }
    const values = valuesIn(delivery.items.slice(delivery.done));
    // A delivery that is held has no series that have ended since.
    const isEarlier = delivery.resource !== undefined;
    const since = await newsBetween(isEarlier ? (memory.base ?? EMPTY_SNAPSHOT) : snapshot, now);
    const { ended } = now === snapshot ? await newsBetween(memory.base ?? EMPTY_SNAPSHOT, now) : since;
    const waiting = since.values + (memory.queue?.waitingValues ?? 0);
    counters.pendingValues = values + waiting;
    if (!isLate && ended <= maxEndedSeries) {
      // Whoever refuses a time of the future now has refused it before, when it lay further ahead.
      const isTooEarly = isAhead && now.timeMs < snapshot.timeMs;
      const isRefused = answer.kind === 'refused' && delivery.tried === 0;
      const isMadeAgain = !isEarlier && delivery.settled === 0 && (isTooEarly || isRefused);
      memory.held = isMadeAgain ? undefined : delivery;
      if (isMadeAgain) return '';
      compact(delivery);
      // A point was given up before, and must not come again; or an earlier process has made the delivery.
      const nextMs = Math.max(now.timeMs, memory.times.latestMs + 1);
      if (isTooEarly && nextMs < snapshot.timeMs) memory.held = atTime(delivery, nextMs);
      return '';
    }
    this.#giveUp(delivery, delivery.items.length);
    const moved = this.#moveTo(delivery);
    counters.pendingValues = waiting;
    await moved;
    const why = isLate ? `for ${giveUpAfterMs / 1000} s` : `while ${ended} series have ended`;
    return `; nothing was taken ${why}, so ${many(values, 'value')} are given up`;
  }
}

/** Whether the receiver certainly has no point of a delivery. */
function isUntouched({ settled, tried }: Delivery): boolean {
  return settled === 0 && tried === 0;
}

/** Whether a smaller request may be taken. */
function isTooLarge(answer: Failure, { points }: Part): boolean {
  return answer.kind === 'refused' ? answer.isTooLarge === true : answer.isCut === true && points > 1;
}

// On lists of counts, zlib's own level takes twice as long as the fastest one and saves a tenth of the bytes.
const GZIP_LEVEL = 1;

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
