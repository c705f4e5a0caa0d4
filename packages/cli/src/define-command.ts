import { suggestion } from '@hdrscope/kit';
import { Argument, type Command, Option } from 'commander';
import { type Arguments, createParser, wrongOption } from './arguments.ts';
import { ExitCode, type Io, UsageError } from './command.ts';
import { chooseFormat, OUTPUT, type OutputOptions, SHORT_FORMATS, withOutput } from './output-options.ts';
import { cleanFor } from './screen/clean-output.ts';

/** An option of a command: what the help says of it, and how its text becomes a value. The key in its table is its name. */
export interface OptionDefinition {
  /** The value in the help, as in `<file>`; one in brackets may be left out. @default the option is a switch */
  readonly value?: `<${string}>` | `[${string}]`;
  /** A short form, as in `-n`. */
  readonly short?: string;
  readonly help: string;
  /** The words that the option takes. */
  readonly choices?: readonly string[];
  /**
   * The value of a text; `undefined` for a text that the option does not take. Gets the name of the option, for messages of its own, and the
   * value so far.
   * @default the text
   */
  readonly parse?: (text: string, name: string, before: never) => unknown;
  /** What the option must be, for the message about other texts. @default `parse` throws a `UsageError` for them */
  readonly allowed?: string;
  /** Whether the option may be repeated: its value is then the list of all values, and empty without the option. */
  readonly isRepeated?: true;
  /** The value without the option. */
  readonly default?: unknown;
  /** What the help states as the default, where it is no literal. */
  readonly fallback?: string;
  /** Makes the option required. The text says what it takes, as in `a value, as in 5ms`. */
  readonly required?: string;
}

/** Options by their names: `perDecade` is `--per-decade`, and `noPlot` is `--no-plot`, which sets `plot`. */
export type OptionTable = Readonly<Record<string, OptionDefinition>>;

type ValueOf<One> = One extends { readonly isRepeated: true } ? readonly OneValueOf<One>[] : OneValueOf<One>;

type OneValueOf<One> = One extends {
  readonly parse: (text: string, name: string, before: never) => infer Value;
}
  ? Exclude<Value, undefined>
  : One extends { readonly choices: readonly (infer Word)[] }
    ? Word
    : One extends { readonly value: `[${string}` }
      ? string | true
      : One extends { readonly value: string }
        ? string
        : boolean;

type KeyOf<Name> = Name extends `no${infer Rest}`
  ? Rest extends '' | Uncapitalize<Rest>
    ? Name
    : Uncapitalize<Rest>
  : Name;

type IsGiven =
  | { readonly isRepeated: true }
  | { readonly required: string }
  | { readonly default: NonNullable<unknown> };

/** The values of a table of options. Those without a default may be left out. */
export type OptionsOf<Table> = {
  readonly [Name in keyof Table as Table[Name] extends IsGiven ? KeyOf<Name> : never]: ValueOf<Table[Name]>;
} & {
  readonly [Name in keyof Table as Table[Name] extends IsGiven ? never : KeyOf<Name>]?: ValueOf<Table[Name]>;
};

export function defineOption<const One extends OptionDefinition>(option: One): One {
  return option;
}

export function defineOptions<const Table extends OptionTable>(table: Table): Table {
  return table;
}

/** An operand of a command, whose syntax is its key: `<file...>`, or `[file]` for one that may be left out. */
interface OperandDefinition {
  readonly help: string;
  /** The words that the operand takes. */
  readonly choices?: readonly string[];
  /** What the help states as the default. */
  readonly fallback?: string;
}

/** What a command line asks for. */
export interface Given<Options, Format extends string = string> {
  readonly options: Options & OutputOptions<Format>;
  readonly operands: readonly string[];
  /** What is written: the format that is asked for, else that of the file's ending, else the first one of the command. */
  readonly format: Format;
}

/** A command: its arguments, what it writes, and what it does. */
interface CommandDefinition<Table extends OptionTable, Format extends string, Service> {
  /** The command as people type it: `hdrscope log summary`. */
  readonly path: string;
  readonly description: string;
  readonly examples: readonly string[];
  /** The help of each operand, by its syntax. */
  readonly operands?: Readonly<Record<string, string | OperandDefinition>>;
  readonly options?: Table;
  /** What the command writes. */
  readonly formats?: readonly Format[];
  /** What the formats are, for the help. */
  readonly formatNotes?: string;
  /** Whether the command line has to say the format. @default the first format is taken */
  readonly isFormatRequired?: true;
  /** Who writes the file of `-o`: this function, when the command is done, or the command. @default there is no `-o` */
  readonly output?: 'when done' | 'by command';
  /** What a command without `formats` writes, so that the file of `-o` has a fitting ending. @default any ending fits */
  readonly writes?: readonly string[];
  /** @returns The exit code; nothing for 0. */
  run(given: Given<OptionsOf<Table>, Format>, io: Io, service?: Service): Promise<number> | Promise<void>;
}

