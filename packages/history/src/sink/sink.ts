import type { HdrscopeError } from '@hdrscope/core';
import { Duties, endsWithin, notify, Rounds, Slices } from '@hdrscope/kit';
import { backoffMs } from '@hdrscope/kit/delivery';
import type { Clock, Registry, Snapshot } from '@hdrscope/registry';
import { SHARED_GATHER_MS } from '@hdrscope/registry/internal';
import type { Files } from '../parquet/files.ts';
import type { HistoryRow } from '../rows/row.ts';
import { rowsBetween } from '../rows/rows-between.ts';
import { HOUR_MS } from '../times.ts';
import type { HistoryHealth } from './health.ts';
import type { HistorySettings } from './options.ts';
import type { HistoryTarget } from './target.ts';
import { WaitingRows } from './waiting.ts';

/** The environment of a history. Tests replace it. */
export interface HistoryRuntime {
  readonly clock: Clock;
  readonly files: Files;
  /** Calls back again and again, until the returned function is called. It does not keep the process alive. */
  readonly repeat: (callback: () => void, intervalMs: number) => () => void;
}

/** Writes the batches of a cycle until one fails. Others come in the next cycle. */
class CycleWriter {
  /** How many batches were written. */
  written = 0;
  readonly #writeDue: (() => Promise<number>) | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** @param writeDue Writes what is due, and returns how many batches that was; `undefined` before the time of the next attempt. */
  constructor(writeDue: (() => Promise<number>) | undefined) {
    this.#writeDue = writeDue;
  }

  get isWriting(): boolean {
    return this.#writeDue !== undefined && this.#failure === undefined;
  }

