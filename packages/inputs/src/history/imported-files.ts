import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { callback, mustBe, type OptionNames, text, textsByName } from '@hdrscope/core/internal';
import { type HistoryRow, mergeRows, writeRows } from '@hdrscope/history';
import { type RowKey, readRowKeys } from '@hdrscope/history/internal';
import type { LogEntry, MalformedLine } from '@hdrscope/interval-log';
import { isMissing } from '@hdrscope/kit/files';
import {
  type IdentifiedImport,
  type ImportSource,
  listNames,
  RECEIPTS,
  writeReceipt,
} from './import-receipts.ts';
import { shortHash } from './short-hash.ts';

/** What an import has written. */
export interface ImportedRows {
  /** How many new rows there are. */
  readonly rows: number;
  /** How many rows an earlier import has written. */
  readonly knownRows: number;
  /** The start of the first new row, in milliseconds since 1970; `undefined` without new rows. */
  readonly firstMs: number | undefined;
  /** The end of the last new row, in milliseconds since 1970; `undefined` without new rows. */
  readonly lastMs: number | undefined;
}

/** How rows of an import are made. */
export interface ImportOptions {
  /** The name of the input, for messages. @default that of the source, or 'the log' */
  readonly name?: string | undefined;
  /** The length of the stretch of time of a row, in milliseconds, which divides a day. @default 60000 */
  readonly everyMs?: number;
  /** Attributes of all series. @default none */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Takes what is malformed and left out. @default it is left out */
  readonly onMalformed?: ((line: MalformedLine) => void) | undefined;
}

