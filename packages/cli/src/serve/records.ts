import {
  followLog,
  type LogEntry,
  type LogInterval,
  parseSeriesTag,
  type RecordedLog,
  readEntries,
  snapshotsOfLogs,
} from '@hdrscope/interval-log';
import { type CountedUnit, type FamilyOptions, SHOWN_UNITS, type Snapshot } from '@hdrscope/registry';
import type { Io } from '../command.ts';
import { formatCount } from '../format.ts';
import { followNoteText } from '../log/follow-note.ts';

/** A log that the page shows with all its intervals. */
export interface ShownLog {
  readonly path: string;
  /** Its name on the page. */
  readonly title: string;
}

/** How logs are shown. */
export interface RecordOptions {
  /** The unit of values in logs that do not state it. */
  readonly unit: CountedUnit;
  /** Whether the logs grow. */
  readonly follow: boolean;
}

// The page keeps about so many intervals.
const MOST_SNAPSHOTS = 1200;

// A writer writes the lines of an interval at once.
const IDLE_MS = 500;

/** The times of logs, one after the other, for a page. With several logs, each series has the name of its file. */
export function recordOf(logs: readonly ShownLog[], options: RecordOptions, io: Io): AsyncIterable<Snapshot> {
  const recorded = logs.map(({ path, title }): RecordedLog => {
    const entries = options.follow ? followed(path, io) : readEntries(path);
    return {
      entries,
      seriesOf: seriesFinder(options.unit),
      ...(logs.length > 1 && { attributes: { file: title } }),
      onEnd: ({ leftOut, malformed }) => {
        const notes = [
          leftOutText(leftOut, ['interval of doubles', 'intervals of doubles']),
          leftOutText(malformed, ['malformed line', 'malformed lines']),
        ].filter((note) => note !== undefined);
        if (notes.length > 0) warn(io, `${path}: ${notes.join(', ')}`);
      },
    };
  });
  return snapshotsOfLogs(recorded, options.follow ? { idleMs: IDLE_MS } : { mostSnapshots: MOST_SNAPSHOTS });
}

function leftOutText(count: number, [one, several]: readonly [string, string]): string | undefined {
  if (count === 0) return undefined;
  return count === 1 ? `1 ${one} is left out` : `${formatCount(count)} ${several} are left out`;
}

function warn(io: Io, text: string): void {
  // A closed terminal ends the command in another way.
  io.stderr.write(`hdrscope: ${text}\n`).catch(() => {});
}

async function* followed(path: string, io: Io): AsyncGenerator<LogEntry, void> {
  for await (const entry of followLog(path, { signal: io.signal })) {
    const note = followNoteText(entry, path);
    if (note !== undefined) warn(io, note);
    if (isLogEntry(entry)) yield entry;
  }
}

const EVENTS: ReadonlySet<string> = new Set(['missing', 'caught-up', 'truncated', 'replaced', 'lost']);

function isLogEntry(entry: { readonly kind: string }): entry is LogEntry {
  return !EVENTS.has(entry.kind);
}

/** What an interval belongs to in a log that does not describe its families. */
function seriesFinder(unit: CountedUnit): NonNullable<RecordedLog['seriesOf']> {
  const { unit: shown, scale } = SHOWN_UNITS[unit];
  /** That of the first interval: the others of the log are counted alike. */
  let significantDigits: number | undefined;
  return (interval) => {
    significantDigits ??= digitsOf(interval);
    const { name, attributes } = partsOf(interval.tag);
    const family: FamilyOptions = { name, unit: shown, resolution: scale, significantDigits };
    return { family, attributes };
  };
}

const DEFAULT_DIGITS = 3;

function digitsOf(interval: LogInterval): number {
  try {
    const histogram = interval.histogram({ storage: 'sparse' });
    return 'layout' in histogram ? histogram.layout.significantDigits : DEFAULT_DIGITS;
  } catch {
    return DEFAULT_DIGITS;
  }
}

// The name of values that a log does not name.
const UNNAMED = 'values';

/** A tag of the form `NAME?KEY=VALUE&…` has the name and the attributes; of any other tag, it is the attribute. */
function partsOf(tag: string | undefined): {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
} {
  if (tag === undefined) return { name: UNNAMED, attributes: {} };
  if (!tag.includes('?')) return { name: UNNAMED, attributes: { tag } };
  try {
    return parseSeriesTag(tag);
  } catch {
    return { name: UNNAMED, attributes: { tag } };
  }
}
