import { visible } from '@hdrscope/core/internal';
import { reasonOf, Slices } from '@hdrscope/kit';
import { type FamilySnapshot, type Registry, type Snapshot, systemClock } from '@hdrscope/registry';
import { SHARED_GATHER_MS } from '@hdrscope/registry/internal';
import type { TabContents } from './answer/answers.ts';
import { History } from './history/history.ts';
import { LiveTable } from './live-table.ts';
import type { PastFacts } from './messages.ts';
import type { DashboardSettings, DashboardTab } from './options.ts';
import { Past } from './past/past.ts';

/** The time limit of a gather, after which the page goes on without the slow source. */
const PATIENCE_MS = 5000;

// Without clients, updates are this many times rarer: they only keep the history.
const IDLE_TIMES = 5;

// Updates of very many busy series become rarer: they take at most a tenth of a core.
const UPDATE_REST_TIMES = 9;

// A shorter update holds nobody up.
const LEAST_WORK_MS = 50;

// The time between two writes of the history to a folder.
const WRITE_MS = 10_000;

// A tab with more charts is hard to read. Each series has two.
const MOST_SERIES = 12;

// A series that has ended stays in the table for so long. The history keeps its counts for longer.
const ENDED_MS = 300_000;

// While a record is read, the page shows how far it has come.
const PROGRESS_MS = 500;

/** What a page shows: a registry that goes on counting, or a record: the snapshots of a registry in the order of their times. */
export type DashboardData = Registry | AsyncIterable<Snapshot>;

/**
 * Takes the states of a registry, once for all clients, and holds everything that the page shows. It gathers the registry regularly,
 * or reads a record. Never throws.
 */
export class Feed {
  readonly table: LiveTable;
  readonly history: History;
  /** Whether this is a record. */
  readonly isRecord: boolean;
  readonly #shown: DashboardData;
  readonly #settings: DashboardSettings;
  readonly #onUpdate: () => void;
  #timer: NodeJS.Timeout | undefined;
  #tabs: readonly DashboardTab[] = [];
  #errors: readonly string[] = [];
  #running: Promise<void> | undefined;
  #isStopped = false;
  #isReading: boolean;
  #isWatched: () => boolean = () => false;
  /** Keeps the history over restarts; `undefined` when no folder is named, and for a record. */
  readonly #past: Past | undefined;
  /** Whether the past has been read. */
  #isPastRead = false;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** How long the last update has worked: without what else the process did meanwhile. */
  #workedMs = 0;