/** The rules of {@link ImportOptions}. */
export const IMPORT_NAMES: OptionNames<ImportOptions> = {
  name: text,
  everyMs: true,
  attributes: textsByName,
  onMalformed: callback(),
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertPartOfDay(everyMs: number): void {
  if (Number.isInteger(everyMs) && everyMs >= 1 && DAY_MS % everyMs === 0) return;
  throw mustBe('ERR_INVALID_OPTION', 'everyMs', 'a number of milliseconds that divides a day', everyMs);
}

export const DAY_MS = 86_400_000;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

// About 16 MiB of rows.
const MOST_SLOTS = 500_000;
const SLOTS_OF_ROW = 20;

/**
 * Writes rows to the files of a history. It finds the rows that the history has by their producers and sequences, whatever file they are
 * in. So an import that is repeated adds what is new, also when its source has grown meanwhile.
 */
export class ImportedFiles {
  readonly imported: Writable<ImportedRows> = {
    rows: 0,
    knownRows: 0,
    firstMs: undefined,
    lastMs: undefined,
  };
  readonly #source: ImportSource;
  readonly #found: IdentifiedImport;
  #rows: HistoryRow[] = [];
  #slots = 0;
  #hasReceipt = false;

  constructor(source: ImportSource, found: IdentifiedImport) {
    this.#source = source;
    this.#found = found;
  }

  /** Takes the rows of the next stretch of time, which do not go back in time. @throws HdrscopeError */
  async add(rows: RowGroup): Promise<void> {
    const [first] = this.#rows;
    const isOtherDay = first !== undefined && dayOf(first) !== dayOf(rows[0]!);
    if (isOtherDay || this.#slots >= MOST_SLOTS) await this.flush();
    for (const row of rows) {
      this.#rows.push(row);
      this.#slots += row.k.length + SLOTS_OF_ROW;
    }
  }

  /** Writes the rows that wait. @throws HdrscopeError */
  async flush(): Promise<void> {
    const rows = this.#rows;
    const [first] = rows;
    if (first === undefined) return;
    this.#rows = [];
    this.#slots = 0;
    const { folder } = this.#source;
    const { identity } = this.#found.receipt;
    const day = join(folder, `day=${dayOf(first)}`);
    const files = await this.#filesOf(day);
    const known = new Map<string, number>();
    for (const key of files.flatMap(({ keys }) => keys)) {
      const text = keyText(key);
      known.set(text, Math.max(known.get(text) ?? 0, key.revision));
    }
    const added = rows.filter((row) => !((known.get(keyText(row)) ?? -1) >= (row.revision ?? 0)));
    const { imported } = this;
    imported.knownRows += rows.length - added.length;
    if (added.length === 0) return;
    // The receipt comes before the rows: after a crash, the next import knows whose rows they are.
    if (!this.#hasReceipt) await writeReceipt(folder, this.#found.receipt);
    this.#hasReceipt = true;
    const lastMs = rows.reduce((most, { endMs }) => Math.max(most, endMs), first.endMs);
    // The sequence is the start of the stretch of time, so it does not depend on which series have values in it.
    const mark = `-import-${identity}-`;
    const path = join(day, `${first.sequence}${mark}${lastMs}${ENDING}`);
    await writeRows(path, rows);
    // An earlier import wrote these files when there was less to import. The new file has their rows.
    const revisions = new Map(rows.map((row) => [keyText(row), row.revision ?? 0]));
    for (const { path: other, keys } of files) {
      if (other === path || !basename(other).includes(mark)) continue;
      const isReplaced = keys.every((key) => (revisions.get(keyText(key)) ?? -1) >= key.revision);
      if (isReplaced) await rm(other, { force: true });
    }
    imported.rows += added.length;
    for (const { startMs, endMs } of added) {
      imported.firstMs = Math.min(imported.firstMs ?? startMs, startMs);
      imported.lastMs = Math.max(imported.lastMs ?? endMs, endMs);
    }
  }

  /**
   * The files of a day that have rows of what is imported, and the keys of these rows. When a compaction removes a file meanwhile, the
   * day is read again.
   *
   * @throws HdrscopeError
   */
  async #filesOf(day: string, attempt = 1): Promise<KeysOfFile[]> {
    const paths = (await listNames(day))
      .filter((name) => name.endsWith(ENDING))
      .map((name) => join(day, name));
    const files: KeysOfFile[] = [];
    for (const path of paths) {
      try {
        files.push({ path, keys: await this.#keysOf(path) });
      } catch (error) {
        const isGone = isMissing((error as Error).cause);
        if (!isGone || attempt === TRIES) throw error;
        return this.#filesOf(day, attempt + 1);
      }
    }
    return files.filter(({ keys }) => keys.length > 0);
  }

  async #keysOf(path: string): Promise<RowKey[]> {
    const { name, folder, beginning } = this.#source;
    const { receipt, isKnown } = this.#found;
    const own = producerOf(receipt.identity);
    // Version 1 knew a log by its beginning alone, and kept no receipt.
    const foreign = [producerOf(beginning), ...(isKnown || this.#hasReceipt ? [] : [own])];
    const keys = await readRowKeys(path, [own, ...foreign]);
    if (!keys.some(({ producer }) => foreign.some((prefix) => producer.startsWith(prefix)))) return keys;
    throw new HdrscopeError(
      'ERR_ALREADY_REGISTERED',
      `${path} has rows of a log that begins as ${name} does, and ${join(folder, RECEIPTS)} has no receipt of its import: import ${name} into another folder`,
      { details: { folder, reason: 'no receipt', path } },
    );
  }
}

interface KeysOfFile {
  readonly path: string;
  readonly keys: readonly RowKey[];
}

const TRIES = 3;
const ENDING = '.parquet';

function keyText({ producer, sequence }: Pick<HistoryRow, 'producer' | 'sequence'>): string {
  return `${producer} ${sequence}`;
}

function dayOf({ startMs }: HistoryRow): string {
  return new Date(startMs).toISOString().slice(0, 10);
}

// Rows.

/** The rows of one stretch of time: one for each series with values. */
export type RowGroup = readonly HistoryRow[];

/** The sum of two rows of a series and stretch. Its revision is the number of rows that were added up. */
export function addedRows(sum: HistoryRow, row: HistoryRow): HistoryRow {
  // Rows of one producer and sequence would count once.
  const both = mergeRows([sum, { ...row, sequence: row.sequence + 1 }]);
  return {
    ...sum,
    ...both,
    startMs: Math.min(sum.startMs, row.startMs),
    endMs: Math.max(sum.endMs, row.endMs),
    revision: (sum.revision ?? 0) + (row.revision ?? 0),
  };
}

/** Stands for the producer until the series of a row is known. */
export const PLACEHOLDER = 'import';

/** The producers of the rows of an import, by series: rows of a second import are the rows of the first. */
export class Producers {
  readonly #identity: string;
  readonly #known = new Map<string, string>();

  /** @param identity The identity of what is imported. */
  constructor(identity: string) {
    this.#identity = identity;
  }

  /** The producer of the series of a row. */
  of({ metric, unit, attributes }: HistoryRow): string {
    const key = JSON.stringify([metric, unit, attributes]);
    const producer = this.#known.get(key) ?? `${producerOf(this.#identity)}${shortHash(key)}`;
    this.#known.set(key, producer);
    return producer;
  }
}

/** How the producers of an import begin. */
function producerOf(identity: string): string {
  return `import ${identity} `;
}

// Logs.

// Enough for logs whose values are all 0, or whose writer states no maximum.
const MOST_INTERVALS = 1000;

/**
 * Hashes the beginning of a log: all lines up to the first interval with values. A log that grows, moves or is compressed keeps its
 * beginning. Logs of several writers may begin alike.
 */
export async function hashBeginning(entries: AsyncIterable<LogEntry>): Promise<string> {
  const hash = createHash('sha256');
  let intervals = 0;
  for await (const entry of entries) {
    const line = lineOf(entry);
    if (line !== undefined) hash.update(JSON.stringify(line));
    if (entry.kind !== 'interval') continue;
    if (entry.writtenMax > 0 || ++intervals === MOST_INTERVALS) break;
  }
  return shortHash(hash.digest('hex'));
}

function lineOf(entry: LogEntry): readonly unknown[] | undefined {
  switch (entry.kind) {
    case 'comment':
      return [entry.text];
    case 'start-time':
    case 'base-time':
      return [entry.kind, entry.seconds];
    case 'interval':
      return [entry.tag ?? null, entry.startSec, entry.lengthSec, entry.encoded];
    default:
      return undefined;
  }
}
