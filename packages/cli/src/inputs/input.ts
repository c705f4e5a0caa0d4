import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import { type InputForm, type RecordedFigures, recogniseInput } from '@hdrscope/inputs';
import {
  BEGINNING_BYTES,
  BegunStream,
  type Patience,
  readText,
  recogniseOtlpFile,
  recogniseStream,
} from '@hdrscope/inputs/internal';
import type { LogSource } from '@hdrscope/interval-log';
import { readText as readBeginning, readUtf8 } from '@hdrscope/interval-log/internal';
import { Slices } from '@hdrscope/kit';
import { type Io, Refusal, UsageError } from '../command.ts';
import { refusing } from '../system-error.ts';
import type { OpenedSketch } from './read-sketch.ts';

/** The forms of input that most commands take. */
export type InputKind = Extract<
  InputForm,
  'log' | 'percentiles' | 'encoded' | 'numbers' | 'recorded' | 'json'
>;

/** A file or stream that a command takes and has not read yet. */
export interface Input<Kind extends InputForm = InputKind> {
  readonly kind: Kind;
  /** Its name in messages. */
  readonly name: string;
  /** Its name in plots. */
  readonly title: string;
  /** The whole input, from its beginning. */
  readonly source: LogSource;
  /** Its first lines, decompressed, or all of them. */
  readonly beginning: string;
  /** The distribution of another program that the figures are. @default figures are read from the source */
  readonly sketch?: OpenedSketch;
  /** The values of a load test by stretches of time, once the source is read. @default their times are not known */
  readonly stretches?: () => readonly RecordedFigures[];
}

// Recognition of a file or stream.

/** A file or stream, and its kind by its content. */
interface Recognised {
  /** `undefined` when its beginning is not enough. */
  readonly kind: InputForm | undefined;
  /** The whole input, from its beginning. */
  readonly source: LogSource;
  /** Its first lines, decompressed, or all of them. */
  readonly beginning: string;
}

/** Recognises a file or stream by its beginning. A stream can be read only once, so its source begins with what was read. */
export async function recognise(
  path: string,
  isFile: boolean,
  io: Io,
  patience: Patience,
): Promise<Recognised> {
  if (isFile) {
    const beginning = await readBeginning(path, BEGINNING_BYTES);
    const isWhole = patience === 'beginning' && beginning.length < BEGINNING_BYTES;
    const kind = recogniseInput(beginning, { isWhole });
    // The beginning of protobuf is no text.
    const isOther = kind === undefined || kind === 'binary';
    const isOtlp = isOther && (await recogniseOtlpFile(path)) !== undefined;
    return { kind: isOtlp ? 'otlp' : kind, source: path, beginning };
  }
  const stream = path === '-' ? io.stdin : createReadStream(path, { signal: io.signal });
  return recogniseStream(stream, path, patience);
}

/** The name of a source in messages. */
export function nameOf(source: LogSource): string {
  if (typeof source === 'string') return source;
  return source instanceof BegunStream ? nameOfPath(source.path) : nameOfPath('-');
}

// Files.

/**
 * The size of an input file in bytes; `undefined` for pipes and everything else that is not a plain file.
 *
 * @throws Refusal
 */
export async function sizeOf(path: string): Promise<number | undefined> {
  const found = await refusing(path, () => stat(path));
  if (found.isDirectory()) throw new Refusal(`${path} is a folder, and a file is needed`);
  return found.isFile() ? found.size : undefined;
}

/** The name of a path in messages. */
export function nameOfPath(path: string): string {
  return path === '-' ? 'standard input' : path;
}
// Reading.

/** Calls a reader, whose errors become those of the command. @throws Refusal, UsageError */
export async function explained<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw explanation(error);
  }
}

/** The error of a reader as one of the command: an option that does not fit the input is a wrong command line. */
export function explanation(error: unknown): unknown {
  if (!(error instanceof HdrscopeError)) return error;
  const { message, code } = error;
  return new (code === 'ERR_INVALID_OPTION' ? UsageError : Refusal)(message, { cause: error });
}

/** The text of an input, decompressed, with pauses in which others work. An error that `onBytes` throws ends the reading. */
export async function* bytesOf(
  { source }: Pick<Input, 'source'>,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void> {
  const slices = new Slices();
  for await (const chunk of readUtf8(source, onBytes)) {
    yield chunk;
    if (!slices.isOver()) continue;
    await slices.next();
    // Ends the work when the command has to end.
    onBytes?.(0);
  }
}

/**
 * Reads a whole input, decompresses it, and returns its text.
 *
 * @param what The kind of input, for the error when it is too long.
 * @param onBytes Gets the number of bytes of each chunk of the source.
 * @throws Refusal
 */
export function wholeText(
  input: Pick<Input, 'name' | 'source'>,
  what: string,
  onBytes?: (bytes: number) => void,
): Promise<string> {
  return explained(() => readText(bytesOf(input, onBytes), what, input));
}
