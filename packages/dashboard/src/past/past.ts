import { mkdir, open, readdir, realpath, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Duties, endsWithin, reasonOf, within } from '@hdrscope/kit';
import { lockName, syncFolder } from '@hdrscope/kit/files';
import type { History, HistorySeries } from '../history/history.ts';
import type { PackedInterval } from '../history/packed-interval.ts';
import type { EarlierFacts, PastFacts } from '../messages.ts';
import { type PastContents, PastWriter, readPastFile } from './past-file.ts';

// A timer is early or late by a little.
const NEARLY_DUE = 0.9;

// After a failure, the whole history is written, so attempts become rarer.
const LONGEST_RETRY_MS = 300_000;

// A page waits so long for its past, and then does without.
const OPEN_MS = 10_000;

// The process before may be about to end.
const LOCK_MS = 3000;
const LOCK_STEP_MS = 100;

const CLOSE_MS = 5000;

// Those of two minutes.
const MOST_WAITING = 120;

// The disk has not answered for so long that people should know.
const SLOW_MS = 30_000;

const NAME = /^live-page-(\d{10})\.past$/;
const UNFINISHED = /^live-page-\d{10}\.past\.unfinished$/;

/** Options of a past. */
export interface PastOptions {
  readonly folder: string;
  /** The memory of the history. The folder has at most three times as much, and a little for the names of series. */
  readonly mostBytes: number;
  /** The time between two writes: a process that is killed loses what it counted in it. */
  readonly everyMs: number;
  /** The monotonic clock. */
  readonly monotonicMs: () => number;
  /** Hears of the first of several failures in a row. */
  readonly onError: (error: Error) => void;
  /** Hears when the folder can be written again. */
  readonly onRecovery: () => void;
}

/** What may change of a series that is in the file. */
type WrittenSeries = Pick<HistorySeries, 'reaches' | 'weight'>;

function writtenPart({ reaches, weight }: HistorySeries): WrittenSeries {
  return { reaches, weight };
}

/**
 * Keeps the history of a page in a folder over restarts. The folder has one file: the intervals that the history had when the file was begun, and
 * after them each later interval as it came. So a history that takes them in this order is the one that was. When the later ones take more
 * than the first ones, the file is written anew. A failing disk never disturbs the page: the memory has everything, and the next
 * write that succeeds has all of it. Never throws.
 */
export class Past {
  readonly #options: PastOptions;
  readonly #duties: Duties<'write', Error>;
  #state: 'opening' | 'open' | 'unusable' | 'closed' = 'opening';
  #problem: string | undefined;
  #failingSinceMs: number | undefined;
  #failuresInARow = 0;
  #earlier: EarlierFacts | undefined;
  #folder = '';
  #unlock: (() => Promise<void>) | undefined;
  #number = 0;
  #writer: PastWriter | undefined;
  /** The length of the file without later intervals. */
  #beginningBytes = 0;
  /** Whether the next write is a new file. */
  #isNewFileDue = true;
  /** Intervals that the file does not have, nor the one that is being written. */
  #waiting: PackedInterval[] = [];
  /** Series that the file has, with what it says of them. */
  #written = new Map<number, WrittenSeries>();
  #running: Promise<void> | undefined;
  /** When the last write began, and when the next one is due, by the monotonic clock. */
  #beganMs = 0;
  #dueMs = Number.NEGATIVE_INFINITY;
  #writtenMs: number | undefined;

  constructor(options: PastOptions) {
    this.#options = options;
    this.#duties = new Duties(options);
  }

  get facts(): PastFacts {
    const runningMs = this.#running === undefined ? 0 : this.#options.monotonicMs() - this.#beganMs;
    const isSlow = runningMs > SLOW_MS;
    const slow = `a write to ${this.#options.folder} has not ended for ${Math.round(runningMs / 1000)} s`;
    return {
      isKept: this.#state === 'open',
      everyMs: this.#options.everyMs,
      writtenMs: this.#writtenMs ?? null,
      bytes: this.#writer?.bytes ?? 0,
      problem: this.#problem ?? (isSlow ? slow : null),
      failingSinceMs: this.#failingSinceMs ?? (isSlow ? (this.#writtenMs ?? null) : null),
      earlier: this.#earlier ?? null,
    };
  }

