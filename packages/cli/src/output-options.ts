import { dirname, extname } from 'node:path';
import { type FileParts, type NewFile, replaceFile, replaceFiles } from '@hdrscope/kit/files';
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
  ['yaml', ['yaml']],
  ['yml', ['yaml']],
  ['bash', ['bash']],
  ['sh', ['bash']],
  ['zsh', ['zsh']],
  ['fish', ['fish']],
  ['log', ['log']],
  ['sql', ['sql']],
  ['gz', []],
]);

/**
 * The format that a command line asks for, else that of its file's ending; `undefined` when neither says one.
 *
 * @param path The command, for messages.
 * @param written What a command without formats writes.
 * @throws UsageError when it asks for two, names a format where the file belongs, or the file has an ending that stands for nothing that the
 *   command writes: people expect what the ending says.
 */
export function chooseFormat<Format extends string>(
  options: OutputOptions<Format>,
  formats: readonly Format[],
  path: string,
  written: readonly string[] = formats,
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
  const ending = findEnding(output ?? '');
  if (asked.length > 0 || ending === undefined || written.length === 0) return asked[0];
  const fitting = ENDINGS.get(ending) ?? [];
  const found = written.find((one) => fitting.includes(one));
  // A command without formats has nothing to choose.
  if (found !== undefined) return formats.find((one) => one === found);
  const known = written.map((one) => {
    const endings = listEndings([one]);
    return endings.length === 0 ? one : `${one} (${endings.join(', ')})`;
  });
  const cure = formats.length > 0 ? '--format says which' : 'a file without an ending is taken, too';
  throw wrongEnding(output!, path, known, cure);
}

/** @param written What the command writes, with endings. */
export function wrongEnding(
  output: string,
  path: string,
  written: readonly string[],
  cure: string,
): UsageError {
  return new UsageError(
    `--output ${output} has the ending of a format that ${path} does not write: it writes ${written.join(', ')}, and ${cure}`,
  );
}

/** The ending of the name of a file: letters, and digits after the first one. `undefined` where there is none, as in `.profile`. */
export function findEnding(file: string): string | undefined {
  return /^\.([a-z]\w*)$/i.exec(extname(file))?.[1]?.toLowerCase();
}

/** The formats that the ending of a file stands for; `undefined` for any other ending. */
export function findFormats(file: string): readonly string[] | undefined {
  return ENDINGS.get(findEnding(file) ?? '');
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

/**
 * Writes a file, which appears when it is complete: see `replaceFile`.
 *
 * @throws Refusal when the file cannot be created.
 */
export async function writeWhole(parts: FileParts, path: string, signal: AbortSignal): Promise<void> {
  await refusingToWrite([path], () => replaceFile(parts, path, signal));
}

/**
 * Writes files, which appear when all are complete: see `replaceFiles`.
 *
 * @throws Refusal when one cannot be created.
 */
export async function writeAll(files: readonly NewFile[], signal: AbortSignal): Promise<void> {
  await refusingToWrite(
    files.map(({ path }) => path),
    () => replaceFiles(files, signal),
  );
}

async function refusingToWrite(paths: readonly string[], write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const { syscall, path: failed = '' } = error as NodeJS.ErrnoException;
    if (!FAILED_TO_CREATE.has(syscall)) throw error;
    // The message has the name that the person gave, not the temporary one.
    const path = paths.find((one) => failed.startsWith(one)) ?? paths[0]!;
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
