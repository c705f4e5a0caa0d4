import { type Argument, Command, CommanderError, type Option } from 'commander';
import { type Io, UsageError } from './command.ts';
import { helpColumns, wrapCommand, wrapItem, wrapText } from './screen/help-text.ts';

export interface Arguments {
  readonly options: object;
  readonly operands: readonly string[];
}

/**
 * Creates the parser of a command's arguments, which also prints `--help`.
 *
 * @param path The command as people type it: `hdrscope log summary`.
 */
export function createParser(path: string, description: string, examples: readonly string[]): Command {
  const parser = new Command(path).description(description).helpOption('-h, --help', 'prints this');
  return parser
    .addHelpText(
      'after',
      () => `\nexamples:\n${examples.map((example) => exampleText(example, columnsOf(parser))).join('\n')}`,
    )
    .configureHelp({
      optionDescription: (option) => help(option),
      argumentDescription: (argument) => help(argument),
      commandUsage: (command) =>
        wrapCommand(`${command.name()} ${command.usage()}`, columnsOf(command) - USAGE.length),
      boxWrap: wrapText,
      formatItem: (term, termWidth, meaning) => wrapItem(term, termWidth, meaning, columnsOf(parser)),
    });
}

const USAGE = 'Usage: ';

function columnsOf(parser: Command): number {
  return parser.configureHelp().helpWidth ?? 80;
}

function exampleText(example: string, columns: number): string {
  return `  ${wrapCommand(example, columns - 2).replaceAll('\n', '\n  ')}`;
}

/** `what it is (ns, us, ms; default: ms)`. The text may describe a default that is not a literal. */
function help({ description, argChoices, defaultValue, defaultValueDescription }: Option | Argument): string {
  const isShown = defaultValue !== undefined && typeof defaultValue !== 'boolean';
  const fallback = defaultValueDescription ?? (isShown ? String(defaultValue) : undefined);
  const facts = [argChoices?.join(', '), fallback === undefined ? undefined : `default: ${fallback}`];
  const more = facts.filter((fact) => fact !== undefined).join('; ');
  return more === '' ? description : `${description} (${more})`;
}

/**
 * Reads the arguments of a command.
 *
 * @returns `undefined` when the arguments ask for help, which is then printed.
 * @throws UsageError
 */
export async function readArguments(
  parser: Command,
  args: readonly string[],
  io: Io,
): Promise<Arguments | undefined> {
  let help = '';
  parser.configureHelp({ ...parser.configureHelp(), helpWidth: helpColumns(io) });
  parser.exitOverride().configureOutput({
    writeOut: (text) => {
      help += text;
    },
    outputError: () => {},
  });
  try {
    parser.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code !== 'commander.helpDisplayed') {
      const message = suggestSynonym(error, parser) ?? error.message.replace(/^error: /, '');
      throw new UsageError(`${message}\n${parser.name()} --help lists the options`);
    }
    await io.stdout.write(help);
    return undefined;
  }
  return { options: parser.opts(), operands: parser.args };
}

/** Options that other commands and tools call by other names. A similar spelling, such as `--format` for `--from`, means something else. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  '--since': ['--from', '--start', '--begin'],
  '--until': ['--to', '--end', '--till'],
  '--from': ['--since', '--start'],
  '--to': ['--until', '--end'],
};

/** The message for an option that a command knows by another name. */
function suggestSynonym({ code, message }: CommanderError, parser: Command): string | undefined {
  const [, flag = ''] =
    /^error: unknown option '(--[a-z-]+)/.exec(code === 'commander.unknownOption' ? message : '') ?? [];
  const meant = parser.options.find(({ long }) => SYNONYMS[long ?? '']?.includes(flag));
  return meant && `unknown option '${flag}'\n(Did you mean ${meant.long}?)`;
}

/**
 * Builds the error for an option that must be one thing and is another.
 *
 * @param hint The end of the message.
 */
export function wrongOption(name: string, allowed: string, got: string, hint = ''): UsageError {
  return new UsageError(`${name} must be ${allowed}, got '${got}'${hint}`);
}

/** Refuses a command line for the first reason that holds. @throws UsageError */
export function refuse(reasons: readonly (readonly [holds: boolean, message: string])[]): void {
  const [, message] = reasons.find(([holds]) => holds) ?? [];
  if (message !== undefined) throw new UsageError(message);
}

// Numbers of a command line.

/** Reads a decimal such as `1.5`. @returns `NaN` for other texts, such as `0x1`, `1e3` and an empty one. */
export function readDecimal(text: string): number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

/** Reads the number of a percentage such as `99.9%` or `99.9 %`. @returns `NaN` for other texts. */
export function readPercent(text: string): number {
  return readDecimal(/^(.+?) ?%$/.exec(text)?.[1] ?? '');
}

/** Reads the percentile that a text such as `99.9`, `p99.9` or `max` names; `undefined` for other texts. */
export function readPercentile(text: string): number | undefined {
  const percentile = text === 'max' ? 100 : readDecimal(text.replace(/^p/, ''));
  return percentile <= 100 ? percentile : undefined;
}

/** Makes a reader of numbers in a range, whose ends are excluded. The reader returns `undefined` for all other numbers and `NaN`. */
export function between(
  least: number,
  most: number,
  read: (text: string) => number = readDecimal,
): (text: string) => number | undefined {
  return (text) => {
    const number = read(text);
    return number > least && number < most ? number : undefined;
  };
}
