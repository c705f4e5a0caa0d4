import { realpath, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';

/** Where something was imported from. */
export interface Place {
  /** The name of the machine that imported it. */
  readonly machine: string;
  /** The host that its attribute `host` names. */
  readonly host?: string;
  /** The path of its file; empty for a stream. */
  readonly path: string;
  /** What identifies its file on the machine, whatever it is called. */
  readonly file?: string;
}

/**
 * Finds the place of a source.
 *
 * @param path The path of its file; `undefined` for a stream.
 * @returns `undefined` for a stream of an unnamed host: nobody knows where it is from.
 */
export async function findPlace(
  path: string | URL | undefined,
  host: string | undefined,
): Promise<Place | undefined> {
  const named = host === undefined ? {} : { host };
  const machine = hostname();
  if (path !== undefined) {
    const found = await stat(path, { bigint: true });
    if (found.isFile()) {
      // The number of a file is free for another one as soon as the file is gone.
      const file = `${found.dev}:${found.ino}:${found.birthtimeNs}`;
      return { machine, ...named, path: await realpath(path), file };
    }
  }
  return host === undefined ? undefined : { machine, host, path: '' };
}

/** A place in messages. */
export function placeText({ machine, host = machine, path }: Place): string {
  return path === '' ? `a stream of ${host}` : `${host}:${path}`;
}

/** Whether both places name hosts, and different ones. */
export function haveOtherHosts(a: Place | undefined, b: Place): boolean {
  return a?.host !== undefined && b.host !== undefined && a.host !== b.host;
}

/** Whether two places are one: a path of one machine, or of one host that is named. */
export function isSamePlace(a: Place, b: Place): boolean {
  if (a.path !== b.path) return false;
  const isOneHost = a.host !== undefined && a.host === b.host;
  return isOneHost || (a.path !== '' && a.machine === b.machine);
}

/**
 * Whether a log has moved from one place to another, as rotation moves it: both are one file of the machine, or the log lies in the same
 * folder under a longer name, and is no longer where it was.
 *
 * @param isThere Finds out whether a path still has the content.
 */
export async function hasMoved(
  from: Place,
  to: Place,
  isThere: (path: string) => Promise<boolean>,
): Promise<boolean> {
  if (from.machine !== to.machine || from.path === '' || to.path === '') return false;
  if (from.file === to.file) return true;
  const stem = basename(from.path)
    .replace(/\.gz$/, '')
    .replace(/\.(hlog|json)$/, '');
  const isRotated =
    dirname(from.path) === dirname(to.path) &&
    basename(to.path).startsWith(stem) &&
    /^[-._]/.test(basename(to.path).slice(stem.length));
  return isRotated && !(await isThere(from.path));
}
