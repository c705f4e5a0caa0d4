import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { askAdminSocket } from '@hdrscope/ceph';
import { type Io, Refusal, UsageError } from '../command.ts';

/** What a command line names: a daemon's socket, or a text that a daemon has answered. */
export interface CephInput {
  /** For people: `ceph-osd.0` of its socket, the name of a file. */
  readonly name: string;
  readonly path: string;
  readonly isSocket: boolean;
  /** What it answers to a command now. A text is what it is, whatever is asked. */
  ask(prefix: string, args?: Readonly<Record<string, string>>): Promise<string>;
}

/**
 * Looks at what the command line names. Nothing is asked yet.
 *
 * @throws Refusal, UsageError
 */
export async function openInputs(paths: readonly string[], io: Io): Promise<CephInput[]> {
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('- is standard input, which can be read only once');
  }
  const names = paths.map(shortName);
  return Promise.all(
    paths.map((path, at) => {
      const isUnique = names.indexOf(names[at]!) === names.lastIndexOf(names[at]!);
      return openInput(path, isUnique ? names[at]! : path, io);
    }),
  );
}

/** @throws UsageError where one is no socket: of a text there is no second reading. */
export function assertSockets(inputs: readonly CephInput[], why: string): void {
  const text = inputs.find(({ isSocket }) => !isSocket);
  if (text !== undefined) throw new UsageError(`${why} takes admin sockets, and ${text.name} is none`);
}

async function openInput(path: string, name: string, io: Io): Promise<CephInput> {
  if (path === '-') return { name, path, isSocket: false, ask: () => readAll(io.stdin) };
  const isSocket = await looksLikeSocket(path);
  return {
    name,
    path,
    isSocket,
    ask: isSocket
      ? (prefix, args = {}) => askAdminSocket(path, prefix, { ...args, format: 'json' })
      : () => readFile(path, 'utf8'),
  };
}

async function looksLikeSocket(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Refusal(`cannot read ${path}: it is a folder`);
    return found.isSocket();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw cause;
    throw new Refusal(`cannot read ${path}: there is no such socket or file`, { cause });
  }
}

function shortName(path: string): string {
  return path === '-' ? 'standard input' : basename(path, '.asok');
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('utf8');
}
