import type { Io } from '../command.ts';
import { terminalControl } from './clean-output.ts';

/** Shows the progress of a long operation on a terminal. */
interface Progress {
  add(bytes: number): void;
  finish(): void;
}

const FIRST_AFTER_MS = 1000;
const EVERY_MS = 100;
const ERASE = terminalControl('\r\u001b[K');

/**
 * @param totalBytes `undefined` when the total is unknown.
 * @param isWanted `false` when the output of the command goes to the same terminal.
 */
function startProgress(io: Io, totalBytes: number | undefined, isWanted: boolean): Progress {
  if (!isWanted || !io.stderr.isTerminal) return { add: () => {}, finish: () => {} };
  const startMs = io.monotonicMs();
  let bytes = 0;
  let nextMs = startMs + FIRST_AFTER_MS;
  let isShown = false;
  const write = (text: string): void => {
    // A closed terminal ends the command in another way.
    io.stderr.write(text).catch(() => {});
  };
  return {
    add: (more) => {
      bytes += more;
      const nowMs = io.monotonicMs();
      if (nowMs < nextMs) return;
      nextMs = nowMs + EVERY_MS;
      isShown = true;
      const width = (io.stderr.columns || 80) - 1;
      write(`${ERASE}${formatProgress(bytes, totalBytes, (nowMs - startMs) / 1000, width)}`);
    },
    finish: () => {
      if (isShown) write(ERASE);
      isShown = false;
    },
  };
}

/** `12.3 of 40.1 MB (31 %), 55.0 MB/s, 1 s left`. A narrow terminal shows the share and the time left. */
export function formatProgress(
  bytes: number,
  totalBytes: number | undefined,
  seconds: number,
  width = Number.POSITIVE_INFINITY,
): string {
  const megabytes = (count: number): string => (count / 1e6).toFixed(1);
  const perSecond = bytes / seconds;
  const rate = `${megabytes(perSecond)} MB/s`;
  const choose = (...texts: readonly string[]): string =>
    texts.find(({ length }) => length <= width) ?? texts.at(-1)!.slice(0, width);
  if (totalBytes === undefined || bytes > totalBytes)
    return choose(`${megabytes(bytes)} MB, ${rate}`, `${megabytes(bytes)} MB`);
  const percent = Math.floor((100 * bytes) / totalBytes);
  const left = bytes === 0 ? '' : `, ${Math.ceil((totalBytes - bytes) / perSecond)} s left`;
  const share = `${megabytes(bytes)} of ${megabytes(totalBytes)} MB (${percent} %)`;
  return choose(`${share}, ${rate}${left}`, `${share}${left}`, `${percent} %${left}`, `${percent} %`);
}

/** Gets the bytes that a command reads. */
export interface ReadingProgress {
  /** Shows the progress. Throws when the command is aborted, which ends the reading. */
  readonly onBytes: (bytes: number) => void;
  /** Aborted when the command has to end. */
  readonly signal: AbortSignal;
  /** Removes the progress when everything is read. */
  readonly finish: () => void;
  /** Writes a note to standard error above the progress. */
  readonly note: (text: string) => Promise<void>;
}

/** `startProgress` for commands that read. */
export function startReading(io: Io, totalBytes: number | undefined, isWanted = true): ReadingProgress {
  const { add, finish } = startProgress(io, totalBytes, isWanted);
  return {
    onBytes: (bytes) => {
      io.signal.throwIfAborted();
      add(bytes);
    },
    signal: io.signal,
    finish,
    note: (text) => {
      // The progress appears again with the next bytes.
      finish();
      return io.stderr.write(`hdrscope: ${text}\n`);
    },
  };
}
