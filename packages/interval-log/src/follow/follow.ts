import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import type { LogEntry } from '../reader/entry.ts';
import { PARSER_NAMES, type ParseLogOptions } from '../reader/parser.ts';
import { FollowedLog } from './followed-log.ts';
import type { FollowNote } from './note.ts';
import { PathWatch } from './path-watch.ts';

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
  log: FollowedLog | undefined;
}

/**
 * Reads a log entry by entry and continues as it grows, until `signal` aborts or the consumer stops. A line without its
 * newline waits, because its writer may be about to write the rest. `followLog` looks when the system reports a change, and every
 * `pollMs`, which works on every file system.
 *
 * Rotations lose no line, even if there are several between two looks: `followLog` reads the old file until its successor has
 * text, and reads the files that had the path meanwhile, plain or compressed by gzip, by their names: that of the log with a
 * number, a date, `.old` or `.bak` after it or before its extension. After a truncation (`copytruncate`) it reads the rest from the
 * copy. It notices a truncation also when the file is longer than before again, by the last bytes that it read. If it cannot
 * read what may have been written, it yields the note `'lost'`. A writer that writes between the copy and the truncation
 * loses lines that no program can read; so does a writer that goes on with the old file after the first line of the new one,
 * until the next rotation.
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
  assertOptions(options, FOLLOW_LOG);
  const { signal, finishSignal, pollMs = 250, memory = new FollowMemory(), ...parsing } = options;
  if (!(pollMs > 0 && Number.isFinite(pollMs))) {
    throw mustBe('ERR_INVALID_OPTION', 'pollMs', 'a finite number above 0', pollMs);
  }
  const isAborted = (): boolean => signal?.aborted === true;
  const ends = AbortSignal.any([signal, finishSignal].filter((one) => one !== undefined));
  let hasCaughtUp = false;
  let watch = new PathWatch(path);
  let log: FollowedLog | undefined;
  try {
    for (let isKnownMissing = false; !isAborted(); ) {
      const isLastLook = finishSignal?.aborted === true;
      if (log === undefined) {
        const known = memory.log;
        if (known === undefined) log = await FollowedLog.open(path, parsing);
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
        if (await log.isReplaced()) {
          yield* log.replace(isAborted);
          continue;
        }
      }
      if (isLastLook) return;
      await watch.wait(pollMs, ends);
    }
  } finally {
    watch.close();
    await log?.close();
  }
}

const FOLLOW_LOG: OptionsOwner<FollowOptions> = {
  name: 'followLog',
  names: { ...PARSER_NAMES, signal: true, finishSignal: true, pollMs: true, memory: true },
  call: "followLog('service.hlog', { pollMs: 250 })",
};