  async write(): Promise<void> {
    if (this.#writeDue === undefined || this.#failure !== undefined) return;
    try {
      this.written += await this.#writeDue();
    } catch (error) {
      this.#failure = { error };
    }
  }

  /** @throws The failure of a batch. */
  assertDone(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Writes a registry to a folder or a table, interval by interval. Made by `openHistory`. */
export class HistorySink {
  readonly #registry: Registry;
  readonly #settings: HistorySettings;
  readonly #runtime: HistoryRuntime;
  readonly #target: HistoryTarget;
  readonly #producer: string;
  readonly #waiting = new WaitingRows();
  readonly #stopTicks: () => void;
  readonly #rounds = new Rounds<boolean>();
  readonly #duties: Duties<'write' | 'remove', HdrscopeError>;
  /** Rows have every count of this snapshot. */
  #collected: Snapshot;
  #sequence = 0;
  #closing: Promise<void> | undefined;
  #isPrepared: boolean;
  #isClosed = false;
  #failuresInARow = 0;
  /** After a failure, nothing is written before this time of the clock. */
  #retryMs = 0;
  /** Old days are removed at this time of the clock. */
  #removalMs = 0;
  readonly #counts = {
    collectedUntilMs: 0,
    writtenBatches: 0,
    writtenRows: 0,
    writtenBytes: 0,
    lostRows: 0,
    lostValues: 0,
    uncertainRows: 0,
    failingSources: 0,
  };

  /** @internal @param producer The readable name with a random id. */
  constructor(
    registry: Registry,
    settings: HistorySettings,
    runtime: HistoryRuntime,
    target: HistoryTarget,
    producer: string,
  ) {
    this.#registry = registry;
    this.#settings = settings;
    this.#runtime = runtime;
    this.#target = target;
    this.#producer = producer;
    this.#collected = settings.since ?? registry.emptySnapshot();
    this.#duties = new Duties(settings);
    this.#stopTicks = runtime.repeat(() => this.#rounds.tick(() => this.#cycle(false)), settings.intervalMs);
    this.#isPrepared = target.prepare === undefined;
    // At once, so that people hear of a wrong password before the first interval ends.
    if (!this.#isPrepared) this.#rounds.tick(() => this.#attempt(() => this.#prepare()));
  }

  /** The work so far. */
  get health(): HistoryHealth {
    return Object.freeze({
      target: this.#target.name,
      producer: this.#producer,
      isClosed: this.#isClosed,
      isFailing: this.#duties.isFailing,
      failures: this.#duties.failureCount,
      lastError: this.#duties.lastError,
      skippedTicks: this.#rounds.skippedTicks,
      waitingRows: this.#waiting.length,
      waitingBytes: this.#waiting.bytes,
      ...this.#counts,
    });
  }

  /** Writes all counts up to now. Resolves to whether no row waits any more. Never rejects. */
  async flush(): Promise<boolean> {
    return this.#closing === undefined && (await this.#rounds.next(() => this.#cycle(true)));
  }

  /**
   * Writes the last interval. After `closeTimeoutMs` it gives up. Rows that were not written then are lost, and reported to `onError`.
   * Never rejects. A second call returns the promise of the first.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopTicks();
    const { closeTimeoutMs } = this.#settings;
    const last = this.#rounds.next(() => this.#cycle(true));
    const isInTime = await endsWithin(last, closeTimeoutMs);
    this.#isClosed = true;
    if (!isInTime) {
      const late = new Error(`the last rows were not written within ${closeTimeoutMs} ms`);
      this.#failed(this.#target.errorOf(late));
    }
    this.#loseBeyond(0);
    await this.#target.close();
  }

  /** Resolves when no work runs. For tests. @internal */
  async idle(): Promise<void> {
    await this.#rounds.idle();
  }

  /** Never rejects. */
  async #cycle(isAll: boolean): Promise<boolean> {
    await this.#attempt(async () => {
      const mayWrite = isAll || this.#runtime.clock.monotonicMs() >= this.#retryMs;
      const writer = new CycleWriter(mayWrite ? () => this.#writeDue(isAll) : undefined);
      await this.#collect(isAll, writer);
      await writer.write();
      if (!mayWrite) return;
      writer.assertDone();
      await this.#keepOthers();
      if (writer.written > 0 || this.#waiting.length === 0) this.#succeeded();
    });
    await this.#removeOld();
    this.#loseBeyond(this.#isClosed ? 0 : this.#settings.maxWaitingBytes);
    notify(() => this.#settings.onCollected(this.#collected));
    return this.#waiting.length === 0;
  }

  /** Never rejects. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failed(this.#target.errorOf(error));
    }
  }

  async #prepare(): Promise<void> {
    if (this.#isPrepared || this.#isClosed) return;
    await this.#target.prepare?.();
    this.#isPrepared = true;
  }

  /** Removes days that are too old, once an hour. Never rejects. */
  async #removeOld(): Promise<void> {
    const { retention } = this.#settings;
    const { clock } = this.#runtime;
    const isDue = clock.monotonicMs() >= this.#removalMs;
    if (
      retention === undefined ||
      this.#target.removeOld === undefined ||
      this.#closing !== undefined ||
      !isDue
    )
      return;
    this.#removalMs = clock.monotonicMs() + HOUR_MS;
    try {
      const done = await this.#target.removeOld(retention, clock.nowMs());
      notify(() => this.#settings.onRemoved(done));
      const { retained } = done;
      if (retained.length > 0) {
        const days = retained.length === 1 ? '1 old day' : `${retained.length} old days`;
        throw new Error(`${days} had to stay, the first because ${retained[0]!.reason}`);
      }
      this.#duties.succeeded('remove');
    } catch (error) {
      this.#duties.failed('remove', this.#target.errorOf(error));
    }
  }

  /** Makes the rows of an interval. Whole batches of them are written while others are made, so that memory does not depend on their number. */
  async #collect(isAll: boolean, writer: CycleWriter): Promise<void> {
    const { gatherTimeoutMs, maxBatchRows, maxWaitingBytes } = this.#settings;
    const snapshot = await this.#registry.gather({
      timeoutMs: gatherTimeoutMs,
      maxAgeMs: isAll ? 0 : SHARED_GATHER_MS,
    });
    this.#counts.failingSources = snapshot.errors.length;
    const nowMs = this.#runtime.clock.monotonicMs();
    const before = this.#collected;
    const facts = { producer: this.#producer, sequence: this.#sequence };
    const slices = new Slices();
    let rows: HistoryRow[] = [];
    for (const row of rowsBetween(before, snapshot, facts)) {
      rows.push(row);
      // From the first row on: those of a half would come again under other numbers.
      this.#collected = snapshot;
      this.#sequence = row.sequence + 1;
      if (rows.length === maxBatchRows) {
        this.#waiting.add(rows, nowMs);
        rows = [];
        await writer.write();
        if (!writer.isWriting) this.#loseBeyond(maxWaitingBytes);
      }
      if (slices.isOver()) await slices.next();
    }
    this.#collected = snapshot;
    this.#counts.collectedUntilMs = snapshot.timeMs;
    this.#waiting.add(rows, nowMs);
  }

  /** Writes batches until the waiting rows are few and young; after a failure, until no row waits. Returns the number of batches. */
  async #writeDue(isAll: boolean): Promise<number> {
    const { maxBatchRows, batchMs } = this.#settings;
    let batches = 0;
    await this.#prepare();
    while (!this.#isClosed && this.#waiting.length > 0) {
      const isOld = this.#runtime.clock.monotonicMs() - this.#waiting.oldestMs >= batchMs;
      if (!(isAll || isOld || this.#duties.isFailingAt('write') || this.#waiting.length >= maxBatchRows))
        break;
      await this.#writeNext();
      batches++;
    }
    return batches;
  }

  async #writeNext(): Promise<void> {
    const batch = this.#waiting.next(this.#settings.maxBatchRows, this.#target.maxBatchBytes);
    const bytes = await this.#target.write({ producer: this.#producer, ...batch });
    if (this.#isClosed) return;
    await this.#waiting.remove(batch);
    this.#counts.writtenBatches++;
    this.#counts.writtenRows += batch.rows.length;
    this.#counts.writtenBytes += bytes;
  }

  /** Keeps the rows that wait on, so that they outlive the process. */
  async #keepOthers(): Promise<void> {
    if (this.#target.keep === undefined) return;
    while (!this.#isClosed) {
      const batch = this.#waiting.nextToKeep(this.#settings.maxBatchRows);
      if (batch === undefined) return;
      this.#waiting.keep(batch, await this.#target.keep({ producer: this.#producer, ...batch }));
    }
  }

  #loseBeyond(mostBytes: number): void {
    const { rows, tried } = this.#waiting.dropBeyond(mostBytes);
    this.#counts.lostRows += rows.length;
    this.#counts.uncertainRows += tried;
    for (const { count } of rows) this.#counts.lostValues += count;
  }

  #failed(error: HdrscopeError): void {
    const waitMs = backoffMs(++this.#failuresInARow, this.#settings.intervalMs, undefined, 0);
    this.#retryMs = this.#runtime.clock.monotonicMs() + waitMs;
    this.#duties.failed('write', error);
  }

  #succeeded(): void {
    this.#failuresInARow = 0;
    this.#retryMs = 0;
    this.#duties.succeeded('write');
  }
}
