import { linkSync, lstatSync, mkdtempSync, rmSync, type Stats, unlinkSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { HdrscopeError, mustBe } from '@hdrscope/core';
import { assertSocketPath } from './socket-path.ts';

// A socket is born in a folder that nobody else can enter, gets its mode, and then its name. A link replaces nothing, so
// it cannot take the place of another process's socket, and no moment is there at which it has another mode. The umask
// is no way to that: it would be that of other threads' files too, and workers cannot set it.

/** How long a server is waited for that takes connections and says nothing. */
const PATIENCE_MS = 1000;

/** A folder that only this user can enter, beside the path, for a socket that is to be published there. */
export interface Nursery {
  readonly socketPath: string;
  remove(): void;
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` where the path leaves no room for it. */
export function createNursery(path: string): Nursery {
  // `join` would take the dot for the folder itself.
  const prefix = `${dirname(path)}/.`;
  assertSocketPath(`${prefix}XXXXXX/s`, 'path, with .XXXXXX/s for its last part,');
  const folder = mkdtempSync(prefix);
  return {
    socketPath: join(folder, 's'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A socket that has been published: what tells it from one that has taken its place. */
export interface Claim {
  /** Takes the name away, unless it is another's by now. */
  release(): void;
}

/**
 * Gives a socket its name. The socket that a dead process has left there is replaced.
 *
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED` where somebody listens, and `ERR_INVALID_OPTION` for what is no socket.
 */
export async function publish(socketPath: string, path: string): Promise<Claim> {
  while (!linked(socketPath, path)) await removeStale(path);
  const mine = statOf(path);
  return {
    release(): void {
      const now = statOf(path);
      if (now !== undefined && now.ino === mine?.ino && now.dev === mine.dev) unlinkSync(path);
    },
  };
}

function linked(socketPath: string, path: string): boolean {
  try {
    linkSync(socketPath, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(path: string): Promise<void> {
  const found = statOf(path);
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw mustBe('ERR_INVALID_OPTION', 'path', 'free, or a socket that was left behind', path);
  }
  if (await isServed(path)) {
    throw new HdrscopeError('ERR_ALREADY_REGISTERED', `${path} is served by another server`);
  }
  // Another process may have replaced it meanwhile.
  const now = statOf(path);
  if (now?.ino === found.ino && now.dev === found.dev) rmSync(path, { force: true });
}

/** Whether somebody listens there, be it for another protocol, or too busy to answer. */
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(path);
    const settle = (served: boolean): void => {
      probe.destroy();
      resolve(served);
    };
    // What Ceph's daemons ask each other.
    probe.on('connect', () => probe.write('{"prefix":"0"}\0'));
    probe.on('data', () => settle(true));
    probe.on('end', () => settle(true));
    probe.on('error', ({ code }: NodeJS.ErrnoException) =>
      settle(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    );
    probe.setTimeout(PATIENCE_MS, () => settle(true));
  });
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
