import { HdrscopeError } from '@hdrscope/core';
import { mustBe, type OptionRules, readOptions, text, withDefault } from '@hdrscope/core/internal';
import type { CephFormat } from '../dump/format.ts';
import type { JsonValue } from '../json-text.ts';

/** The type of an argument. Clients read a command line by it. A `'choice'` is one of `choices`. */
export type ArgumentType = 'string' | 'int' | 'float' | 'bool' | 'choice';

/** A checked argument: an array for a `repeated` one. */
export type ArgumentValue = string | number | boolean | readonly (string | number | boolean)[];

/** An argument of a command. */
export interface AdminArgument {
  /** Letters, digits and `_`. The names `prefix`, `format` and `target` belong to the clients. */
  readonly name: string;
  /** How the value is read. @default 'string' */
  readonly type?: ArgumentType;
  /** Optional arguments come after required ones. @default true */
  readonly required?: boolean;
  /** The words of a choice, without `|`. @default no words, which only other types allow */
  readonly choices?: readonly string[];
  /** Whether it is an array of the rest of the command line. Only the last argument can be. @default false */
  readonly repeated?: boolean;
}

const CEPH_TYPES = {
  string: 'CephString',
  int: 'CephInt',
  float: 'CephFloat',
  bool: 'CephBool',
  choice: 'CephChoices',
} as const satisfies Record<ArgumentType, string>;

const TAKEN_NAMES = ['prefix', 'format', 'target'];

/** @throws HdrscopeError `ERR_INVALID_OPTION`. */
function assertArguments(prefix: string, args: readonly AdminArgument[]): void {
  for (const [i, arg] of args.entries()) {
    const { name, type = 'string', required = true, choices, repeated = false } = arg;
    const what = `argument ${i + 1} of the command '${prefix}'`;
    if (!/^[A-Za-z_]\w*$/.test(name) || TAKEN_NAMES.includes(name)) {
      throw mustBe('ERR_INVALID_OPTION', what, `a name that is not ${TAKEN_NAMES.join(', ')}`, name);
    }
    if (args.findIndex((other) => other.name === name) < i) {
      throw mustBe('ERR_INVALID_OPTION', what, 'different from the names before it', name);
    }
    if (!Object.hasOwn(CEPH_TYPES, type)) {
      throw mustBe('ERR_INVALID_OPTION', `type of ${what}`, Object.keys(CEPH_TYPES).join(', '), type);
    }
    if (type === 'choice' && !(choices?.length && choices.every(isChoice))) {
      throw mustBe('ERR_INVALID_OPTION', `choices of ${what}`, 'words without |', String(choices));
    }
    if (required && args[i - 1]?.required === false) {
      throw mustBe(
        'ERR_INVALID_OPTION',
        what,
        'optional, as the argument before it is',
        'a required argument',
      );
    }
    if (repeated && i < args.length - 1) {
      throw mustBe(
        'ERR_INVALID_OPTION',
        `repeated of ${what}`,
        'false unless it is the last argument',
        repeated,
      );
    }
  }
}

function isChoice(choice: string): boolean {
  return /^[^|\s]+$/.test(choice);
}

/** The description of an argument for clients. As in Ceph, its keys are sorted and `req` is a string. */
function describeArgument({ name, type = 'string', required, choices, repeated }: AdminArgument): JsonValue {
  return {
    ...(repeated && { n: 'N' }),
    name,
    ...(required === false && { req: 'false' }),
    ...(type === 'choice' && { strings: choices!.join('|') }),
    type: CEPH_TYPES[type],
  };
}

/** Whether a value in a request is right for an argument. */
export function fits(arg: AdminArgument, value: unknown): value is ArgumentValue | undefined {
  if (value === undefined) return arg.required === false;
  if (!arg.repeated) return isOne(arg, value);
  return Array.isArray(value) && value.every((one) => isOne(arg, one));
}

function isOne({ type = 'string', choices }: AdminArgument, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'choice':
      return typeof value === 'string' && choices!.includes(value);
    case 'int':
      return Number.isSafeInteger(value);
    case 'float':
      return typeof value === 'number';
    case 'bool':
      return typeof value === 'boolean';
  }
}

/** The arguments in a request. An argument that the request leaves out is absent. */
export type CommandArguments = Readonly<Record<string, ArgumentValue | undefined>>;

/**
 * The answer of a command. Strings and bytes are sent unchanged, `undefined` as an empty body, other values in the format
 * that the client wants.
 */
