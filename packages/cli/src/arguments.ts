import { Command, CommanderError } from 'commander';
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
    .description(description)
    .helpOption('-h, --help', 'prints this')
    .addHelpText('after', `\nexamples:\n${examples.map((example) => `  ${example}`).join('\n')}`)
    .configureHelp({ helpWidth: 100 });
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
