import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type AskDaemon, daemonAt } from '@hdrscope/ceph';
import { socketsIn } from '@hdrscope/ceph/internal';
import { type Io, Refusal, UsageError } from '../command.ts';
import { systemErrorText } from '../system-error.ts';

/** An operand of the command line: the socket of a daemon, or a text with its answer. */
export interface CephInput {
  /** The name for people: `ceph-osd.0` for its socket, or the name of the file. */
  readonly name: string;
  readonly path: string;
  readonly isSocket: boolean;
  /** The answer of the daemon to a command. A text is the answer to every command. */
  readonly ask: AskDaemon;
  /** Names the present life of a daemon: see `AskHistogramsOptions`. */
  readonly life?: (() => Promise<string | undefined>) | undefined;
}

/**
 * Opens the operands of the command line, without asking a daemon. A folder stands for the sockets in it.
 *
 * @throws Refusal; UsageError.
 */
export async function openInputs(operands: readonly string[], io: Io): Promise<CephInput[]> {
  if (operands.filter((path) => path === '-').length > 1) {
    throw new UsageError('- is standard input, which can be read only once');
  }
  const paths = (await Promise.all(operands.map(pathsOf))).flat();
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

/** The sockets in a folder, or the path itself. */
async function pathsOf(path: string): Promise<string[]> {
  if (path === '-' || (await kindOf(path)) !== 'folder') return [path];
  const sockets = await socketsIn(path);
  if (sockets.length === 0)
    throw new Refusal(`${path} has no sockets: no file in it is a socket whose name ends in .asok`);
  return sockets;
}

async function openInput(path: string, name: string, io: Io): Promise<CephInput> {
  if (path === '-') return { name, path, isSocket: false, ask: () => readAll(io.stdin, name) };
  if ((await kindOf(path)) === 'socket') return { ...daemonAt(path), name, path, isSocket: true };
  const ask = (): Promise<string> => readAll(createReadStream(path, { signal: io.signal }), name);
  return { name, path, isSocket: false, ask };
}

/** @throws Refusal when there is no such path. */
export async function kindOf(path: string): Promise<'folder' | 'socket' | 'file'> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isSocket() ? 'socket' : 'file';
  } catch (cause) {
    throw new Refusal(systemErrorText(cause, path), { cause });
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