  constructor(shown: DashboardData, settings: DashboardSettings, onUpdate: () => void) {
    this.#shown = shown;
    this.#settings = settings;
    this.#onUpdate = onUpdate;
    this.isRecord = !('gather' in shown);
    this.#isReading = this.isRecord;
    this.table = new LiveTable(this.isRecord ? {} : { keepMs: Math.min(ENDED_MS, settings.historyMs) });
    this.history = new History({
      spanMs: this.isRecord ? Number.POSITIVE_INFINITY : settings.historyMs,
      mostBytes: settings.historyBytes,
      coarsening: this.isRecord ? 'evenly' : 'older',
    });
    const idleMs = settings.intervalMs * IDLE_TIMES;
    const { historyFolder, onHistoryError, onHistoryRecovery } = settings;
    if (historyFolder !== undefined && !this.isRecord) {
      this.#past = new Past({
        ...{
          folder: historyFolder,
          mostBytes: settings.historyBytes,
          everyMs: Math.max(WRITE_MS, idleMs),
          monotonicMs: systemClock.monotonicMs,
        },
        ...{ onError: onHistoryError, onRecovery: onHistoryRecovery },
      });
    }
  }

  /** What a restart leaves of the history; `null` for a record. */
  get past(): PastFacts | null {
    return this.isRecord ? null : (this.#past?.facts ?? IN_MEMORY);
  }

  /** Whether this is a record whose end has not come yet. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Sources that failed at the last update, each with its reason. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** @param isWatched Whether there are clients. Without clients, updates are rarer. */
  start(isWatched: () => boolean): void {
    this.#isWatched = isWatched;
    if (!('gather' in this.#shown)) {
      void this.#readRecord(this.#shown);
      return;
    }
    const { intervalMs } = this.#settings;
    // What is counted before the first update is in no interval.
    if (this.#past !== undefined) void this.update();
    this.#timer = setInterval(() => {
      // A timer is early or late by a little.
      const leastMs = Math.max(this.everyMs, isWatched() ? 0 : intervalMs * IDLE_TIMES);
      if (performance.now() - this.#lastMs >= leastMs - intervalMs / 2) void this.update();
    }, intervalMs).unref();
  }

  /** Ends the updates, and writes the last interval of a history that a folder keeps. Never rejects. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearInterval(this.#timer);
    if (this.#past === undefined) return;
    await this.#running;
    await this.update();
    await this.#past.close(this.history);
  }

  /** The time between two updates while there are clients, in milliseconds. */
  get everyMs(): number {
    const { intervalMs } = this.#settings;
    if (this.#workedMs < LEAST_WORK_MS) return intervalMs;
    return Math.max(intervalMs, (1 + UPDATE_REST_TIMES) * this.#workedMs);
  }

  /** Whether the last update is at most one and a half intervals old. */
  get isFresh(): boolean {
    if (this.isRecord) return true;
    return this.table.updates > 0 && performance.now() - this.#lastMs < 1.5 * this.everyMs;
  }

  /** Brings everything up to date; joins an update that is under way. Never rejects. */
  update(): Promise<void> {
    this.#running ??= this.#update().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #update(): Promise<void> {
    this.#lastMs = performance.now();
    try {
      if ('gather' in this.#shown) {
        await this.#take(await this.#shown.gather({ timeoutMs: PATIENCE_MS, maxAgeMs: SHARED_GATHER_MS }));
      }
    } catch (error) {
      this.#errors = [visible(`the registry: ${reasonOf(error)}`)];
    }
    await this.#askTabs();
    if (this.#isWatched()) await this.table.writeRows();
    this.#onUpdate();
  }

  async #readRecord(record: AsyncIterable<Snapshot>): Promise<void> {
    try {
      const slices = new Slices();
      for await (const snapshot of record) {
        if (this.#isStopped) return;
        await this.#take(snapshot);
        if (slices.isOver()) await slices.next();
        if (performance.now() - this.#lastMs < PROGRESS_MS) continue;
        await this.update();
      }
    } catch (error) {
      this.#errors = [visible(`the record: ${reasonOf(error)}`)];
    }
    this.#isReading = false;
    await this.update();
  }

  async #take(snapshot: Snapshot): Promise<void> {
    if (!this.#isPastRead) {
      this.#isPastRead = true;
      const earlier = await this.#past?.open(snapshot.timeMs);
      if (earlier !== undefined) {
        await this.history.restore(earlier.history, earlier.later);
        await this.table.restore(this.history.series);
      }
    }
    const isFirst = this.table.updates === 0;
    // Two snapshots in one millisecond, or around a clock that was set back, have no interval between them.
    if (!isFirst && snapshot.timeMs <= this.table.snapshot.timeMs) return;
    const slices = new Slices();
    await this.table.update(snapshot, slices);
    this.#errors = snapshot.errors.map(({ source, error }) => visible(`${source}: ${reasonOf(error)}`));
    // The first update adds all series. Later ones have less to do.
    if (isFirst) return;
    const { table, history } = this;
    const interval = await history.add(table.startMs, snapshot.timeMs, table.increases(), slices);
    this.#workedMs = slices.workedMs;
    this.#past?.note(interval, this.history);
  }

  /** When the tabs cannot be made, the last ones stay. */
  async #askTabs(): Promise<void> {
    try {
      this.#tabs = await this.#settings.tabs();
    } catch (error) {
      this.#errors = [...this.#errors, visible(`the tabs: ${reasonOf(error)}`)];
    }
  }

  /** The names of all tabs beside that of the series. */
  get tabNames(): string[] {
    const ofFamilies = this.table.families.map((family) => this.#tabOf(family));
    const names = [...this.#tabs.map(({ name }) => visible(name)), ...ofFamilies];
    return [...new Set(names)].filter((name) => name !== undefined);
  }

  #tabOf(family: FamilySnapshot): string | undefined {
    const name = this.#settings.tabOf(family);
    return name === undefined ? undefined : visible(name);
  }

  /** What a tab shows: the plots that were given, and the busiest series of its families. */
  tabContents(name: string): TabContents {
    const plots = this.#tabs.filter((tab) => visible(tab.name) === name).flatMap((tab) => tab.plots);
    const series = this.table.series
      .filter(({ live, latest }) => latest.counts.total > 0 && this.#tabOf(live.latest) === name)
      .sort((a, b) => b.latest.counts.total - a.latest.counts.total)
      .slice(0, MOST_SERIES)
      .sort((a, b) => a.facts.id - b.facts.id);
    return { plots, series };
  }
}

/** The facts of a page that keeps its history in memory only. */
const IN_MEMORY: PastFacts = {
  isKept: false,
  everyMs: 0,
  writtenMs: null,
  bytes: 0,
  problem: null,
  failingSinceMs: null,
  earlier: null,
};
