import { type HistoryRow, rowsBetween } from '@hdrscope/history';
import { type LogEntry, snapshotsOfLogs } from '@hdrscope/interval-log';
import { isFamilyNote, type RecordedLog } from '@hdrscope/interval-log/internal';
import type { Snapshot } from '@hdrscope/registry';
import { addedRows, PLACEHOLDER, Producers, type RowGroup } from './imported-files.ts';

/**
 * Makes rows of a log. An interval belongs to the stretch in which it starts; stretches begin at multiples of their length since 1970.
 *
 * Rows depend on the log alone: each series is a producer, named by the log and the series, and its rows have the beginnings of their
 * stretches as sequences. So rows of a second import are the rows of the first.
 *
 * @param identity The identity of the log. It is called when rows are made.
 */
export async function* rowsOfLog(
  log: RecordedLog,
  everyMs: number,
  identity: () => string,
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
      const own = { ...row, producer: producers.of(row), sequence: ofMs };
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
    for await (const snapshot of snapshotsOfLogs([{ ...log, entries: days.next() }])) {
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
