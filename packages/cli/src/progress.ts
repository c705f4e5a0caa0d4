import type { Io } from './command.ts';

/** Shows on a terminal how far a long work is. */
interface Progress {
  add(bytes: number): void;
  /** Takes it away again. */
  finish(): void;
}

const FIRST_AFTER_MS = 500;
const EVERY_MS = 100;
const ERASE = '\r\u001b[K';

/**
 * @param totalBytes `undefined` where nobody knows.
 * @param isWanted `false` where the lines of the work itself go to the same terminal.
 */
function startProgress(io: Io, totalBytes: number | undefined, isWanted: boolean): Progress {
  if (!isWanted || !io.stderr.isTerminal) return { add: () => {}, finish: () => {} };
  const startMs = io.monotonicMs();
  let bytes = 0;
  let nextMs = startMs + FIRST_AFTER_MS;
  let isShown = false;
  const write = (text: string): void => {
    // A terminal that is gone ends the work by other ways.
    io.stderr.write(text).catch(() => {});
  };
  return {
    add: (more) => {
      bytes += more;
      const nowMs = io.monotonicMs();
      if (nowMs < nextMs) return;
      nextMs = nowMs + EVERY_MS;
      isShown = true;
      const text = formatProgress(bytes, totalBytes, (nowMs - startMs) / 1000);
      write(`${ERASE}${text.slice(0, (io.stderr.columns || 80) - 1)}`);
    },
    finish: () => {
      if (isShown) write(ERASE);
      isShown = false;
    },
  };
}

/** `12.3 of 40.1 MB (31 %), 55.0 MB/s, 1 s left` */
export function formatProgress(bytes: number, totalBytes: number | undefined, seconds: number): string {
  const megabytes = (count: number): string => (count / 1e6).toFixed(1);
  const perSecond = bytes / seconds;
  const rate = `${megabytes(perSecond)} MB/s`;
  if (totalBytes === undefined || bytes > totalBytes) return `${megabytes(bytes)} MB, ${rate}`;
  const percent = Math.floor((100 * bytes) / totalBytes);
  const leftSec = Math.ceil((totalBytes - bytes) / perSecond);
  return `${megabytes(bytes)} of ${megabytes(totalBytes)} MB (${percent} %), ${rate}, ${leftSec} s left`;
}

/** What reading tells of the bytes that it takes. */
export interface ReadingProgress {
  /** Shows the progress, and ends the reading when the command is to end. */
  readonly onBytes: (bytes: number) => void;
  /** When all was read: takes the progress away. */
  readonly finish: () => void;
  /** Tells of something in between, on standard error. */
  readonly note: (text: string) => Promise<void>;
}

/** As `startProgress`, for what reads. */
export function startReading(io: Io, totalBytes: number | undefined, isWanted = true): ReadingProgress {
  const { add, finish } = startProgress(io, totalBytes, isWanted);
  return {
    onBytes: (bytes) => {
      io.signal.throwIfAborted();
      add(bytes);
    },
    finish,
    note: (text) => {
      // Shown anew when more is read.
      finish();
      return io.stderr.write(`hdrscope: ${text}\n`);
    },
  };
}
