import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, rmSync, type Stats } from 'node:fs';
import { chmod, chown, realpath, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { type Io, Refusal, UsageError } from './command.ts';
import { systemErrorText } from './system-error.ts';

/** The options that say what a command writes, and where. */
export interface OutputOptions<Format extends string = string> {
  /** A path; `-` is standard output. */
  readonly output?: string;
  readonly format?: Format;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly raw?: boolean;
}

/** Formats that have an option of their own. */
export const SHORT_FORMATS = ['json', 'markdown', 'raw'] as const;

/** `-o, --output`: where a command writes. */
export const OUTPUT = {
  short: '-o',
  value: '<file>',
  help: 'where to write, instead of standard output (-); the file appears when it is complete, and may be one of the inputs',
} as const;

/** The formats of files, by their endings. No command compresses what it writes. */
const ENDINGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['xml', ['junit']],
  ['md', ['markdown']],
  ['json', ['json']],
  ['jsonl', ['ndjson']],
  ['ndjson', ['ndjson']],
  ['csv', ['csv']],
  ['hgrm', ['hgrm']],
  ['hlog', ['hlog', 'v2']],
  ['svg', ['svg']],
  ['png', ['png']],
  ['html', ['html']],
  ['txt', ['text']],
  ['gz', []],
]);

/**
 * The format that a command line asks for, else that of its file's ending; `undefined` when neither says one.
 *
 * @param path The command, for messages.
 * @throws UsageError when it asks for two, names a format where the file belongs, or the file has the ending of a format that the
 *   command does not write.
 */
export function chooseFormat<Format extends string>(
  options: OutputOptions<Format>,
  formats: readonly Format[],
  path: string,
): Format | undefined {
  const { output, format } = options;
  if (formats.some((one) => one === output)) {
    throw new UsageError(
      `--output is the file: --format ${output} says what is written; ./${output} is a file of that name`,
    );
  }
  const short = SHORT_FORMATS.filter((name) => options[name] === true);
  const asked = [...new Set<string>(format === undefined ? short : [...short, format])] as Format[];
  if (asked.length > 1) {
    const names = asked.map((name) => (short.some((one) => one === name) ? `--${name}` : `--format ${name}`));
    throw new UsageError(`${names.join(' and ')} exclude each other`);
  }
  const fitting = findFormats(output ?? '');
  if (asked.length > 0 || fitting === undefined || formats.length === 0) return asked[0];
  const found = formats.find((one) => fitting.includes(one));
  if (found !== undefined) return found;
  throw new UsageError(
    `--output ${output} has the ending of a format that ${path} does not write: it writes ${formats.join(', ')}, and --format says which`,
  );
}

/** The formats that the ending of a file stands for; `undefined` for any other ending. */
export function findFormats(file: string): readonly string[] | undefined {
  const [, ending = ''] = /\.(\w+)$/.exec(file) ?? [];
  return ENDINGS.get(ending.toLowerCase());
}

/** The endings that stand for some formats, as in `.json`. */
export function listEndings(formats: readonly string[]): string[] {
  return [...ENDINGS].flatMap(([ending, fitting]) =>
    fitting.some((one) => formats.includes(one)) ? [`.${ending}`] : [],
  );
}

/** Runs a command whose output goes to a file when `path` names one. The file appears when the command is done. */
export async function withOutput(
  path: string | undefined,
  io: Io,
  work: (io: Io) => Promise<number>,
): Promise<number> {
  if (path === undefined || path === '-') return work(io);
  const texts: string[] = [];
  const write = async (text: string): Promise<void> => {
    texts.push(text);
  };
  const exitCode = await work({ ...io, stdout: { isTerminal: false, columns: undefined, write } });
  await writeWhole(texts, path, io.signal);
  return exitCode;
}

// Files.

const BATCH_CHARACTERS = 2 ** 16;

/** Writes lines to standard output or to a file. A file has another name until it is complete. */
export async function writeLines(
  lines: AsyncIterable<string>,
  path: string | undefined,
  io: Io,
): Promise<void> {
  if (path === undefined || path === '-') {
    for await (const batch of batches(lines)) await io.stdout.write(batch);
  } else await writeWhole(batches(lines), path, io.signal);
}

type Parts = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * Writes a file, which has another name until it is complete. A file that is there already is replaced, and keeps its mode and its
 * owner; of a symbolic link, the file that it leads to. A pipe or a device is written to directly.
 *
 * @throws Refusal when the file cannot be created.
 */
export async function writeWhole(parts: Parts, path: string, signal: AbortSignal): Promise<void> {
  try {
    const found = await stat(path).catch(absent);
    // Only a plain file can be replaced as a whole.
    if (found !== undefined && !found.isFile()) await writeParts(parts, path, 'w', signal);
    else await replace(parts, found === undefined ? path : await realpath(path), found, signal);
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    if (!FAILED_TO_CREATE.has(syscall)) throw error;
    // The message has the name that the person gave, not the temporary one.
    throw new Refusal(`cannot write ${path}: ${obstacleOf(error, path)}`, { cause: error });
  }
}

/** Why a file cannot be written. */
function obstacleOf(error: unknown, path: string): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return `there is no folder ${dirname(path)}`;
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
      return 'permission denied';
    default:
      return systemErrorText(error, path);
  }
}

const FAILED_TO_CREATE: ReadonlySet<string | undefined> = new Set([
  ...['open', 'stat', 'chmod', 'rename', 'realpath'],
]);

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** @param found The file to replace; `undefined` when the path is free. */
async function replace(
  parts: Parts,
  path: string,
  found: Stats | undefined,
  signal: AbortSignal,
): Promise<void> {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.unfinished`;
  const remove = (): void => rmSync(unfinished, { force: true });
  // The process may end at a signal while the command still works.
  process.once('exit', remove);
  try {
    // Nobody else may have made a file of this name, or a link.
    await writeParts(parts, unfinished, 'wx', signal, found === undefined ? 0o666 : 0o600);
    if (found !== undefined) {
      // Only root can give a file to somebody else.
      await chown(unfinished, found.uid, found.gid).catch(() => {});
      await chmod(unfinished, found.mode & 0o777);
    }
    await rename(unfinished, path);
  } catch (error) {
    remove();
    throw error;
  } finally {
    process.off('exit', remove);
  }
}

async function writeParts(
  parts: Parts,
  path: string,
  flags: 'w' | 'wx',
  signal: AbortSignal,
  mode = 0o666,
): Promise<void> {
  const stream = createWriteStream(path, { flags, mode });
  // The loop finds an error of the stream by `errored`.
  stream.on('error', () => {});
  try {
    await once(stream, 'open', { signal });
    for await (const part of parts) {
      signal.throwIfAborted();
      if (stream.errored !== null) throw stream.errored;
      if (!stream.write(part)) await once(stream, 'drain', { signal });
    }
    stream.end();
    await finished(stream, { signal });
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

async function* batches(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let batch = '';
  for await (const line of lines) {
    batch += line;
    if (batch.length < BATCH_CHARACTERS) continue;
    yield batch;
    batch = '';
  }
  if (batch !== '') yield batch;
}
