import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  callback,
  custom,
  type OptionNames,
  type OptionRule,
  text,
} from '@hdrscope/core/internal';

/**
 * A text in UTF-8 and without compression: all of it, or in chunks that may end anywhere. A `Uint8Array`, a stream of Node.js, the `body`
 * of a response and any iterable of chunks are such bytes.
 */
export type TextBytes =
  | Uint8Array
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>
  | ReadableStream<Uint8Array>;

/** How a text is read. */
export interface ReadTextOptions {
  /** The name of the text, for messages. @default 'the text' */
  readonly name?: string | undefined;
}

/** The rules of {@link ReadTextOptions}. */
export const TEXT_NAMES: OptionNames<ReadTextOptions> = { name: text };

/** A line that is left out. */
export interface BadLine {
  /** The number of the line, from 1. */
  readonly lineNumber: number;
  /** A sentence: the text, the line and the fault. */
  readonly message: string;
}

/** How the lines of a text are read. */
export interface ReadLinesOptions extends ReadTextOptions {
  /** Takes the lines that are left out. @default a bad line ends the reading with an error */
  readonly onBadLine?: ((line: BadLine) => void) | undefined;
}

/** The rules of {@link ReadLinesOptions}. */
export const LINE_NAMES: OptionNames<ReadLinesOptions> = { ...TEXT_NAMES, onBadLine: callback() };

/** Throws the error of a bad line. @throws HdrscopeError `ERR_DECODE` */
export function refuseLine({ lineNumber, message }: BadLine): never {
  throw new HdrscopeError('ERR_DECODE', message, { details: { line: lineNumber } });
}

/** Reads a line, and leaves it out when it is malformed. @throws HdrscopeError `ERR_INCOMPATIBLE`: the whole text is unfit. */
export function leaveOutBad(
  lineNumber: number,
  { name = 'the text', onBadLine = refuseLine }: ReadLinesOptions,
  read: () => void,
): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof HdrscopeError) || error.code === 'ERR_INCOMPATIBLE') throw error;
    onBadLine({ lineNumber, message: `${name}: line ${lineNumber}: ${error.message}` });
  }
}

/** The rule of the bytes of a text. */
const textBytes = custom<TextBytes>('bytes, or an iterable of them', (bytes) => {
  if (typeof bytes !== 'object') return false;
  const { [Symbol.iterator]: each, [Symbol.asyncIterator]: eachLater } = bytes as never;
  return typeof (each ?? eachLater) === 'function';
});

/** The rule of bytes in one piece. */
export const byteArray: OptionRule<Uint8Array> = custom(
  'a Uint8Array',
  (bytes) => bytes instanceof Uint8Array,
);

/** The chunks of a text. @throws HdrscopeError `ERR_INVALID_OPTION` when `bytes` is not iterable, or a chunk is not a `Uint8Array` */
export async function* chunksOf(bytes: TextBytes): AsyncGenerator<Uint8Array, void> {
  assertFollows('the bytes', textBytes, bytes);
  for await (const chunk of bytes instanceof Uint8Array ? [bytes] : (bytes as AsyncIterable<Uint8Array>)) {
    assertFollows('a chunk of the bytes', byteArray, chunk);
    yield chunk;
  }
}

const LARGEST_BYTES = 2 ** 26;

/**
 * The chunks of bytes that are read as a whole.
 *
 * @param what The kind of bytes, for the error when there are too many.
 * @throws HdrscopeError `ERR_TOO_LARGE` when there are more than 64 MiB. An error of the source gets the name of the bytes.
 */
export async function* limitWhole(
  bytes: TextBytes,
  what: string,
  { name = 'the text' }: ReadTextOptions = {},
): AsyncGenerator<Uint8Array, void> {
  let length = 0;
  try {
    for await (const chunk of chunksOf(bytes)) {
      length += chunk.length;
      if (length > LARGEST_BYTES) break;
      yield chunk;
    }
  } catch (error) {
    throw named(error, name);
  }
  if (length <= LARGEST_BYTES) return;
  throw new HdrscopeError(
    'ERR_TOO_LARGE',
    `${name} is longer than ${what} may be, which is read as a whole: give it in parts of at most 64 MiB`,
    { details: { what, most: LARGEST_BYTES } },
  );
}

/** Reads a whole text: see {@link limitWhole}. @throws HdrscopeError `ERR_TOO_LARGE`, and the errors of the source */
export async function readText(
  bytes: TextBytes,
  what: string,
  options: ReadTextOptions = {},
): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for await (const chunk of limitWhole(bytes, what, options))
    parts.push(decoder.decode(chunk, { stream: true }));
  return parts.join('') + decoder.decode();
}

/** An error of hdrscope, with the name of the text in front of its message; any other error unchanged. */
export function named(error: unknown, name: string): unknown {
  if (!(error instanceof HdrscopeError)) return error;
  return new HdrscopeError(error.code, `${name}: ${error.message}`, { cause: error, details: error.details });
}

/** Calls a reader. An error of hdrscope gets the name of the text in front of its message. */
export async function withName<Result>(name: string, read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw named(error, name);
  }
}

// A line is one request. Longer ones must not fill the memory.
const LONGEST_LINE = 2 ** 20;

/**
 * Reads the lines of a text, without their ends. A gzip stream that is cut short ends with a bad line.
 *
 * @param onLine Gets the number of the line, from 1.
 */
export async function readLines(
  bytes: TextBytes,
  { name = 'the text', onBadLine = refuseLine }: ReadLinesOptions,
  onLine: (line: string, lineNumber: number) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let lineNumber = 0;
  let rest = '';
  const finish = (line: string): void => {
    lineNumber++;
    if (line.length > LONGEST_LINE) {
      onBadLine({ lineNumber, message: `${name}: line ${lineNumber} is longer than 1 MiB` });
    } else if (line !== '') onLine(line.endsWith('\r') ? line.slice(0, -1) : line, lineNumber);
  };
  try {
    for await (const chunk of chunksOf(bytes)) {
      const text = decoder.decode(chunk, { stream: true });
      let from = 0;
      for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
        finish(rest + text.slice(from, to));
        rest = '';
        from = to + 1;
      }
      // Only the length of a line that is too long is of use.
      if (rest.length <= LONGEST_LINE) rest += text.slice(from);
    }
  } catch (error) {
    if (!isCut(error)) throw error;
    onBadLine({ lineNumber: lineNumber + 1, message: `${name}: line ${lineNumber + 1}: ${error.message}` });
    return;
  }
  if (rest !== '') finish(rest);
}

/** Whether an error of a source says that its text was cut short, as `readUtf8` of the logs says it. */
export function isCut(error: unknown): error is HdrscopeError {
  return error instanceof HdrscopeError && error.code === 'ERR_LOG_FORMAT';
}
