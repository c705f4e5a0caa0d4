import { join } from 'node:path';
import type { HdrscopeError } from '@hdrscope/core';
import { notify, Slices, within } from '@hdrscope/kit';
import { type Clock, type Registry, SHARED_GATHER_MS, type Snapshot } from '@hdrscope/registry';
import { fileError } from '../errors.ts';
import type { Files } from '../parquet/files.ts';
import { DAY, dayOf, fileName } from '../parquet/names.ts';
import { rowGroups } from '../parquet/row-groups.ts';
import { writeFile } from '../parquet/write-file.ts';
import { SLOTS_PER_GROUP } from '../parquet/write-rows.ts';
import type { HistoryRow } from '../rows/row.ts';
import { rowsBetween } from '../rows/rows-between.ts';
import type { HistoryHealth } from './health.ts';
import type { HistorySettings } from './options.ts';
import { inFileOrder, WaitingRows } from './waiting.ts';

/** The environment of a history. Tests replace it. */
export interface HistoryRuntime {
  readonly clock: Clock;
  readonly files: Files;
  /** Calls back again and again, until the returned function is called. It does not keep the process alive. */
  readonly repeat: (callback: () => void, everyMs: number) => () => void;
}

// The code is not compiled yet.
const SLOTS_OF_FIRST_GROUP = 300;

/** Writes a registry to the files of a folder, interval by interval. Made by `openHistory`. */
export class HistorySink {
  readonly #registry: Registry;
  readonly #settings: HistorySettings;
  readonly #runtime: HistoryRuntime;
  readonly #producer: string;
  readonly #waiting = new WaitingRows();
  readonly #stopTicks: () => void;
  /** Rows have every count of this snapshot. */
  #collected: Snapshot;
  #sequence = 0;
  #files = 0;
  /** All work goes one after the other. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  #isBusy = false;
  #closing: Promise<void> | undefined;
  #isClosed = false;
  #isFailing = false;
  #lastError: HdrscopeError | undefined;
  readonly #counts = {
    failures: 0,
    collectedUntilMs: 0,
    writtenFiles: 0,
    writtenRows: 0,
    writtenBytes: 0,
    lostRows: 0,
    lostValues: 0,
    skippedTicks: 0,
    failingSources: 0,
  };

  /** @param producer The readable name with a random id. */
  constructor(registry: Registry, settings: HistorySettings, runtime: HistoryRuntime, producer: string) {
    this.#registry = registry;
    this.#settings = settings;
    this.#runtime = runtime;
    this.#producer = producer;
    this.#collected = settings.since ?? registry.emptySnapshot();
    this.#stopTicks = runtime.repeat(() => this.#tick(), settings.everyMs);
  }

  /** The work so far. */
  get health(): HistoryHealth {
    return Object.freeze({
      folder: this.#settings.folder,
      producer: this.#producer,
      isClosed: this.#isClosed,
      isFailing: this.#isFailing,
      lastError: this.#lastError,
      waitingRows: this.#waiting.length,
      waitingBytes: this.#waiting.bytes,
      ...this.#counts,
    });
  }

  /** Writes all counts up to now to files. Resolves to whether no row waits any more. Never rejects. */
  async flush(): Promise<boolean> {
    if (this.#closing !== undefined) return false;
    return await this.#inTurn(() => this.#cycle(true));
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
    const { closeTimeoutMs, folder } = this.#settings;
    const last = this.#inTurn(() => this.#cycle(true));
    // Not unref'ed: the caller awaits the end of the history.
    const isInTime = await within(last, closeTimeoutMs, { unref: false }).then(
      () => true,
      () => false,
    );
    this.#isClosed = true;
    if (!isInTime) {
      const late = new Error(`the last rows were not written within ${closeTimeoutMs} ms`);
      this.#failed(fileError('write', folder, late));
    }
    this.#lose(this.#waiting.dropBeyond(0));
  }

  /** Resolves when no work runs. For tests. @internal */
  async idle(): Promise<void> {
    await this.#last;
  }

  #tick(): void {
    if (this.#isBusy) this.#counts.skippedTicks++;
    else this.#inTurn(() => this.#cycle(false));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(async () => {
      this.#isBusy = true;
      return await work();
    });
    this.#last = result.finally(() => {
      this.#isBusy = false;
    });
    return result;
  }

  /** Never rejects. */
  async #cycle(isAll: boolean): Promise<boolean> {
    try {
      await this.#collect(isAll);
      const written = await this.#writeDue(isAll);
      if (written > 0 || this.#waiting.length === 0) this.#succeeded();
    } catch (error) {
      this.#failed(fileError('write', this.#settings.folder, error));
    }
    this.#lose(this.#waiting.dropBeyond(this.#settings.maxWaitingBytes));
    notify(() => this.#settings.onInterval(this.#collected));
    return this.#waiting.length === 0;
  }

  async #collect(isAll: boolean): Promise<void> {
    const snapshot = await this.#registry.gather({
      timeoutMs: this.#settings.gatherTimeoutMs,
      maxAgeMs: isAll ? 0 : SHARED_GATHER_MS,
    });
    this.#counts.failingSources = snapshot.errors.length;
    const facts = { producer: this.#producer, sequence: this.#sequence };
    const rows: HistoryRow[] = [];
    const slices = new Slices();
    for (const row of rowsBetween(this.#collected, snapshot, facts)) {
      rows.push(row);
      if (slices.isOver()) await slices.next();
    }
    // All at once: rows of a half would come again under other numbers.
    this.#collected = snapshot;
    this.#sequence += rows.length;
    this.#counts.collectedUntilMs = snapshot.timeMs;
    this.#waiting.add(rows, this.#runtime.clock.monotonicMs());
  }

  /** Writes files until the waiting rows are few and young; after a failure, until no row waits. Returns the number of files. */
  async #writeDue(isAll: boolean): Promise<number> {
    const { maxRows, rotateMs } = this.#settings;
    let files = 0;
    while (!this.#isClosed && this.#waiting.length > 0) {
      const isOld = this.#runtime.clock.monotonicMs() - this.#waiting.oldestMs >= rotateMs;
      if (!(isAll || isOld || this.#isFailing || this.#waiting.length >= maxRows)) break;
      await this.#write(this.#waiting.firstOfDay(maxRows));
      files++;
    }
    return files;
  }

  async #write(rows: readonly HistoryRow[]): Promise<void> {
    const startMs = rows[0]!.startMs;
    const day = join(this.#settings.folder, `${DAY}${dayOf(startMs)}`);
    // Every attempt has a name of its own, because a failed one may have left a file.
    const path = join(day, fileName(startMs, this.#producer, this.#files++));
    const first = this.#counts.writtenFiles === 0 ? SLOTS_OF_FIRST_GROUP : SLOTS_PER_GROUP;
    const groups = rowGroups(await inFileOrder(rows), SLOTS_PER_GROUP, first);
    const written = await writeFile(this.#runtime.files, path, groups);
    if (this.#isClosed) return;
    this.#waiting.remove(rows);
    this.#counts.writtenFiles++;
    this.#counts.writtenRows += written.rows;
    this.#counts.writtenBytes += written.bytes;
  }

  #lose(rows: readonly HistoryRow[]): void {
    this.#counts.lostRows += rows.length;
    for (const { count } of rows) this.#counts.lostValues += count;
  }

  #failed(error: HdrscopeError): void {
    const isNew = !this.#isFailing;
    this.#isFailing = true;
    this.#lastError = error;
    this.#counts.failures++;
    if (isNew) notify(() => this.#settings.onError(error));
  }

  #succeeded(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    notify(() => this.#settings.onRecovery());
  }
}
