import { createHash, type Hash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { type HistoryRow, mergeRows, writeRows } from '@hdrscope/history';
import type { LogEntry, MalformedLine } from '@hdrscope/interval-log';

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

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertPartOfDay(everyMs: number): void {
  if (Number.isInteger(everyMs) && everyMs >= 1 && DAY_MS % everyMs === 0) return;
  throw mustBe('ERR_INVALID_OPTION', 'everyMs', 'a number of milliseconds that divides a day', everyMs);
}

export const DAY_MS = 86_400_000;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface ImportFacts {
  /** The log's name in messages. */
  readonly name: string;
  readonly folder: string;
  /** The identity of the log. */
  readonly identity: () => string;
  /** A text that imports with equal options share. */
  readonly options: string;
}

// About 16 MiB of rows.
const MOST_SLOTS = 500_000;
const SLOTS_OF_ROW = 20;

/**
 * Writes rows to the files of a history. The name of a file says which part of which log it has, so an import that is repeated finds what
 * is there, also when the log has grown meanwhile.
 */
export class ImportedFiles {
  readonly imported: Writable<ImportedRows> = {
    rows: 0,
    knownRows: 0,
    firstMs: undefined,
    lastMs: undefined,
  };
  readonly #facts: ImportFacts;
  #rows: HistoryRow[] = [];
  #slots = 0;
  #isChecked = false;

  constructor(facts: ImportFacts) {
    this.#facts = facts;
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
    if (!this.#isChecked) await this.#assertSameOptions();
    this.#isChecked = true;
    const { folder, identity, options } = this.#facts;
    const day = join(folder, `day=${dayOf(first)}`);
    const firstMs = rows.reduce((least, { startMs }) => Math.min(least, startMs), first.startMs);
    const lastMs = rows.reduce((most, { endMs }) => Math.max(most, endMs), first.endMs);
    // The sequence is the start of the stretch of time, so it does not depend on which series have values in it.
    const begin = `${first.sequence}-import-${identity()}-${options}-`;
    const others = (await namesIn(day)).filter((name) => name.startsWith(begin) && name.endsWith(ENDING));
    const { imported } = this;
    if (others.some((name) => Number(name.slice(begin.length, -ENDING.length)) >= lastMs)) {
      imported.knownRows += rows.length;
      return;
    }
    await writeRows(join(day, `${begin}${lastMs}${ENDING}`), rows);
    // An earlier import wrote these files when the log was shorter. The new file has their rows.
    for (const name of others) await rm(join(day, name), { force: true });
    imported.rows += rows.length;
    imported.firstMs = Math.min(imported.firstMs ?? firstMs, firstMs);
    imported.lastMs = Math.max(imported.lastMs ?? lastMs, lastMs);
  }

  /** @throws HdrscopeError `ERR_ALREADY_REGISTERED` when the log was imported with other options, which would count it twice. */
  async #assertSameOptions(): Promise<void> {
    const { name, folder, identity, options } = this.#facts;
    const mark = `-import-${identity()}-`;
    for (const day of await namesIn(folder)) {
      if (!day.startsWith('day=')) continue;
      for (const file of await namesIn(join(folder, day))) {
        if (!file.includes(mark) || file.includes(`${mark}${options}-`)) continue;
        const path = join(folder, 'day=*', `*${mark}*${ENDING}`);
        throw new HdrscopeError(
          'ERR_ALREADY_REGISTERED',
          `${name} is in ${folder} already, imported with other options; to import it anew, first remove ${path}`,
          { details: { folder, path } },
        );
      }
    }
  }
}

const ENDING = '.parquet';

function dayOf({ startMs }: HistoryRow): string {
  return new Date(startMs).toISOString().slice(0, 10);
}

/** The names in a folder, which need not exist. */
async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

// Rows.

/** The rows of one stretch of time: one for each series with values. */
export type RowGroup = readonly HistoryRow[];

/** The sum of two rows of a series and stretch. */
export function addedRows(sum: HistoryRow, row: HistoryRow): HistoryRow {
  // Rows of one producer and sequence would count once.
  const both = mergeRows([sum, { ...row, sequence: row.sequence + 1 }]);
  return {
    ...sum,
    ...both,
    startMs: Math.min(sum.startMs, row.startMs),
    endMs: Math.max(sum.endMs, row.endMs),
  };
}

/** Stands for the producer until the series of a row is known. */
export const PLACEHOLDER = 'import';

/** The producers of the rows of an import, by series: rows of a second import are the rows of the first. */
export class Producers {
  readonly #identity: () => string;
  readonly #known = new Map<string, string>();

  /** @param identity The identity of what is imported. It is called when rows are made. */
  constructor(identity: () => string) {
    this.#identity = identity;
  }

  /** The producer of the series of a row. */
  of({ metric, unit, attributes }: HistoryRow): string {
    const key = JSON.stringify([metric, unit, attributes]);
    const producer = this.#known.get(key) ?? `import ${this.#identity()} ${shortHash(key)}`;
    this.#known.set(key, producer);
    return producer;
  }
}

const HEX_DIGITS = 16;

/** 64 bits of a hash, in hexadecimal digits. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HEX_DIGITS);
}

// Logs.

// Enough for logs whose values are all 0, or whose writer states no maximum.
const MOST_INTERVALS = 1000;

/**
 * The identity of a log by its content: a hash of all lines up to the first interval with values. A log that grows, moves or is compressed
 * keeps it. Two logs of one writer differ in their start, and two writers in what they count first.
 */
export class LogIdentity {
  readonly #hash: Hash = createHash('sha256');
  #intervals = 0;
  #text: string | undefined;

  /** Takes the next entry of the log. */
  take(entry: LogEntry): void {
    if (this.#text !== undefined) return;
    const line = lineOf(entry);
    if (line !== undefined) this.#hash.update(JSON.stringify(line));
    if (entry.kind !== 'interval') return;
    if (entry.writtenMax > 0 || ++this.#intervals === MOST_INTERVALS) this.#finish();
  }

  /** 16 hexadecimal digits. It never changes after the first call. */
  get text(): string {
    return this.#text ?? this.#finish();
  }

  #finish(): string {
    this.#text = shortHash(this.#hash.digest('hex'));
    return this.#text;
  }
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
