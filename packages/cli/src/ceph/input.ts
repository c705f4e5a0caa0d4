import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { askAdminSocket } from '@hdrscope/ceph';
import { type Io, Refusal, UsageError } from '../command.ts';

/** An operand of the command line: the socket of a daemon, or a text with its answer. */
export interface CephInput {
  /** The name for people: `ceph-osd.0` for its socket, or the name of the file. */
  readonly name: string;
  readonly path: string;
  readonly isSocket: boolean;
  /** The answer of the daemon to a command. A text is the answer to every command. */
  ask(prefix: string, args?: Readonly<Record<string, string>>): Promise<string>;
}

/**
 * Opens the operands of the command line, without asking a daemon.
 *
 * @throws Refusal; UsageError.
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

/** @throws UsageError when an input is not a socket, as only a daemon can be read again. */
export function assertSockets(inputs: readonly CephInput[], option: string): void {
  const text = inputs.find(({ isSocket }) => !isSocket);
  if (text !== undefined) throw new UsageError(`${option} needs admin sockets, and ${text.name} is not one`);
}

async function openInput(path: string, name: string, io: Io): Promise<CephInput> {
  if (path === '-') return { name, path, isSocket: false, ask: () => readAll(io.stdin, name) };
  const isSocket = await looksLikeSocket(path);
  return {
    name,
    path,
    isSocket,
    ask: isSocket
      ? (prefix, args = {}) => askAdminSocket(path, prefix, { ...args, format: 'json' })
      : () => readAll(createReadStream(path, { signal: io.signal }), name),
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

// As long as the longest answer of a daemon.
const LARGEST_BYTES = 2 ** 26;

async function readAll(chunks: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > LARGEST_BYTES) throw new Refusal(`${name} is longer than a dump may be: 64 MiB`);
    all.push(chunk);
  }
  return Buffer.concat(all).toString('utf8');
}