export type CommandResult = JsonValue | Uint8Array | undefined;

/** A command of an admin socket. */
export interface AdminCommand {
  /** Words with single spaces between them: `cache drop`. */
  readonly prefix: string;
  /** One line. `help` lists only commands that have one. @default '' */
  readonly help?: string;
  /** In the order of the command line. @default no arguments */
  readonly args?: readonly AdminArgument[];
  /**
   * Answers the command. An error that it throws reaches the client as `ERROR: (22) Invalid argument` with its message.
   *
   * @param format The format that the client wants; an unknown one becomes `json-pretty`. In XML, the command is the root
   *   element, and each item of an array is an `item`. A command that writes its own text returns it as a string.
   */
  run(args: CommandArguments, format: CephFormat): CommandResult | Promise<CommandResult>;
}

export type Commands = ReadonlyMap<string, AdminCommand>;

/** The answers to `version` and `git_version`. */
export interface VersionReply {
  /** The version, as `ceph version` prints it. @default '0.0.0' */
  readonly version?: string;
  /** The name of the release. @default 'node' */
  readonly release?: string;
  /** `stable`, `rc` or `dev` in daemons. @default 'dev' */
  readonly releaseType?: string;
  /** The commit that was built. @default 'no_version' */
  readonly gitVersion?: string;
}

const VERSION = {
  name: 'version',
  rules: {
    version: withDefault(text, '0.0.0'),
    release: withDefault(text, 'node'),
    releaseType: withDefault(text, 'dev'),
    gitVersion: withDefault(text, 'no_version'),
  } satisfies OptionRules<VersionReply>,
  call: "serveAdminSocket({ path: './shop.asok', version: { version: '1.2.3' } })",
};

/** The version of the protocol. Clients require exactly this byte. */
const PROTOCOL_VERSION = '2';

const LIST_HELP = 'list available commands';

/**
 * All commands of a socket, sorted: the given commands, and the built-in ones that describe them.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`; `ERR_ALREADY_REGISTERED` when two commands have the same prefix.
 */
export function withBuiltIns(given: readonly AdminCommand[], versions: VersionReply = {}): Commands {
  const { version, release, releaseType, gitVersion } = readOptions(versions, VERSION, 'version.');
  const all: AdminCommand[] = [
    { prefix: '0', run: () => PROTOCOL_VERSION },
    { prefix: 'get_command_descriptions', help: LIST_HELP, run: () => describe(commands) },
    { prefix: 'git_version', help: 'get git sha1', run: () => ({ git_version: gitVersion }) },
    { prefix: 'help', help: LIST_HELP, run: () => helpOf(commands) },
    {
      prefix: 'version',
      help: 'get ceph version',
      run: () => ({ version, release, release_type: releaseType }),
    },
    ...given,
  ];
  const commands = new Map<string, AdminCommand>();
  for (const command of all.sort((a, b) => (a.prefix < b.prefix ? -1 : 1))) {
    assertCommand(command);
    if (commands.has(command.prefix)) {
      throw new HdrscopeError(
        'ERR_ALREADY_REGISTERED',
        `the prefix '${command.prefix}' must be new, another command has it already`,
      );
    }
    commands.set(command.prefix, command);
  }
  return commands;
}

/**
 * The only setting of Ceph that a process has: tools read it from every daemon. An application can replace the command.
 */
export function configCommand(pidFile: string): AdminCommand {
  return {
    prefix: 'config show',
    help: 'dump current config settings',
    run: () => ({ pid_file: pidFile }),
  };
}

function assertCommand({ prefix, args = [] }: AdminCommand): void {
  if (!/^[^\s"\\\p{Cc}]+( [^\s"\\\p{Cc}]+)*$/u.test(prefix)) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      'the prefix of a command',
      'words with single spaces between them',
      prefix,
    );
  }
  assertArguments(prefix, args);
}

/** Each word of a prefix is an item, since clients compare them with the words of a command line. */
function describe(commands: Commands): JsonValue {
  const descriptors = [...commands.values()].map(
    ({ prefix, args = [], help = '' }, i) =>
      [
        `cmd${String(i).padStart(3, '0')}`,
        { sig: [...prefix.split(' '), ...args.map(describeArgument)], help },
      ] as const,
  );
  return new Map<string, JsonValue>(descriptors);
}

function helpOf(commands: Commands): JsonValue {
  return new Map(
    [...commands.values()].flatMap(({ prefix, help }) => (help ? [[prefix, help] as const] : [])),
  );
}
