import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  callback,
  filledText,
  type OptionsOwner,
  oneOf,
} from '@hdrscope/core/internal';
import { type HistoryRow, rowsBetween } from '@hdrscope/history';
import { type LogEntry, type LogSource, readEntries } from '@hdrscope/interval-log';
import { isFamilyNote, type RecordedLog, readUtf8, snapshotsWithin } from '@hdrscope/interval-log/internal';
import type { CountedUnit, Snapshot } from '@hdrscope/registry';
import { NUMBER_UNITS } from '../numbers/number-unit.ts';
import { findPlace } from './import-places.ts';
import { assertSame, type ImportSource, identifyImport } from './import-receipts.ts';
import {
  addedRows,
  assertPartOfDay,
  hashBeginning,
  IMPORT_NAMES,
  ImportedFiles,
  type ImportedRows,
  type ImportOptions,
  PLACEHOLDER,
  Producers,
  type RowGroup,
} from './imported-files.ts';
import { SERIES_LIMITS, seriesFinder, UNNAMED } from './logged-series.ts';
import { hashed, PrefixHash } from './prefix-hash.ts';
import { withRereadable } from './rereadable.ts';
import { shortHash } from './short-hash.ts';

/** How a log is imported. */
export interface ImportLogOptions extends ImportOptions {
  /** The unit of values in a log that does not state it. @default 'ns' */
  readonly unit?: CountedUnit;
  /** The name of values in a log that does not state it. @default 'values' */
  readonly metric?: string;
  /** Gets the number of bytes of each chunk of the source. An error that it throws ends the import. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** What became of a log. */
export interface ImportedLog {
  /** What was written. */
  readonly imported: ImportedRows;
  /** How many intervals of doubles were left out, which a history cannot have. */
  readonly leftOut: number;
  /** How many intervals were left out because their histogram cannot be decoded. */
  readonly undecodable: number;
}

/**
 * Adds an interval log to a history of Parquet files: a row for each series and stretch of time. A log is known by the bytes that were
 * imported and by its place: importing it again adds nothing, and importing it when it has grown adds what is new, also when rotation has
 * renamed or compressed it. The import refuses the same bytes in another place, because they may be the log of another host. Give each
 * log an attribute, such as `host`, that says which one it is. For bytes and streams the attribute `host` is the place; without it, their
 * place is unknown.
 *
 * @param source It is read several times; a stream is kept in a temporary file meanwhile.
 * @param folder The folder of the history. It is made if it does not exist.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `everyMs` does not divide a day; `ERR_LOG_TIME` when the log does not say when it was
 *   written; `ERR_ALREADY_REGISTERED` when its values may be there already: imported with other options, from another place, or as a part
 *   of a longer log; `ERR_HISTORY_FILE` when a file cannot be read or written, or the log is replaced while it is read.
 *   An error of the source or of the file system is thrown unchanged.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { Histogram } from '@hdrscope/core';
 * import { importLog } from '@hdrscope/inputs/history';
 * import { formatInterval } from '@hdrscope/interval-log';
 *
 * const histogram = new Histogram();
 * histogram.record(5_000_000);
 * const startSec = Date.UTC(2026, 10, 10) / 1000;
 * const log = new TextEncoder().encode(formatInterval(histogram, { startSec, endSec: startSec + 1 }));
 * const folder = await mkdtemp(join(tmpdir(), 'history-'));
 * const options = { metric: 'rpc.duration', attributes: { host: 'a7' } };
 * (await importLog(log, folder, options)).imported.rows; //=> 1
 * (await importLog(log, folder, options)).imported.knownRows; //=> 1
 * ```
 */
export async function importLog(
  source: LogSource,
  folder: string,
  options: ImportLogOptions = {},
): Promise<ImportedLog> {
  assertOptions(options, IMPORT_LOG);
  assertFollows('the folder', filledText('the path of a folder'), folder);
  const { everyMs = DEFAULT_EVERY_MS } = options;
  assertPartOfDay(everyMs);
  const isPath = typeof source === 'string' || source instanceof URL;
  const place = await findPlace(isPath ? source : undefined, options.attributes?.host);
  return withRereadable(source, (again) => importAgain(again, place, folder, options));
}

const DEFAULT_EVERY_MS = 60_000;

/** Imports a log that can be read several times. */
async function importAgain(
  source: string | URL | Uint8Array,
  place: ImportSource['place'],
  folder: string,
  options: ImportLogOptions,
): Promise<ImportedLog> {
  const { unit = 'ns', metric = UNNAMED, attributes = {}, onBytes, onMalformed } = options;
  const { everyMs = DEFAULT_EVERY_MS } = options;
  const name = options.name ?? (typeof source === 'string' ? source : 'the log');
  const from: ImportSource = {
    ...{ name, folder, place, attributes },
    beginning: await hashBeginning(readEntries(source)),
    options: shortHash(JSON.stringify([everyMs, unit, metric])),
    read: (path) => readUtf8(path ?? source),
  };
  const found = await identifyImport(from);
  const { identity } = found.receipt;
  const files = new ImportedFiles(from, found);
  const content = new PrefixHash([found.content.bytes]);
  // `readUtf8` reports the bytes of the source. `readEntries` would report those of the text again, so only its pauses are passed on.
  const onPause = (bytes: number): void => {
    if (bytes === 0) onBytes?.(0);
  };
  const refusedNotes = new Set<number>();
  let badLines = 0;
  let leftOut = 0;
  let malformedOfLog = 0;
  const log: RecordedLog = {
    entries: seen(readEntries(hashed(readUtf8(source, onBytes), content), { onBytes: onPause }), (entry) => {
      if (entry.kind === 'malformed') {
        badLines++;
        onMalformed?.(entry);
      }
      if (entry.kind === 'interval' && entry.startSec < YEAR_SEC) throw withoutTimes(name);
    }),
    attributes,
    seriesOf: seriesFinder(unit, metric),
    onRefusedNote: (error) => {
      const lineNumber = Number(error.details.line);
      if (refusedNotes.has(lineNumber)) return;
      refusedNotes.add(lineNumber);
      onMalformed?.({ kind: 'malformed', lineNumber, error });
    },
    onEnd: (result) => {
      // Called for each day.
      leftOut += result.leftOut;
      malformedOfLog += result.malformed;
    },
  };
  for await (const rows of rowsOfLog(log, everyMs, identity)) await files.add(rows);
  assertSame(content, found, name);
  await files.flush();
  return { imported: files.imported, leftOut, undecodable: malformedOfLog - badLines };
}

// The reader of logs decides the same way: times within a year of 1970 are not since 1970.
const YEAR_SEC = 365 * 24 * 3600;

function withoutTimes(name: string): HdrscopeError<'ERR_LOG_TIME'> {
  return new HdrscopeError(
    'ERR_LOG_TIME',
    `${name} does not say when it was written: begin it with the line #[BaseTime: SECONDS (seconds since epoch)]`,
  );
}

async function* seen(
  entries: AsyncIterable<LogEntry>,
  see: (entry: LogEntry) => void,
): AsyncGenerator<LogEntry, void> {
  for await (const entry of entries) {
    see(entry);
    yield entry;
  }
}

// Rows.

/**
 * Makes rows of a log. An interval belongs to the stretch in which it starts; stretches begin at multiples of their length since 1970.
 *
 * Rows depend on the log alone: each series is a producer, named by the log and the series, and its rows have the beginnings of their
 * stretches as sequences. So rows of a second import are the rows of the first.
 *
 * @param identity The identity of the log.
 */
async function* rowsOfLog(
  log: RecordedLog,
  everyMs: number,
  identity: string,
): AsyncGenerator<RowGroup, void> {
  const producers = new Producers(identity);
  const stretchOf = ({ timeMs }: Snapshot): number => Math.floor(timeMs / everyMs) * everyMs;
  let stretchMs: number | undefined;
  /** The sum of the intervals of the stretch so far, by series. */
  const sums = new Map<string, HistoryRow>();
  for await (const { before, snapshot } of pairsOfLog(log)) {
    // What this snapshot adds was counted after the one before.
    const ofMs = stretchOf(before);
    if (ofMs !== stretchMs && sums.size > 0) {
      yield [...sums.values()];
      sums.clear();
    }
    stretchMs = ofMs;
    // Older snapshots are dear: each interval is read while it is the newest.
    for (const row of rowsBetween(before, snapshot, { producer: PLACEHOLDER })) {
      const own = { ...row, producer: producers.of(row), sequence: ofMs, revision: 1 };
      const sum = sums.get(own.producer);
      sums.set(own.producer, sum === undefined ? own : addedRows(sum, own));
    }
  }
  if (sums.size > 0) yield [...sums.values()];
}

interface Pair {
  readonly before: Snapshot;
  readonly snapshot: Snapshot;
}

/** Neighbouring snapshots of a log. Each day has a registry of its own, because a registry takes memory for each snapshot. */
async function* pairsOfLog(log: RecordedLog): AsyncGenerator<Pair, void> {
  const days = new Days(log.entries);
  while (!days.isAtEnd) {
    let before: Snapshot | undefined;
    for await (const snapshot of snapshotsWithin(SERIES_LIMITS, [{ ...log, entries: days.next() }])) {
      if (before !== undefined) yield { before, snapshot };
      before = snapshot;
    }
  }
}

const DAY_SEC = 86_400;

/** Cuts a log where a later day begins. Each part has the families that the log has described so far. */
class Days {
  isAtEnd = false;
  readonly #entries: AsyncIterator<LogEntry>;
  readonly #families = new Map<string, LogEntry>();
  #first: LogEntry | undefined;