/** A command of `defineCommand`. Tests replace the service that it uses, such as the kernel. */
export interface DefinedCommand<Service = never> {
  /** Creates the parser, and does nothing else. Each run takes a new one, because a parser keeps what it has read. */
  parser(): Command;
  /** @returns The exit code. */
  run(given: Arguments, io: Io, service?: Service): Promise<number>;
}

export function defineCommand<
  const Table extends OptionTable = Readonly<Record<never, never>>,
  const Format extends string = never,
  Service = never,
>(definition: CommandDefinition<Table, Format, Service>): DefinedCommand<Service> {
  const { path, options: table = {}, formats = [], isFormatRequired, output: writer, writes } = definition;
  return {
    parser: () => createCommandParser(definition),
    async run({ options: given, operands }, io, service) {
      const options = given as Given<OptionsOf<Table>, Format>['options'];
      const found = chooseFormat(options, formats, path, writes);
      assertRequired(table, options);
      if (found === undefined && isFormatRequired === true) {
        throw new UsageError(`--format is required: ${formats.join(', ')}`);
      }
      const format = (found ?? formats[0]) as Format;
      const isData = formats.length === 0 && writer !== undefined;
      const work = async (io: Io): Promise<number> => {
        const clean = isData ? io : cleanFor(format, io);
        return (await definition.run({ options, operands, format }, clean, service)) ?? ExitCode.done;
      };
      return writer === 'when done' ? withOutput(options.output, io, work) : work(io);
    },
  };
}

function createCommandParser({
  path,
  description,
  examples,
  operands = {},
  options = {},
  formats = [],
  formatNotes,
  isFormatRequired,
  output,
}: Omit<CommandDefinition<OptionTable, string, never>, 'run'>): Command {
  const parser = createParser(path, description, examples);
  for (const [syntax, operand] of Object.entries(operands)) {
    const { help, choices, fallback } = typeof operand === 'string' ? { help: operand } : operand;
    const argument = new Argument(syntax, help);
    if (choices !== undefined) argument.choices(choices);
    parser.addArgument(fallback === undefined ? argument : argument.default(undefined, fallback));
  }
  const byEnding = "by the file's ending";
  const [first = ''] = formats;
  const otherwise = isFormatRequired === true ? byEnding : `${byEnding}, else ${first}`;
  const fallback = output === undefined ? first : otherwise;
  const help = `what is written${formatNotes === undefined ? '' : `: ${formatNotes}`}`;
  const short = SHORT_FORMATS.filter((name) => formats.includes(name));
  const table: OptionTable = {
    ...options,
    ...(output !== undefined && { output: OUTPUT }),
    ...(formats.length > 0 && {
      format: { value: '<name>', help, choices: formats, fallback },
    }),
    ...Object.fromEntries(short.map((name) => [name, { help: `the same as --format ${name}` }])),
  };
  for (const option of createOptions(table)) parser.addOption(option);
  return parser;
}

/** The options of a table, for a parser. */
export function createOptions(table: OptionTable): Option[] {
  return Object.entries(table).map(([key, one]) => {
    const { value, short, help, choices, parse, isRepeated, default: given, fallback, required } = one;
    const name = toFlag(key);
    const flags = [...(short === undefined ? [] : [`${short},`]), name, value ?? ''].join(' ').trim();
    const text = required === undefined ? help : `${help}; required`;
    const toValue = (word: string, before?: unknown): unknown => parseValue(name, one, word, before);
    const option = new Option(flags, text);
    if (choices !== undefined) option.choices(choices);
    if (isRepeated === true) {
      option.argParser((word, others: readonly unknown[]) => [...others, toValue(word)]);
      return option.default([], fallback);
    }
    if (choices !== undefined || parse !== undefined) option.argParser(toValue);
    return given === undefined && fallback === undefined ? option : option.default(given, fallback);
  });
}

/** With the micro sign and with the letter mu, as keyboards and editors have them. */
const MICROSECONDS = /^[\u00b5\u03bc]s$/;

/**
 * The value of an option for a word.
 *
 * @param name The name of the option, for messages.
 * @throws UsageError for words that it does not take.
 */
export function parseValue(
  name: string,
  { choices, parse, allowed }: OptionDefinition,
  word: string,
  before?: unknown,
): unknown {
  const plain = MICROSECONDS.test(word) ? 'us' : word;
  if (choices?.includes(plain) === false) {
    throw wrongOption(name, choices.join(', '), word, suggestion(word, choices));
  }
  const value = parse === undefined ? plain : parse(plain, name, before as never);
  if (value === undefined && allowed !== undefined) throw wrongOption(name, allowed, plain);
  return value;
}

export function toFlag(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** @throws UsageError when required options are missing: all of them are named. */
function assertRequired(table: OptionTable, options: object): void {
  const missing = Object.entries(table).flatMap(([key, { required, short }]) => {
    const value = (options as Readonly<Record<string, unknown>>)[key];
    if (required === undefined || (value !== undefined && value !== '')) return [];
    return [`${short ?? toFlag(key)} is required: ${required}`];
  });
  if (missing.length > 0) throw new UsageError(missing.join('; '));
}
