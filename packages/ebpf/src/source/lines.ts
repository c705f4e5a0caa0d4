import { StringDecoder } from 'node:string_decoder';

/** Receives the lines of a stream. */
export interface LineEvents {
  onLine(line: string): void;
  /** Called for a line that is too long. All of the line is left out. */
  onTooLong(): void;
}

/** The longest line that is read, in characters. bpftrace prints a variable with all its keys in one line. */
export const LONGEST_LINE: number = 2 ** 25;

/**
 * Reads the lines of a stream. Without a limit, a stream without line feeds would fill the memory.
 *
 * @returns A function that ends reading.
 */
export function followLines(stream: NodeJS.ReadableStream, events: LineEvents): () => void {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;
  let isTooLong = false;
  const add = (piece: string): void => {
    length += piece.length;
    if (length <= LONGEST_LINE) {
      pieces.push(piece);
      return;
    }
    pieces = [];
    if (!isTooLong) events.onTooLong();
    isTooLong = true;
  };
  const endLine = (): void => {
    const line = pieces.join('');
    if (!isTooLong) events.onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    pieces = [];
    length = 0;
    isTooLong = false;
  };
  const onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      add(text.slice(from, end));
      endLine();
      from = end + 1;
    }
    if (from < text.length) add(text.slice(from));
  };
  const onEnd = (): void => {
    if (length > 0) endLine();
  };
  stream.on('data', onData);
  stream.on('end', onEnd);
  return () => {
    stream.removeListener('data', onData);
    stream.removeListener('end', onEnd);
    stream.pause();
  };
}
