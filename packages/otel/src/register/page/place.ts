import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { HdrscopeError } from '@hdrscope/core';
import { VERSION } from '../../version.ts';

/** What makes processes those of one service: they share a page of metrics, if they run the same release. */
export interface ServiceIdentity {
  readonly host: string;
  readonly port: number;
  /** The name of the service, else the folder that it runs in. */
  readonly service: string;
}

/** Where the processes of a service meet: a folder that only their user can enter. */
export interface Place {
  /** The socket of the process that leads. */
  readonly socketPath: string;
  /**
   * Leaves a message of this process for whoever leads next. It is written at once, whole or not at all.
   *
   * @param name The name of the process that leaves it: a UUID.
   */
  leave(name: string, message: object): void;
  /** Takes a message that was left: the next call finds it no more. */
  take(name: string): unknown;
  /** The names of the processes that have left a message. Those that nobody has taken in time are removed. */
  left(): string[];
}

/**
 * For how long a message may lie there. A process that takes over is there within a second or two. A process that starts long after the
 * service has ended begins at 0.
 */
const LONGEST_LEFT_MS = 5000;

/** @throws HdrscopeError `ERR_INVALID_OPTION` when the folder is not this user's alone. */
export function findPlace({ host, port, service }: ServiceIdentity): Place {
  const folder = privateFolder();
  const key = createHash('sha256')
    .update(JSON.stringify([VERSION, host, port, service]))
    .digest('hex')
    .slice(0, 16);
  const suffix = '.last';
  const pathOf = (name: string): string => join(folder, `${key}.${name}${suffix}`);
  return {
    // https://nodejs.org/api/net.html#identifying-paths-for-ipc-connections
    socketPath: process.platform === 'win32' ? `\\\\.\\pipe\\hdrscope-${key}` : join(folder, `${key}.sock`),
    leave(name, message) {
      const aside = `${pathOf(name)}.new`;
      writeFileSync(aside, serialize(message), { mode: 0o600 });
      renameSync(aside, pathOf(name));
    },
    take(name) {
      try {
        const bytes = readFileSync(pathOf(name));
        rmSync(pathOf(name));
        return deserialize(bytes);
      } catch {
        // It is not there, or another version of Node.js has written it.
        return undefined;
      }
    },
    left() {
      const names: string[] = [];
      for (const file of readdirSync(folder)) {
        if (!file.endsWith(suffix)) continue;
        const path = join(folder, file);
        const stats = lstatSync(path, { throwIfNoEntry: false });
        if (stats === undefined) continue;
        // Those of other services, too: these may never start again.
        if (Date.now() - stats.mtimeMs > LONGEST_LEFT_MS) rmSync(path, { force: true });
        else if (file.startsWith(`${key}.`)) names.push(file.slice(key.length + 1, -suffix.length));
      }
      return names;
    },
  };
}

/**
 * The folder of the user's sockets. The one of temporary files is everybody's: somebody else may have made a folder of that name.
 * https://specifications.freedesktop.org/basedir-spec/latest/
 */
function privateFolder(): string {
  const { XDG_RUNTIME_DIR: runtimeFolder } = process.env;
  const uid = process.getuid?.();
  const folder = join(runtimeFolder || tmpdir(), uid === undefined ? 'hdrscope' : `hdrscope-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (uid === undefined) return folder;
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || stats.uid !== uid) {
    throw new HdrscopeError('ERR_INVALID_OPTION', `${folder} must be a folder of this user: remove it`);
  }
  if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return folder;
}
