import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import type { JsonValue } from '../json-text.ts';
import { assertArguments, descriptorOf } from './arguments.ts';
import type { AdminCommand, Commands } from './command.ts';

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

/** The version of the protocol. Clients require exactly this byte. */
const PROTOCOL_VERSION = '2';

const LIST_HELP = 'list available commands';

/**
 * All commands of a socket, sorted: the given commands, and the built-in ones that describe them.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`; `ERR_ALREADY_REGISTERED` when two commands have the same prefix.
 */
export function withBuiltIns(given: readonly AdminCommand[], versions: VersionReply = {}): Commands {
  const { version = '0.0.0', release = 'node', releaseType = 'dev', gitVersion = 'no_version' } = versions;
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
        { sig: [...prefix.split(' '), ...args.map(descriptorOf)], help },
      ] as const,
  );
  return new Map<string, JsonValue>(descriptors);
}

function helpOf(commands: Commands): JsonValue {
  return new Map(
    [...commands.values()].flatMap(({ prefix, help }) => (help ? [[prefix, help] as const] : [])),
  );
}
