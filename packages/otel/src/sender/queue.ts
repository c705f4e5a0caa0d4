import { mkdir, open, readdir, readFile, realpath, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '@hdrscope/kit';
import { isMissing, lockName, removeFile, syncFolder } from '@hdrscope/kit/files';
import { otlpError } from '../errors.ts';
import type { SenderCounters } from './counters.ts';
import { type Delivery, pack, type Resource, valuesIn } from './delivery.ts';
import {
  decodeDelivery,
  encodeDelivery,
  encodeProgress,
  PROGRESS_AT,
  type QueueHeader,
  readHeader,
  type UnreadableFile,
} from './queue-file.ts';

/** A queue on disk. */
export interface OtlpQueueOptions {
  /**
   * The folder of the queue. It is made when it does not exist. Several processes of one machine may share it: each delivers also what
   * those before it have left there. Containers need a folder each, and so does each process on systems other than Linux.
   */
  readonly folder: string;
  /**
   * The most bytes that all files of the folder have: an integer of at least 1. Where they would have more, the oldest deliveries of
   * earlier processes are given up and counted. A delivery that is larger alone is sent without being on disk.
   * @default 67108864, 64 MiB
   */
  readonly maxBytes?: number;
}

/** What a sender makes of a queue. */
export interface QueueSettings extends Required<OtlpQueueOptions> {
  /** The resource of the deliveries of this process. */
  readonly resource: Resource;
  /** The most bytes of a request. */
  readonly mostBytes: number;
  /** Hears of values that are given up, of files that cannot be sent, and once of a disk that cannot be written. */
  readonly failed: (error: Error) => void;
}

/** A file of an earlier process. */
interface EarlierFile extends QueueHeader {
  readonly path: string;
}

/** The contents of a file. */
interface StoredDelivery extends QueueHeader {
  readonly delivery: Delivery;
  /** How many points of the delivery had been settled when `done` points of the file were. */
  readonly settled: number;
}

const QUEUE_FILE = /^(\d+)-(\d+)\.delivery(\.partial|\.damaged)?$/;

/**
 * Deliveries on disk, so that the next process sends those of a process that was killed. A file is a delivery, `PLACE-NUMBER.delivery`.
 * Each process has a place of its own in the folder, and two files at most: the delivery under way, and the next one, with all that was
 * counted since. The next delivery has no other identity until it is sent, so each version of it replaces the one before, in one step.
 */
export class DeliveryQueue {
  settings: QueueSettings;
  readonly #counters: SenderCounters;
  readonly #unlocks: (() => Promise<void>)[];
  readonly #place: number;
  /** The number of the delivery under way, or of the next one. */
  #number = 1;
  readonly #earlier: EarlierFile[] = [];
  /** What is in the files of deliveries that are in memory too. */
  readonly #stored = new Map<string, StoredDelivery>();
  /** The work on files, one after the other. */
  #work: Promise<unknown> = Promise.resolve();

  /**
   * Takes a place in the folder, and the places of processes that have ended.
   *
   * @returns `undefined` when the folder cannot be made or read.
   */
  static async open(settings: QueueSettings, counters: SenderCounters): Promise<DeliveryQueue | undefined> {
    try {
      return await DeliveryQueue.#open(settings, counters);
    } catch (error) {
      noteProblem(settings, counters, 'be opened', error);
      return undefined;
    }
  }

  static async #open(settings: QueueSettings, counters: SenderCounters): Promise<DeliveryQueue> {
    const { folder } = settings;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = await realpath(folder);
    const lock = (place: number) => lockName(`otlp-queue ${place} ${path}`);
    const unlocks = new Map<number, () => Promise<void>>();
    try {
      let own = 0;
      for (; ; own++) {
        const unlock = await lock(own);
        if (unlock === undefined) continue;
        unlocks.set(own, unlock);
        break;
      }
      for (const place of new Set((await numberedFiles(folder)).map(({ place }) => place))) {
        const unlock = unlocks.has(place) ? undefined : await lock(place);
        if (unlock !== undefined) unlocks.set(place, unlock);
      }
      // Only now does nobody else change these files.
      const files = (await numberedFiles(folder)).filter(({ place }) => unlocks.has(place));
      const queue = new DeliveryQueue(settings, counters, [...unlocks.values()], own);
      let replaced: string[] = [];
      for (const { name, place, number } of files) {
        const path = join(folder, name);
        let last = number;
        if (name.endsWith('.partial') || replaced.includes(name)) await removeFile({ unlink }, path);
        else if (!name.endsWith('.damaged')) {
          const count = await queue.#find(path);
          last += count;
          replaced = Array.from({ length: count }, (_, i) => fileName(place, number + 1 + i));
        }
        if (place === own) queue.#number = Math.max(queue.#number, last + 1);
      }
      return queue;
    } catch (error) {
      for (const unlock of unlocks.values()) await unlock();
      throw error;
    }
  }

  private constructor(
    settings: QueueSettings,
    counters: SenderCounters,
    unlocks: (() => Promise<void>)[],
    place: number,
  ) {
    this.settings = settings;
    this.#counters = counters;
    this.#unlocks = unlocks;
    this.#place = place;
  }

  /** How many values wait in files of earlier processes that are not in memory. */
  get waitingValues(): number {
    return this.#earlier.reduce((sum, { values }) => sum + values, 0);
  }

  /** The latest end of points in files of earlier processes that are not in memory. */
  get latestMs(): number {
    return this.#earlier.reduce((latest, { timeMs }) => Math.max(latest, timeMs), Number.NEGATIVE_INFINITY);
  }

  /** Takes the oldest delivery of earlier processes into memory. */
  next(): Promise<Delivery | undefined> {
    return this.#inTurn(async () => {
      for (let file = this.#earlier.shift(); file !== undefined; file = this.#earlier.shift()) {
        const delivery = await this.#load(file);
        if (delivery !== undefined) return delivery;
      }
      return undefined;
    });
  }

  /** Writes a delivery before it is sent. Returns the delivery to send: an older one, when that is in its file and must not stay behind. */
  keep(delivery: Delivery): Promise<Delivery> {
    return this.#inTurn(async () => {
      if (delivery.items.length === 0) return delivery;
      const path = delivery.file ?? this.#pathOf(this.#number);
      const stored = this.#stored.get(path);
      if (stored?.delivery === delivery && stored.isTried) return delivery;
      const replaced = delivery.file === undefined ? this.#replacedByNew : (stored?.replaced ?? 0);
      if (await this.#store(delivery, path, { isTried: true, replaced })) return delivery;
      return stored?.delivery ?? delivery;
    });
  }

  /**
   * Writes what was counted since the delivery under way.
   *
   * @param underWay The delivery under way, if it is one of this process.
   * @param isCurrent Whether `next` still follows the delivery under way.
   */
  renew(next: Delivery, underWay: Delivery | undefined, isCurrent: () => boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (next.items.length === 0 || !isCurrent()) return;
      await pack(next);
      const path = this.#pathOf(this.#number);
      if (!isCurrent()) return;
      if (underWay === undefined) {
        await this.#store(next, path, { isTried: false, replaced: this.#replacedByNew });
        return;
      }
      const isStored =
        underWay.file !== undefined || (await this.#store(underWay, path, { isTried: true, replaced: 0 }));
      if (isStored && isCurrent()) await this.#store(next, this.#nextPath, { isTried: false, replaced: 0 });
    });
  }

  /** Notes in the file of a delivery which points need not be sent any more. */
  noteDone(delivery: Delivery): Promise<void> {
    return this.#inTurn(async () => {
      const { file, items, done, settled } = delivery;
      const stored = file === undefined ? undefined : this.#stored.get(file);
      if (file === undefined || stored?.delivery !== delivery) return;
      const since = settled - stored.settled;
      const values = stored.values - valuesIn(items.slice(done - since, done));
      const now = { ...stored, done: stored.done + since, values, settled };
      try {
        const written = await open(file, 'r+');
        try {
          // Not forced to the disk: after a crash of the machine, these points come again with their times.
          await written.write(encodeProgress(now), 0, null, PROGRESS_AT);
        } finally {
          await written.close();
        }
        this.#stored.set(file, now);
      } catch (error) {
        this.#cannot('note what was taken', error);
      }
    });
  }

  /** Removes a delivery that was taken or given up. */
  done(delivery: Delivery): Promise<void> {
    return this.#inTurn(async () => {
      const { file, resource } = delivery;
      if (file === undefined) return;
      const replaced = resource === undefined ? this.#replacedPaths : [];
      this.#number += resource === undefined ? 1 + replaced.length : 0;
      this.#stored.delete(file);
      try {
        // As long as they are there, the file says that they are not to be sent.
        for (const path of [...replaced, file]) await removeFile({ unlink }, path);
      } catch (error) {
        this.#cannot('remove a delivery', error);
      }
    });
  }

  /** Leaves all files to whoever opens the folder next. Returns the last delivery of this process that is in a file. */
  async close(): Promise<Delivery | undefined> {
    await this.#work;
    const own = [this.#nextPath, this.#pathOf(this.#number)].map((path) => this.#stored.get(path));
    for (const unlock of this.#unlocks) await unlock();
    return own.find((stored) => stored !== undefined)?.delivery;
  }

  #pathOf(number: number): string {
    return join(this.settings.folder, fileName(this.#place, number));
  }

  /** The files that the one of the delivery under way has replaced. */
  get #replacedPaths(): string[] {
    const { replaced = 0 } = this.#stored.get(this.#pathOf(this.#number)) ?? {};
    return Array.from({ length: replaced }, (_, i) => this.#pathOf(this.#number + 1 + i));
  }

  /** The file of the delivery that follows the one under way. */
  get #nextPath(): string {
    return this.#pathOf(this.#number + 1 + this.#replacedPaths.length);
  }

  /** How many files a delivery that is made again replaces: it has also the values of the one that was to follow. */
  get #replacedByNew(): number {
    return this.#replacedPaths.length + (this.#stored.has(this.#nextPath) ? 1 : 0);
  }

  /** @returns Whether the file has the delivery. Otherwise the file is as it was. */
  async #store(
    delivery: Delivery,
    path: string,
    state: Pick<QueueHeader, 'isTried' | 'replaced'>,
  ): Promise<boolean> {
    const partial = `${path}.partial`;
    const { resource, folder } = this.settings;
    try {
      const { settled, snapshot } = delivery;
      const items = delivery.items.slice(delivery.done);
      const header = { ...state, values: valuesIn(items), timeMs: snapshot.timeMs };
      const parts = await encodeDelivery(items, delivery.resource ?? resource, header);
      await this.#makeRoom(parts.reduce((sum, { length }) => sum + length, 0));
      const file = await open(partial, 'w', 0o600);
      try {
        await writeFile(file, parts);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(partial, path);
      this.#stored.set(path, { ...header, done: 0, delivery, settled });
      delivery.file = path;
      await syncFolder({ open }, folder);
      for (const replaced of path === this.#pathOf(this.#number) ? this.#replacedPaths : []) {
        this.#stored.delete(replaced);
        await removeFile({ unlink }, replaced);
      }
      this.#counters.queueProblem = undefined;
      return true;
    } catch (error) {
      await unlink(partial).catch(() => {});
      this.#cannot('write a delivery', error);
      return this.#stored.get(path)?.delivery === delivery;
    }
  }

  /**
   * Gives up the oldest deliveries of earlier processes, until the folder can take a file.
   *
   * @throws Error when the file is too large.
   */
  async #makeRoom(sizeBytes: number): Promise<void> {
    const { folder, maxBytes } = this.settings;
    const files = await numberedFiles(folder);
    const sizes = await Promise.all(files.map(async ({ name }) => sizeOf(join(folder, name))));
    let left = maxBytes - sizeBytes - sizes.reduce((sum, size) => sum + size, 0);
    for (const [i, { name }] of files.entries()) {
      if (left >= 0 || !name.endsWith('.damaged')) continue;
      await removeFile({ unlink }, join(folder, name));
      left += sizes[i]!;
    }
    while (left < 0 && this.#earlier.length > 0) {
      const { path, values, isTried } = this.#earlier[0]!;
      left += await sizeOf(path);
      await removeFile({ unlink }, path);
      this.#earlier.shift();
      this.#counters.givenUpValues += values;
      if (isTried) this.#counters.uncertainValues += values;
      this.settings.failed(
        otlpError(
          `the queue in ${folder} has no room: ${values} values of an earlier process are given up; raise queue.maxBytes, ${maxBytes}`,
        ),
      );
    }
    if (left < 0)
      throw new Error(
        `the file has ${sizeBytes} bytes, ${-left} more than queue.maxBytes, ${maxBytes}, allows`,
      );
  }

  /** Notes a file of an earlier process. Returns how many of the files after it are replaced. */
  async #find(path: string): Promise<number> {
    const header = await this.#read(path, readHeader);
    if (header !== undefined) this.#earlier.push({ path, ...header });
    return header?.replaced ?? 0;
  }

  async #load({ path, ...header }: EarlierFile): Promise<Delivery | undefined> {
    const delivery = await this.#read(path, (bytes) => decodeDelivery(bytes, this.settings.mostBytes));
    if (delivery === undefined) return undefined;
    delivery.file = path;
    this.#stored.set(path, { ...header, delivery, settled: 0 });
    return delivery;
  }

  /** Reads a file. One that cannot be sent is reported, and set aside when it is damaged. */
  async #read<Result extends object>(
    path: string,
    read: (bytes: Buffer) => Promise<Result | UnreadableFile>,
  ): Promise<Result | undefined> {
    const { failed } = this.settings;
    try {
      const result = await read(await readFile(path));
      if (typeof result === 'object') return result;
      if (result === 'unknown') {
        failed(otlpError(`${path} is of a later version of hdrscope or Node.js: it stays for that version`));
        return undefined;
      }
      this.#counters.damagedFiles++;
      await rename(path, `${path}.damaged`);
      failed(otlpError(`${path} is damaged: it is set aside as ${path}.damaged, and its values are lost`));
    } catch (error) {
      this.#cannot('read a delivery', error);
    }
    return undefined;
  }

  #cannot(what: string, cause: unknown): void {
    noteProblem(this.settings, this.#counters, what, cause);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#work.then(work);
    this.#work = turn.catch(() => {});
    return turn;
  }
}

/** Reports the first of several failures in a row. */
function noteProblem(
  { folder, failed }: QueueSettings,
  counters: SenderCounters,
  what: string,
  cause: unknown,
): void {
  const problem = `the queue in ${folder} cannot ${what}: ${reasonOf(cause)}`;
  const isFirst = counters.queueProblem === undefined;
  counters.queueProblem = problem;
  if (isFirst) failed(otlpError(`${problem}; what is not on disk would be lost with the process`, cause));
}

function fileName(place: number, number: number): string {
  return `${place}-${number}.delivery`;
}

/** The files of a queue, the oldest of each place first. */
async function numberedFiles(folder: string): Promise<{ name: string; place: number; number: number }[]> {
  const names = await readdir(folder);
  return names
    .flatMap((name) => {
      const [, place, number] = QUEUE_FILE.exec(name) ?? [];
      return number === undefined ? [] : [{ name, place: Number(place), number: Number(number) }];
    })
    .sort((a, b) => a.place - b.place || a.number - b.number);
}

/** The size of a file: 0 when another process has removed it. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
