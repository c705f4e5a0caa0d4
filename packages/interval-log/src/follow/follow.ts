import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import {
  assertFollows,
  custom,
  filledText,
  number,
  type OptionRule,
  type OptionRules,
  optional,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import type { LogEntry } from '../reader/entry.ts';
import { LogParser, limit, PARSER_RULES, type ParseLogOptions } from '../reader/parser.ts';
import { FollowedLog, type FollowNote } from './followed-log.ts';
import type { ChunkParser } from './reading.ts';
import { type FollowedBytes, WholeLines } from './whole-lines.ts';

/** Options of `followLog`. */
export interface FollowOptions extends ParseLogOptions {
  /** Ends the iteration, without an error. @default it ends when the consumer stops */
  readonly signal?: AbortSignal;
  /**
   * The memory of an earlier `followLog` of the same path, which has ended. This one goes on where that one stopped, also after a
   * rotation. The parser's options are those of the first one. @default reads the file from its start
   */
  readonly memory?: FollowMemory;
  /** Ends the iteration too, but only after one more look at the file: every whole line that it has by then is read. @default none */
  readonly finishSignal?: AbortSignal;
  /** Time between two looks at the file, in milliseconds. Above 0. @default 250 */
  readonly pollMs?: number;
}

/**
 * How far `followLog` has read a log. When it has ended by one of its signals, a later `followLog` with the same memory goes on there, and
 * reads each line once.
 */
export class FollowMemory {
  /** @internal */
  log: FollowedLog<LogEntry> | undefined;
}

/**
 * Reads a log entry by entry and continues as it grows, until `signal` aborts or the consumer stops. A line without its
 * newline waits, because its writer may be about to write the rest. `followLog` looks when the system reports a change, and every
 * `pollMs`, which works on every file system.
 *
 * Rotations lose no line, even if there are several between two looks: `followLog` reads the old file until its successor has
 * text, and reads the files that had the path meanwhile, plain or compressed by gzip, by their names: that of the log with a
 * number, a date, `.old` or `.bak` after it or before its extension. It leaves out a file only if it has certainly read it: the
 * file has the same device and inode and the last bytes that were read, or the same length or more and the same hash. Of files from
 * before, and of more than 8 rotations ago, it compares the length and a hash of both ends. A common beginning is no such proof. After
 * a truncation (`copytruncate`) it reads the rest from the copy. It notices a truncation also when the file is longer than before
 * again, by the last bytes that it read. If it cannot read what may have been written, it yields the note `'lost'`. A writer that
 * writes between the copy and the truncation loses lines that no program can read; so does a writer that goes on with the old file
 * after the first line of the new one, until the next rotation.
 *
 * A look reads the new bytes and the last line again, at most 64 KiB of it. It reads the directory when the directory has changed, and
 * once more 2 s later; then each new copy and each newly compressed file is read whole, once. In memory are, for the log and each of
 * the 8 files before it, a hash, the first 4 KiB and the last 64 KiB that were read, and a line without its end, up to 1 MiB; and
 * about 100 bytes for each rotated file, of at most 10,000.
 *
 * Errors of the file system are thrown unchanged, except that a missing file is waited for.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range; `ERR_LOG_FORMAT` when the
 *   file is compressed; `ERR_TOO_LARGE` when a file has more than `maxMalformed` malformed lines.
 */
export async function* followLog(
  path: string,
  options: FollowOptions = {},
): AsyncGenerator<LogEntry | FollowNote, void> {
  assertFollows('the path', filledText('the path of a file'), path);
  const { signal, finishSignal, pollMs, ...settings } = readOptions(options, FOLLOW_LOG);
  const { memory = new FollowMemory(), ...parsing } = settings;
  yield* followFile(path, () => new LogParser(parsing), { signal, finishSignal, pollMs, memory });
}

/** Reads any text as `followLog` reads a log. A last line without its newline gets one when another file follows. */
export function followBytes(
  path: string,
  { signal, pollMs }: { readonly signal: AbortSignal; readonly pollMs: number },
): AsyncGenerator<FollowedBytes | FollowNote, void> {
  return followFile(path, () => new WholeLines(), { signal, finishSignal: undefined, pollMs, memory: {} });
}

interface FollowSettings<Entry> {
  readonly signal: AbortSignal | undefined;
  readonly finishSignal: AbortSignal | undefined;
  readonly pollMs: number;
  readonly memory: { log?: FollowedLog<Entry> | undefined };
}

async function* followFile<Entry>(
  path: string,
  makeParser: () => ChunkParser<Entry>,
  { signal, finishSignal, pollMs, memory }: FollowSettings<Entry>,
): AsyncGenerator<Entry | FollowNote, void> {
  const isAborted = (): boolean => signal?.aborted === true;
  const ends = AbortSignal.any([signal, finishSignal].filter((one) => one !== undefined));
  let hasCaughtUp = false;
  let watch = new PathWatch(path);
  let log: FollowedLog<Entry> | undefined;
  try {
    for (let isKnownMissing = false; !isAborted(); ) {
      const isLastLook = finishSignal?.aborted === true;
      if (log === undefined) {
        const known = memory.log;
        if (known === undefined) log = await FollowedLog.open(path, makeParser);
        else if (await known.reopen()) log = known;
        memory.log = log ?? known;
        if (log === undefined && !isKnownMissing) yield { kind: 'missing' };
        isKnownMissing = log === undefined;
      }
      if (log !== undefined) {
        if (watch.path !== log.realPath) {
          watch.close();
          watch = new PathWatch(log.realPath);
        }
        if (log.wasReplaced) {
          yield* log.restart(isAborted, 'replaced');
          continue;
        }
        const isSame = yield* log.readOn(isAborted);
        if (isAborted()) return;
        if (!isSame) {
          yield* log.restart(isAborted, 'truncated');
          continue;
        }
        if (!hasCaughtUp) yield { kind: 'caught-up' };
        hasCaughtUp = true;
        const state = await log.pathState();
        if (state === 'replaced') {
          yield* log.replace(isAborted);
          continue;
        }
        if (state === 'same') yield* log.readMissed(isAborted, isLastLook);
      }
      if (isLastLook) return;
      await watch.wait(pollMs, ends);
    }
  } finally {
    watch.close();
    await log?.close();
  }
}

/** What ends a reading. */
export const abortSignal: OptionRule<AbortSignal> = custom(
  'an AbortSignal',
  (value) => value instanceof AbortSignal,
);

const FOLLOW_LOG = {
  name: 'followLog',
  rules: {
    ...PARSER_RULES,
    maxMalformed: withDefault(limit, Number.POSITIVE_INFINITY),
    signal: optional(abortSignal),
    finishSignal: optional(abortSignal),
    pollMs: withDefault(number({ above: 0 }), 250),
    memory: optional(custom<FollowMemory>('a FollowMemory', (memory) => memory instanceof FollowMemory)),
  } satisfies OptionRules<FollowOptions>,
  call: "followLog('service.hlog', { pollMs: 250 })",
};

// Each line of a busy writer is an event.
const SHORTEST_WAIT_MS = 10;

/** Waits for changes of a path: until the system reports one, or for a while, because not every file system reports them. */
class PathWatch {
  readonly #path: string;
  #watcher: FSWatcher | undefined;
  #hasChanged = false;
  #onChange = ignored;

  constructor(path: string) {
    this.#path = path;
    const name = basename(path);
    try {
      this.#watcher = watch(dirname(path), { persistent: false }, (_, changed) => {
        if (changed !== null && changed !== name) return;
        this.#hasChanged = true;
        this.#onChange();
      });
      this.#watcher.once('error', () => this.close());
    } catch {
      // There are too many watches, or the directory does not exist: polling remains.
    }
  }

  get path(): string {
    return this.#path;
  }

  /** Resolves after this time, soon after a change, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const soonMs = Math.min(SHORTEST_WAIT_MS, ms);
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#onChange = ignored;
        resolve();
      };
      let timer = setTimeout(end, this.#hasChanged ? soonMs : ms);
      if (!this.#hasChanged) {
        this.#onChange = () => {
          this.#onChange = ignored;
          clearTimeout(timer);
          timer = setTimeout(end, soonMs);
        };
      }
      signal.addEventListener('abort', end, { once: true });
    });
    this.#hasChanged = false;
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}

function ignored(): void {}
