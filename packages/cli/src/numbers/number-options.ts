import { type Command, Option } from 'commander';
import { integerParser, wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';

/** Where a text has its numbers, as the command line says. */
export interface NumberOptions {
  /** The path to a field of JSON, as in `request.latency`. */
  readonly field?: string;
  /** The name of a column, or its number from 1. */
  readonly column?: string;
  readonly separator?: string;
  /** How many lines at the beginning are left out. */
  readonly skip?: number;
}

/** Adds `--field`, `--column`, `--separator` and `--skip` to a command that counts numbers. */
export function addNumberOptions(parser: Command): Command {
  return parser
    .option(
      '--field <path>',
      'for JSON, an object per line: the field with the numbers, as in latency or request.ms',
    )
    .addOption(
      new Option(
        '--column <name>',
        'for CSV and other tables: the column with the numbers, by its title or from 1',
      )
        .argParser(parseColumn)
        .default(undefined, 'the line is one number'),
    )
    .addOption(
      new Option('--separator <character>', 'the character between columns; \\t is a tab')
        .argParser(parseSeparator)
        .default(undefined, 'recognised'),
    )
    .addOption(
      new Option('--skip <lines>', 'how many lines at the beginning of each file are ignored')
        .argParser(integerParser('--skip', 0))
        .default(undefined, '0, and the titles of columns'),
    );
}

/** @throws UsageError */
export function assertNumberOptions({ field, column, separator }: NumberOptions): void {
  if (field !== undefined && column !== undefined) {
    throw new UsageError('--field and --column exclude each other: JSON has fields, and tables have columns');
  }
  if (separator !== undefined && column === undefined) {
    throw new UsageError('--separator needs --column, the column that has the numbers');
  }
}

function parseColumn(text: string): string {
  if (text.trim() !== '' && !/^(0+|-\d+|\d+\.\d+)$/.test(text)) return text.trim();
  throw wrongOption('--column', 'the title of a column, or its number from 1', text);
}

function parseSeparator(text: string): string {
  const character = text === '\\t' ? '\t' : text;
  // A digit or a point could belong to the number.
  if (!/^[\t !-*,/:-~]$/.test(character) || /[a-z]/i.test(character)) {
    throw wrongOption(
      '--separator',
      'one ASCII character that is no part of a number, such as , or \\t',
      text,
    );
  }
  return character;
}
