import { type Argument, Command, CommanderError, Option } from 'commander';
import { type Io, UsageError } from './command.ts';

/** A command line, understood. */
export interface Arguments<Options> {
  readonly options: Options;
  readonly operands: readonly string[];
}

/**
 * What reads the arguments of a command and tells of them with `--help`.
 *
 * @param path As the command is typed: `hdrscope log summary`.
 */
export function createParser(path: string, description: string, examples: readonly string[]): Command {
  return new Command(path)
    .description(unwrapped(description))
    .helpOption('-h, --help', 'prints this')
    .addHelpText('after', `\nexamples:\n${examples.map((example) => `  ${example}`).join('\n')}`)
    .configureHelp({
      helpWidth: HELP_WIDTH,
      optionDescription: (option) => told(option),
      argumentDescription: (argument) => told(argument),
    });
}

const HELP_WIDTH = 100;

/** Lines of a paragraph in one: the help breaks them where it has to. Lists are indented, and stay as they are. */
function unwrapped(text: string): string {
  return text.replace(/(?<=\S)\n(?=\S)/g, ' ');
}

/** `what it is (ns, us, ms; default: ms)`. A default may be told that is no value. */
function told({ description, argChoices, defaultValue, defaultValueDescription }: Option | Argument): string {
  const isShown = defaultValue !== undefined && typeof defaultValue !== 'boolean';
  const fallback = defaultValueDescription ?? (isShown ? String(defaultValue) : undefined);
  const facts = [argChoices?.join(', '), fallback === undefined ? undefined : `default: ${fallback}`];
  const more = facts.filter((fact) => fact !== undefined).join('; ');
  return more === '' ? description : `${description} (${more})`;
}

/**
 * Reads the arguments of a command.
 *
 * @returns `undefined` when help was asked for, and printed.
 * @throws UsageError
 */
export async function readArguments<Options>(
  parser: Command,
  args: readonly string[],
  io: Io,
): Promise<Arguments<Options> | undefined> {
  io.onParser?.(parser);
  let help = '';
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
      const message = error.message.replace(/^error: /, '');
      throw new UsageError(`${message}\n${parser.name()} --help lists the options`);
    }
    await io.stdout.write(help);
    return undefined;
  }
  return { options: parser.opts() as Options, operands: parser.args };
}

/** An option that is one of several words, which the help and a shell's completion tell; `parse` refuses any other. */
export function choiceOption<T>(
  flags: string,
  description: string,
  choices: readonly string[],
  parse: (text: string) => T,
): Option {
  return new Option(flags, description).choices(choices).argParser(parse);
}

/** Builds the error for an option that must be one thing and is another. */
export function wrongOption(name: string, allowed: string, got: string): UsageError {
  return new UsageError(`${name} must be ${allowed}, got '${got}'`);
}

/** `1.5`, not `0x1`, `1e3` or nothing. */
export function isDecimal(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

/** A list such as `50,99.9`. */
export function parsePercentileList(text: string, name: string): readonly number[] {
  const parts = text.split(',').map((part) => part.trim().replace(/^p/, ''));
  const isRight = parts.every((part) => isDecimal(part) && Number(part) <= 100);
  if (!isRight) throw wrongOption(name, 'percentiles from 0 to 100, as in 50,99.9', text);
  return parts.map(Number);
}
