import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { assertFollows, filledText, readOptions } from '@hdrscope/core/internal';
import { ASK_RULES, type AskOptions, askAdminSocket } from '../admin-socket/ask.ts';
import type { AskDaemon, AskHistogramsOptions } from './ask-histograms.ts';

/** A daemon that can be asked. */
export interface CephDaemon {
  /** Its name among the daemons, which its series have as `ceph_daemon`: `osd.0`. @default the only daemon has no name */
  readonly name?: string;
  /** Asks the daemon, for example over its admin socket. */
  readonly ask: AskDaemon;
  /** Names its present life: see `AskHistogramsOptions`. @default unknown */
  readonly life?: AskHistogramsOptions['life'];
}

/** A daemon with a name. */
export type NamedDaemon = CephDaemon & { readonly name: string };

const SUFFIX = '.asok';

/**
 * The name of a daemon by the path of its socket, as ceph-exporter has it in the label `ceph_daemon`.
 *
 * @example
 * ```ts
 * import { daemonName } from '@hdrscope/ceph/internal';
 *
 * daemonName('/var/run/ceph/ceph-osd.0.asok'); //=> 'osd.0'
 * daemonName('/var/run/ceph/ceph-client.rgw.eu.asok'); //=> 'rgw.eu'
 * ```
 */
export function daemonName(socket: string): string {
  const name = basename(socket, SUFFIX);
  return name.replace(/^ceph-/, '').replace(/^client\./, '') || name;
}

/**
 * The daemon behind an admin socket.
 *
 * @param options Limits on each answer.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist. `ask` rejects as `askAdminSocket` does.
 */
export function daemonAt(path: string, options: AskOptions = {}): NamedDaemon {
  assertFollows('the path', filledText('the path of a socket'), path);
  const settings = readOptions(options, DAEMON_AT);
  return {
    name: daemonName(path),
    ask: (prefix, args) => askAdminSocket(path, prefix, { ...args, format: 'json' }, settings),
    // A daemon that starts makes its socket anew. Connections and chmod leave the time of the last modification as it is.
    life: async () => {
      const found = await stat(path, { bigint: true }).catch(() => undefined);
      return found && `${found.dev}.${found.ino}.${found.mtimeNs}`;
    },
  };
}

const DAEMON_AT = {
  name: 'daemonAt',
  rules: ASK_RULES,
  call: 'daemonAt(path, { timeoutMs: 5000 })',
};

/**
 * The paths of the admin sockets in a folder, sorted: those that end in `.asok`, also in folders within it, where cephadm puts
 * them.
 *
 * @throws Error of the system when the folder cannot be read.
 */
export async function socketsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const within = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      // Other users' folders are no sockets of this one.
      .map(({ name }) => readdir(join(folder, name), { withFileTypes: true }).catch(() => [])),
  );
  return [...entries, ...within.flat()]
    .filter((entry) => entry.isSocket() && entry.name.endsWith(SUFFIX))
    .map(({ name, parentPath }) => join(parentPath, name))
    .sort();
}

/**
 * The daemon behind a socket, or the daemons behind the sockets in a folder. A path that does not exist stands for a socket, whose
 * daemon does not answer.
 *
 * @param options Limits on each answer.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist; Error of the system when the folder cannot be read.
 */
export async function daemonsAt(path: string, options: AskOptions = {}): Promise<NamedDaemon[]> {
  assertFollows('the path', filledText('the path of a socket or a folder'), path);
  const settings = readOptions(options, DAEMONS_AT);
  const found = await stat(path).catch(() => undefined);
  const sockets = found?.isDirectory() ? await socketsIn(path) : [path];
  return sockets.map((socket) => daemonAt(socket, settings));
}

const DAEMONS_AT = {
  name: 'daemonsAt',
  rules: ASK_RULES,
  call: "daemonsAt('/var/run/ceph', { timeoutMs: 5000 })",
};
