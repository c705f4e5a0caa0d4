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

/** Whether a text is a decimal such as `1.5`, and not `0x1`, `1e3` or empty. */
export function isDecimal(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

/** Parses a list such as `50,p99.9,max`; the maximum is percentile 100. */
export function parsePercentileList(text: string, name: string): readonly number[] {
  return text.split(',').map((part) => {
    const percentile = percentileOf(part.trim());
    if (percentile !== undefined) return percentile;
    throw wrongOption(name, 'percentiles from 0 to 100, as in 50,99.9', text);
  });
}

/** The percentile that a text such as `99.9`, `p99.9` or `max` names; `undefined` for other texts. */
export function percentileOf(text: string): number | undefined {
  if (text === 'max') return 100;
  const digits = text.replace(/^p/, '');
  return isDecimal(digits) && Number(digits) <= 100 ? Number(digits) : undefined;
}