  /**
   * Opens the folder and reads what an earlier process left in it.
   *
   * @param nowMs The time of the clock: intervals after it are left out.
   * @returns `undefined` when the folder cannot be used, or does not answer.
   */
  async open(nowMs: number): Promise<Pick<PastContents, 'history' | 'later'> | undefined> {
    const opening = this.#open(nowMs);
    try {
      return await within(opening, OPEN_MS, { unref: true });
    } catch (error) {
      this.#refuse(error);
      // What comes late is given back.
      opening.then(() => this.#release()).catch(() => this.#release());
      return undefined;
    }
  }

  async #open(nowMs: number): Promise<PastContents> {
    await mkdir(this.#options.folder, { recursive: true });
    this.#folder = await realpath(this.#options.folder);
    this.#unlock = await this.#lock();
    const names = await readdir(this.#folder);
    const files = names.filter((name) => NAME.test(name)).sort();
    for (const name of names.filter((name) => UNFINISHED.test(name))) await unlink(join(this.#folder, name));
    const last = files.pop();
    const contents = last === undefined ? NOTHING : await this.#read(last, nowMs);
    // A process was killed before it removed them: the last one has their intervals.
    for (const name of files) await unlink(join(this.#folder, name));
    if (this.#state === 'opening') this.#state = 'open';
    return contents;
  }

  async #lock(): Promise<() => Promise<void>> {
    for (let waitedMs = 0; ; waitedMs += LOCK_STEP_MS) {
      const unlock = await lockName(`live-page ${this.#folder}`);
      if (unlock !== undefined) return unlock;
      if (waitedMs >= LOCK_MS) {
        throw new Error(
          'another process keeps the history of its page there: name another folder for this one',
        );
      }
      await sleep(LOCK_STEP_MS, undefined, { ref: false });
    }
  }

  async #read(name: string, nowMs: number): Promise<PastContents> {
    this.#number = Number(NAME.exec(name)![1]);
    const file = await open(join(this.#folder, name), 'r+');
    try {
      const contents = await readPastFile(file, nowMs);
      const { facts, history, beginningBytes, bytes } = contents;
      // This process may be killed before its first write: it must not look as if it had ended. A full disk allows this.
      await file.truncate(bytes);
      await file.datasync();
      this.#earlier = facts;
      this.#writer = new PastWriter(file, bytes, history.series);
      this.#beginningBytes = beginningBytes;
      for (const one of history.series) this.#written.set(one.facts.id, writtenPart(one));
      this.#isNewFileDue = facts === undefined || hasFlaws(facts);
      return contents;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Notes an interval that the history has added. Now and then, this begins a write. */
  note(interval: PackedInterval, history: History): void {
    if (this.#state !== 'open') return;
    if (!this.#isNewFileDue) this.#waiting.push(interval);
    if (this.#waiting.length > MOST_WAITING) {
      // A write hangs. The memory of the history is bounded, so the next write takes it from there.
      this.#isNewFileDue = true;
      this.#waiting = [];
    }
    if (this.#options.monotonicMs() < this.#dueMs || this.#running !== undefined) return;
    this.#running = this.#write(history).finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when no write runs. For tests. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Lets go of the folder without a last write, as a process does that is killed. For tests. */
  async abandon(): Promise<void> {
    await this.idle();
    await this.#release();
  }

  /** Writes what is left, and lets go of the folder. */
  async close(history: History): Promise<void> {
    const wasOpen = this.#state === 'open';
    if (wasOpen) this.#state = 'closed';
    const last = async (): Promise<void> => {
      await this.#running;
      if (this.#waiting.length > 0 || (this.#isNewFileDue && history.intervals.length > 0)) {
        await this.#write(history);
      }
      const endMs = history.intervals.at(-1)?.endMs;
      if (this.#failingSinceMs === undefined && endMs !== undefined) await this.#writer?.end(endMs);
    };
    if (wasOpen) await endsWithin(last(), CLOSE_MS);
    await this.#release();
  }

  async #release(): Promise<void> {
    this.#state = this.#state === 'unusable' ? 'unusable' : 'closed';
    const [writer, unlock] = [this.#writer, this.#unlock];
    this.#writer = undefined;
    this.#unlock = undefined;
    await writer?.close().catch(() => {});
    await unlock?.();
  }

  #refuse(error: unknown): void {
    this.#state = 'unusable';
    const message = `the history is not kept in ${this.#options.folder}: ${reasonOf(error)}`;
    this.#problem = message;
    this.#duties.failed('write', new Error(message, { cause: error }));
  }

  /** All that the history has, or what it has added, is taken at once: later intervals are not in this write. Never rejects. */
  async #write(history: History): Promise<void> {
    this.#beganMs = this.#options.monotonicMs();
    this.#dueMs = this.#beganMs + NEARLY_DUE * this.#options.everyMs;
    const endMs = history.intervals.at(-1)?.endMs ?? 0;
    const most = Math.max(this.#beginningBytes, this.#options.mostBytes / 4);
    const isNew =
      this.#isNewFileDue || this.#writer === undefined || this.#writer.bytes - this.#beginningBytes > most;
    const intervals = isNew ? [...history.intervals] : this.#waiting;
    const series = isNew ? [...history.series] : this.#newSeries(intervals, history);
    this.#waiting = [];
    this.#isNewFileDue = false;
    try {
      if (isNew) await this.#begin(series, intervals);
      else await this.#writer!.write({ series, intervals, isLater: true });
      this.#writtenMs = endMs;
      this.#problem = undefined;
      this.#failingSinceMs = undefined;
      this.#failuresInARow = 0;
      this.#duties.succeeded('write');
    } catch (error) {
      this.#isNewFileDue = true;
      this.#waiting = [];
      const waitMs = Math.min(LONGEST_RETRY_MS, this.#options.everyMs * 2 ** this.#failuresInARow++);
      this.#dueMs = this.#options.monotonicMs() + waitMs;
      this.#failingSinceMs ??= this.#writtenMs ?? endMs;
      this.#problem = `the history cannot be written to ${this.#options.folder}: ${reasonOf(error)}`;
      this.#duties.failed('write', new Error(this.#problem, { cause: error }));
    }
  }

  /** The series of intervals that the file does not have, or with other reaches or another weight. */
  #newSeries(intervals: readonly PackedInterval[], history: History): HistorySeries[] {
    const found = new Map<number, HistorySeries>();
    for (const { ids } of intervals) {
      for (const id of ids) {
        const series = history.find(id);
        const written = this.#written.get(id);
        const isWritten = written?.reaches === series?.reaches && written?.weight === series?.weight;
        if (series === undefined || isWritten) continue;
        found.set(id, series);
        this.#written.set(id, writtenPart(series));
      }
    }
    return [...found.values()];
  }

  /** Writes a new file, which has another name until it is complete, and removes the one before. */
  async #begin(series: readonly HistorySeries[], intervals: readonly PackedInterval[]): Promise<void> {
    this.#written = new Map(series.map((one) => [one.facts.id, writtenPart(one)]));
    const [before, number] = [this.#number, this.#number + 1];
    const path = this.#pathOf(number);
    await mkdir(this.#folder, { recursive: true });
    const file = await open(`${path}.unfinished`, 'w');
    const writer = new PastWriter(file, 0, []);
    try {
      await writer.begin();
      await writer.write({ series, intervals, isLater: false });
      await rename(`${path}.unfinished`, path);
    } catch (error) {
      await file.close().catch(() => {});
      await unlink(`${path}.unfinished`).catch(() => {});
      throw error;
    }
    const old = this.#writer;
    this.#number = number;
    this.#writer = writer;
    this.#beginningBytes = writer.bytes;
    await old?.close().catch(() => {});
    await syncFolder({ open }, this.#folder);
    if (before > 0) await unlink(this.#pathOf(before)).catch(() => {});
  }

  #pathOf(number: number): string {
    return join(this.#folder, `live-page-${String(number).padStart(10, '0')}.past`);
  }
}

const NOTHING: PastContents = {
  history: { intervals: [], series: [] },
  later: [],
  facts: undefined,
  beginningBytes: 0,
  bytes: 0,
};

/** Whether a file has parts that were not read. It is written anew, so that it has none. */
function hasFlaws({ damagedBytes, misplacedIntervals, namelessCounts }: EarlierFacts): boolean {
  return damagedBytes + misplacedIntervals + namelessCounts > 0;
}
