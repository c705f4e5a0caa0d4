import {
  callback,
  custom,
  flag,
  having,
  listOf,
  type OptionRule,
  type OptionRules,
  object,
  optional,
  readOptions,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { answer } from './answer.ts';
import { type AdminCommand, configCommand, type VersionReply, withBuiltIns } from './commands.ts';
import { type AdminSocketLimits, LIMITS } from './connection.ts';
import { type PerfReplies, perfCommands } from './perf-commands.ts';
import { AdminSocketServer } from './server.ts';
import { assertSocketPath } from './socket-path.ts';

/** The options of an admin socket: its path, its answers and its limits. */
export interface AdminSocketOptions extends PerfReplies {
  /**
   * The path of the socket, at most 107 bytes. It has no default, as Ceph's exporters scrape every socket in the folder of
   * Ceph's daemons. `adminSocketPath` makes paths for the processes of a cluster.
   */
  readonly path: string;
  /** Additional commands of the application. @default no additional commands */
  readonly commands?: readonly AdminCommand[];
  /** The version of the application. @default the defaults of `VersionReply` */
  readonly version?: VersionReply;
  /**
   * The file of the process id, in `config show`. ceph-exporter reads it, and adds numbers of that process from /proc.
   * @default ''
   */
  readonly pidFile?: string;
  /** Whether the process can end while the socket is served. @default true */
  readonly unref?: boolean;
  /** Limits on all clients and on each of them. @default the defaults of `AdminSocketLimits` */
  readonly limits?: Partial<AdminSocketLimits>;
}

const COMMAND: OptionRule<AdminCommand> = custom(
  'a command, with a prefix and a function for its answer',
  (value) => having<AdminCommand>('', 'run').accepts(value) && text.accepts((value as AdminCommand).prefix),
);

const ADMIN_SOCKET = {
  name: 'serveAdminSocket',
  rules: {
    path: text,
    histograms: optional(having('replies of histogramReplies', 'dump', 'schema')),
    numbers: optional(callback()),
    labelled: optional(callback()),
    reset: optional(callback()),
    commands: withDefault(listOf(COMMAND, 'commands'), []),
    version: withDefault(object(), {}),
    pidFile: withDefault(text, ''),
    unref: withDefault(flag, true),
    limits: withDefault(object(), {}),
  } satisfies OptionRules<AdminSocketOptions>,
  call: "serveAdminSocket({ path: './shop.asok' })",
};

/** A served admin socket. */
export interface RunningAdminSocket {
  /** Path of the socket, for `ceph daemon PATH`. */
  readonly path: string;
  /** Removes the socket. Replies that have begun have one second to finish. It never rejects. */
  close(): Promise<void>;
}

/**
 * Serves Ceph's admin socket protocol from this process, for the command `ceph --admin-daemon` and other readers of the
 * sockets of Ceph's daemons. Only the user of the process can connect. A socket that a dead process left behind is replaced;
 * a socket that another server serves is not.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`, also when the path is that of a file; `ERR_ALREADY_REGISTERED` when another
 *   server serves the path, or two commands have the same prefix; `ERR_ADMIN_SOCKET` when the path cannot be served.
 * @example
 * ```ts
 * import { mkdtempSync, rmSync } from 'node:fs';
 * import { askAdminSocket, serveAdminSocket } from '@hdrscope/ceph';
 *
 * const folder = mkdtempSync('/tmp/example-');
 * const server = await serveAdminSocket({
 *   path: `${folder}/shop.asok`,
 *   commands: [
 *     {
 *       prefix: 'cache drop',
 *       help: 'drop what is cached',
 *       args: [{ name: 'max_age', type: 'int', required: false }],
 *       run: ({ max_age = 0 }) => ({ dropped: 3, max_age }),
 *     },
 *   ],
 * });
 *
 * const reply = await askAdminSocket(server.path, 'cache drop', { max_age: 60 });
 * JSON.parse(reply); //=> { dropped: 3, max_age: 60 }
 * await server.close();
 * rmSync(folder, { recursive: true });
 * ```
 */
export async function serveAdminSocket(options: AdminSocketOptions): Promise<RunningAdminSocket> {
  const { path, commands, version, pidFile, unref, limits, ...replies } = readOptions(options, ADMIN_SOCKET);
  assertSocketPath(path);

  const given = [...perfCommands(replies), ...commands];
  const hasConfig = commands.some(({ prefix }) => prefix === 'config show');
  const all = withBuiltIns(hasConfig ? given : [...given, configCommand(pidFile)], version);
  const server = new AdminSocketServer((request) => answer(all, request), {
    path,
    unref,
    limits: readOptions(limits, LIMITS, 'limits.'),
  });
  await server.start();
  return { path, close: () => server.close() };
}
