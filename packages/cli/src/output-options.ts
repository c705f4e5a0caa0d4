import type { Command } from 'commander';
import { choiceOption } from './arguments.ts';
import { type Io, UsageError } from './command.ts';
import { writeWhole } from './output-file.ts';

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
const SHORT = ['json', 'markdown', 'raw'] as const;

/** Adds `-o, --output`: where a command writes. */
export function addOutput(parser: Command): Command {
  return parser.option(
    '-o, --output <file>',
    'where to write, instead of standard output (-); the file appears when it is complete, and may be one of the inputs',
  );
}

/**
 * Adds `--format`, which says what a command writes, and `--json`, `--markdown` and `--raw` for the formats of these names.
 *
 * @param notes What the formats are, for the help.
 * @param fallback The format without the option, for the help. @default the first one
 */
export function addFormat(
  parser: Command,
  formats: readonly string[],
  notes = '',
  fallback: string | undefined = formats[0],
): Command {
  const help = `what is written${notes === '' ? '' : `: ${notes}`}`;
  parser.addOption(choiceOption('--format <name>', help, formats).default(undefined, fallback));
  for (const name of SHORT) {
    if (formats.includes(name)) parser.option(`--${name}`, `the same as --format ${name}`);
  }
  return parser;
}

/**
 * The format that a command line asks for.
 *
 * @throws UsageError when it asks for two, or names a format where the file belongs.
 */
export function formatOf<Format extends string>(
  options: OutputOptions<Format>,
  formats: readonly Format[],
): Format | undefined {
  const { output, format } = options;
  if (formats.some((one) => one === output)) {
    throw new UsageError(
      `--output is the file: --format ${output} says what is written; ./${output} is a file of that name`,
    );
  }
  const asked = new Set<string>(SHORT.filter((name) => options[name] === true));
  if (format !== undefined) asked.add(format);
  if (asked.size > 1) {
    const names = [...asked].map((name) =>
      options[name as keyof OutputOptions] ? `--${name}` : `--format ${name}`,
    );
    throw new UsageError(`${names.join(' and ')} exclude each other`);
  }
  return [...asked][0] as Format | undefined;
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
