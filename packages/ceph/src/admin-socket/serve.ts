import { mustBe } from '@hdrscope/core';
import { LONGEST_TIMER_MS } from '@hdrscope/kit';
import { answer } from './answer.ts';
import { configCommand, type VersionReply, withBuiltIns } from './built-in.ts';
import type { AdminCommand } from './command.ts';
import { type PerfReplies, perfCommands } from './perf-commands.ts';
import { AdminSocketServer } from './server.ts';
import { assertSocketPath } from './socket-path.ts';

/** What an admin socket tells, and to how many. */
export interface AdminSocketOptions extends PerfReplies {
  /**
   * At most 107 bytes. Nothing is guessed: what lies in the folder of Ceph's daemons is scraped by Ceph's exporters. See
   * `adminSocketPath` for processes of a cluster.
   */
  readonly path: string;
  /** Commands of the application. @default none */
  readonly commands?: readonly AdminCommand[];
  /** @default that of each of its parts */
  readonly version?: VersionReply;
  /** What `config show` tells: ceph-exporter reads the process id there, and adds what /proc says of it. @default '' */
  readonly pidFile?: string;
  /** Whether the process may end while the socket is served. @default true */
  readonly unref?: boolean;
  /** A longer request gets no reply. @default 1024, as daemons have it */
  readonly maxRequestBytes?: number;
  /** How long a client may take to ask, and to read its reply, in milliseconds. @default 5000 */
  readonly idleTimeoutMs?: number;
  /** How long a command may take, in milliseconds; then the client is told. @default 30000 */
  readonly answerTimeoutMs?: number;
  /** Clients beyond that are turned away. @default 256 */
  readonly maxConnections?: number;
}

/** An admin socket that is served. */
export interface RunningAdminSocket {
  readonly path: string;
  /** Lets replies that are under way get out, within a second, and takes the socket away. Never rejects. */
  close(): Promise<void>;
}

/**
 * Serves Ceph's admin socket protocol from this process, to the `ceph --admin-daemon` command and to whatever else reads
 * sockets of Ceph's daemons. Only the user of the process can connect. A socket that a dead process has left is
 * replaced, one that is served is not.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`, also where the path is that of a file; `ERR_ALREADY_REGISTERED` when the
 *   path is served already, or two commands have one prefix; `ERR_ADMIN_SOCKET` when it cannot listen there.
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
  const {
    path,
    commands = [],
    pidFile = '',
    unref = true,
    maxRequestBytes = 1024,
    idleTimeoutMs = 5000,
    answerTimeoutMs = 30_000,
    maxConnections = 256,
  } = options;
  assertSocketPath(path);
  if (typeof pidFile !== 'string') throw mustBe('ERR_INVALID_OPTION', 'pidFile', 'a path', pidFile);
  assertWhole('maxRequestBytes', maxRequestBytes, 4, 2 ** 30);
  assertWhole('idleTimeoutMs', idleTimeoutMs, 1, LONGEST_TIMER_MS);
  assertWhole('answerTimeoutMs', answerTimeoutMs, 1, LONGEST_TIMER_MS);
  assertWhole('maxConnections', maxConnections, 1, 2 ** 31 - 1);

  const given = [...perfCommands(options), ...commands];
  const hasConfig = commands.some(({ prefix }) => prefix === 'config show');
  const all = withBuiltIns(hasConfig ? given : [...given, configCommand(pidFile)], options.version);
  const server = new AdminSocketServer((request) => answer(all, request), {
    path,
    unref,
    maxRequestBytes,
    idleTimeoutMs,
    answerTimeoutMs,
    maxConnections,
  });
  await server.start();
  return { path, close: () => server.close() };
}

function assertWhole(what: string, value: number, from: number, to: number): void {
  if (Number.isInteger(value) && value >= from && value <= to) return;
  throw mustBe('ERR_INVALID_OPTION', what, `a whole number from ${from} to ${to}`, value);
}
