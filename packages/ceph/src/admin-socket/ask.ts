import { createConnection } from 'node:net';
import { HdrscopeError } from '@hdrscope/core';
import { mustBe, number, type RulesFor, readOptions, withDefault } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS } from '@hdrscope/kit';
import { adminSocketError, errnoOf } from '../errors.ts';
import { type JsonValue, toJsonText } from '../json-text.ts';
import { bodyLengthOf, bodyOf, parseFailure } from './protocol.ts';
import { assertSocketPath } from './socket-path.ts';

/** Limits on the reply of a daemon. */
export interface AskOptions {
  /** The time for connecting and for the whole reply, in milliseconds: above 0. @default 5000 */
  readonly timeoutMs?: number;
  /** The size of the longest reply that is accepted, in bytes: above 0. @default 67108864, 64 MiB */
  readonly maxBytes?: number;
}

/** The rules of `AskOptions`. */
export const ASK_RULES: RulesFor<AskOptions> = {
  timeoutMs: withDefault(number({ above: 0, to: Number.POSITIVE_INFINITY }), 5000),
  maxBytes: withDefault(number({ above: 0, to: Number.POSITIVE_INFINITY }), 64 * 2 ** 20),
};

const ASK_ADMIN_SOCKET = {
  name: 'askAdminSocket',
  rules: ASK_RULES,
  call: "askAdminSocket(path, 'perf dump', {}, { timeoutMs: 5000 })",
};

/** The room that daemons have for a request, including the NUL at its end. */
const DAEMON_REQUEST_BYTES = 1024;

/**
 * Sends a command to a Ceph daemon, or to any other server of such a socket, and returns its reply as text. It works
 * without the `ceph` program. Only root and the user of the daemon can read the socket of a daemon.
 *
 * @param prefix The command: `perf histogram dump`.
 * @param args The arguments of the command, and `format` for a format other than `json-pretty`.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the path is empty or too long for a socket, or an option does not exist or is outside
 *   the range stated on it; `ERR_ADMIN_SOCKET` when no reply comes in time, or the daemon refuses the command; `ERR_DECODE` when the
 *   reply is cut off; `ERR_TOO_LARGE` when the reply has more than `maxBytes`.
 * @example
 * ```ts
 * import { mkdtempSync, rmSync } from 'node:fs';
 * import { askAdminSocket, serveAdminSocket } from '@hdrscope/ceph';
 *
 * const folder = mkdtempSync('/tmp/example-');
 * const path = `${folder}/shop.asok`;
 * const server = await serveAdminSocket({ path, version: { version: '1.2.3' } });
 *
 * await askAdminSocket(path, 'version', { format: 'json' });
 * //=> '{"version":"1.2.3","release":"node","release_type":"dev"}'
 * await server.close();
 * rmSync(folder, { recursive: true });
 * ```
 */
export async function askAdminSocket(
  path: string,
  prefix: string,
  args: Readonly<Record<string, JsonValue>> = {},
  options: AskOptions = {},
): Promise<string> {
  const { timeoutMs, maxBytes } = readOptions(options, ASK_ADMIN_SOCKET);
  assertSocketPath(path);
  const bytes = Buffer.from(`${toJsonText({ ...args, prefix }, 'json')}\0`);
  const body = (await exchange({ path, command: prefix, bytes }, timeoutMs, maxBytes)).toString('utf8');
  const failure = parseFailure(body);
  if (failure === undefined) return body;
  const { message, errno } = failure;
  throw adminSocketError(`${path} refuses '${prefix}': ${message}`, { socket: path, command: prefix, errno });
}

interface Request {
  readonly path: string;
  readonly command: string;
  readonly bytes: Buffer;
}

/** The body of the reply to a request. */
function exchange(request: Request, timeoutMs: number, maxBytes: number): Promise<Buffer> {
  const { path, bytes } = request;
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const late = (): void =>
      fail(noReply(request, `${path} has not answered within ${Math.round(timeoutMs)} ms`));
    const timer = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
    };
    const fail = (error: Error): void => {
      finish();
      reject(error);
    };
    const reply = new ReplyBuffer(request, maxBytes);
    socket.on('data', (chunk: Buffer) => {
      try {
        const body = reply.push(chunk);
        if (body === undefined) return;
        finish();
        resolve(body);
      } catch (error) {
        fail(error as Error);
      }
    });
    socket.on('error', (error: NodeJS.ErrnoException) => fail(explain(request, error, reply)));
    socket.on('end', () => fail(reply.cutOff()));
    socket.write(bytes);
  });
}

/** The part of a reply that has arrived. */
class ReplyBuffer {
  readonly #request: Request;
  readonly #maxBytes: number;
  /** Joined once the reply is complete, so that a reply of many chunks is not copied for each of them. */
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(request: Request, maxBytes: number) {
    this.#request = request;
    this.#maxBytes = maxBytes;
  }

  /** The body, once it is complete. As in Ceph's own client, bytes after the body are ignored. */
  push(chunk: Buffer): Buffer | undefined {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const length = this.#length();
    if (length === undefined) return undefined;
    if (length > this.#maxBytes) {
      const allowed = `at most ${this.#maxBytes} bytes long`;
      throw mustBe('ERR_TOO_LARGE', `the reply of ${this.#request.path}`, allowed, length);
    }
    if (this.#size < length + 4) return undefined;
    return bodyOf(Buffer.concat(this.#chunks), length);
  }

  /** The error for a daemon that hung up too early. */
  cutOff(): HdrscopeError {
    const { path, bytes } = this.#request;
    if (this.#size === 0) {
      const cure =
        bytes.length > DAEMON_REQUEST_BYTES
          ? `: requests must be at most ${DAEMON_REQUEST_BYTES} bytes long, this one has ${bytes.length}`
          : '';
      return noReply(this.#request, `${path} has hung up without a reply${cure}`);
    }
    const length = this.#length();
    const allowed = length === undefined ? '4 bytes, its length' : `${length + 4} bytes, as it says`;
    const message = `the reply of ${path} must have ${allowed}, got ${this.#size}`;
    return new HdrscopeError('ERR_DECODE', message);
  }

  #length(): number | undefined {
    if (this.#size < 4) return undefined;
    if (this.#chunks[0]!.length < 4) this.#chunks = [Buffer.concat(this.#chunks)];
    return bodyLengthOf(this.#chunks[0]!);
  }
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOENT: 'the socket does not exist: the daemon is not running, or has another path',
  ECONNREFUSED: 'nobody listens there: a dead daemon left the socket behind',
  EACCES: 'this user may not connect: only root and the user of the daemon may',
  ENOTSOCK: 'the file is not a socket',
  EAGAIN: 'too many other clients are waiting',
};

function explain(request: Request, error: NodeJS.ErrnoException, reply: ReplyBuffer): HdrscopeError {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return reply.cutOff();
  const { path, command } = request;
  const { code = 'unknown error' } = error;
  const message = `${path} cannot be asked: ${code}, ${EXPLANATIONS[code] ?? error.message}`;
  return adminSocketError(message, { socket: path, command, ...errnoOf(error) }, error);
}

function noReply({ path, command }: Request, message: string): HdrscopeError {
  return adminSocketError(message, { socket: path, command });
}
