import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type HistoryRow, writeRows } from '@hdrscope/history';
import { Refusal } from '../command.ts';
import { systemErrorText } from '../system-error.ts';
import type { RowGroup } from './imported-rows.ts';

/** What an import has written. */
export interface Imported {
  rows: number;
  /** Rows that an earlier import has written. */
  knownRows: number;
  /** In milliseconds since 1970; `undefined` before the first new row. */
  firstMs: number | undefined;
  lastMs: number | undefined;
}

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
  readonly imported: Imported = { rows: 0, knownRows: 0, firstMs: undefined, lastMs: undefined };
  readonly #facts: ImportFacts;
  #rows: HistoryRow[] = [];
  #slots = 0;
  #isChecked = false;

  constructor(facts: ImportFacts) {
    this.#facts = facts;
  }

  /** Takes the rows of the next stretch of time, which do not go back in time. @throws Refusal, HdrscopeError */
  async add(rows: RowGroup): Promise<void> {
    const [first] = this.#rows;
    const isOtherDay = first !== undefined && dayOf(first) !== dayOf(rows[0]!);
    if (isOtherDay || this.#slots >= MOST_SLOTS) await this.flush();
    for (const row of rows) {
      this.#rows.push(row);
      this.#slots += row.k.length + SLOTS_OF_ROW;
    }
  }

  /** Writes the rows that wait. @throws Refusal, HdrscopeError */
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

  /** @throws Refusal when the log was imported with other options, which would count it twice. */
  async #assertSameOptions(): Promise<void> {
    const { name, folder, identity, options } = this.#facts;
    const mark = `-import-${identity()}-`;
    for (const day of await namesIn(folder)) {
      if (!day.startsWith('day=')) continue;
      for (const file of await namesIn(join(folder, day))) {
        if (!file.includes(mark) || file.includes(`${mark}${options}-`)) continue;
        throw new Refusal(
          `${name} is in ${folder} already, imported with another --every, --unit, --metric or --attribute; to import it anew, first remove ${join(folder, 'day=*', `*${mark}*${ENDING}`)}`,
        );
      }
    }
  }
}

const ENDING = '.parquet';

function dayOf({ startMs }: HistoryRow): string {
  return new Date(startMs).toISOString().slice(0, 10);
}

/** The names in a folder, which need not exist. @throws Refusal */
async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Refusal(systemErrorText(error, path), { cause: error });
  }
}