  constructor(entries: AsyncIterable<LogEntry>) {
    this.#entries = entries[Symbol.asyncIterator]();
  }

  async *next(): AsyncGenerator<LogEntry, void> {
    yield* [...this.#families.values()];
    let day: number | undefined;
    if (this.#first?.kind === 'interval') {
      day = Math.floor(this.#first.startSec / DAY_SEC);
      yield this.#first;
    }
    for (;;) {
      const { value: entry, done } = await this.#entries.next();
      if (done === true) break;
      if (entry.kind === 'interval') {
        const ofDay = Math.floor(entry.startSec / DAY_SEC);
        if (day !== undefined && ofDay > day) {
          this.#first = entry;
          return;
        }
        day ??= ofDay;
      } else if (entry.kind === 'comment' && isFamilyNote(entry.text)) {
        // The first of equal notes: a log repeats them in each of its files.
        if (!this.#families.has(entry.text)) this.#families.set(entry.text, entry);
      }
      yield entry;
    }
    this.isAtEnd = true;
  }
}

const IMPORT_LOG: OptionsOwner<ImportLogOptions> = {
  name: 'importLog',
  names: {
    ...IMPORT_NAMES,
    unit: oneOf(NUMBER_UNITS),
    metric: filledText(),
    onBytes: callback(),
  },
  call: "importLog(source, folder, { metric: 'rpc.duration' })",
};
