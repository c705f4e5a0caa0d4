import { createConnection } from 'node:net';
import { HdrscopeError, mustBe } from '@hdrscope/core';
import { LONGEST_TIMER_MS } from '@hdrscope/kit';
import { parseFailure } from './failure.ts';
import { bodyLengthOf, bodyOf } from './framing.ts';
import { type JsonValue, toJsonText } from './json-text.ts';
import { assertSocketPath } from './socket-path.ts';

/** How long a daemon is waited for, and how much it may say. */
export interface AskOptions {
  /** For connecting and the whole reply, in milliseconds. @default 5000 */
  readonly timeoutMs?: number;
  /** The longest reply that is taken. @default 64 MiB */
  readonly maxBytes?: number;
}

const DEFAULT_TIMEOUT_MS = 5000;
const DEFAULT_MAX_BYTES = 64 * 2 ** 20;

/** What daemons have room for, with the NUL at the end. */
const DAEMON_REQUEST_BYTES = 1024;

/**
 * Asks a Ceph daemon, or whatever else serves such a socket, and gives its reply as text: the `ceph` program is not
 * needed. Reading sockets of daemons takes their user or root.
 *
 * @param prefix The command: `perf histogram dump`.
 * @param args Its arguments, and `format` where it is not to be `json-pretty`.
 * @throws HdrscopeError `ERR_INVALID_OPTION`; `ERR_ADMIN_SOCKET` when nobody answers in time, or the daemon refuses the
 *   command; `ERR_DECODE` for a reply that is cut off, and `ERR_TOO_LARGE` for one of more than `maxBytes`.
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
  { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES }: AskOptions = {},
): Promise<string> {
  assertSocketPath(path);
  assertPositive('timeoutMs', timeoutMs);
  assertPositive('maxBytes', maxBytes);

  const request = Buffer.from(`${toJsonText({ ...args, prefix }, 'json')}\0`);
  const body = (await exchange(path, request, timeoutMs, maxBytes)).toString('utf8');
  const failure = parseFailure(body);
  if (failure === undefined) return body;
  const message = `${path} refuses '${prefix}': ${failure.message}`;
  throw adminSocketError(message, Object.assign(new Error(failure.message), { errno: failure.errno }));
}

function assertPositive(what: string, value: number): void {
  if (!(value > 0)) throw mustBe('ERR_INVALID_OPTION', what, 'a number above 0', value);
}

/** The body of the reply to a request. */
function exchange(path: string, request: Buffer, timeoutMs: number, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const late = (): void =>
      fail(adminSocketError(`${path} has not answered within ${Math.round(timeoutMs)} ms`));
    const timer = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
    };
    const fail = (error: Error): void => {
      finish();
      reject(error);
    };
    const reply = new ReplyBuffer(path, maxBytes);
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
    socket.on('error', (error: NodeJS.ErrnoException) => fail(explain(path, error, reply, request)));
    socket.on('end', () => fail(reply.cutOff(request)));
    socket.write(request);
  });
}

/** What has arrived of a reply. */
class ReplyBuffer {
  readonly #path: string;
  readonly #maxBytes: number;
  /** Joined when all of them are there, or else a reply of many would be copied once for each. */
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** The body, when it is complete. What comes after it is left out, as by Ceph's own client. */
  push(chunk: Buffer): Buffer | undefined {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const length = this.#length();
    if (length === undefined) return undefined;
    if (length > this.#maxBytes) {
      throw new HdrscopeError(
        'ERR_TOO_LARGE',
        `the reply of ${this.#path} must be at most ${this.#maxBytes} bytes long, got ${length}`,
      );
    }
    if (this.#size < length + 4) return undefined;
    return bodyOf(Buffer.concat(this.#chunks), length);
  }

  /** The error for a daemon that has hung up too early. */
  cutOff(request: Buffer): HdrscopeError {
    if (this.isEmpty) {
      const cure =
        request.length > DAEMON_REQUEST_BYTES
          ? `: requests must be at most ${DAEMON_REQUEST_BYTES} bytes long, this one has ${request.length}`
          : '';
      return adminSocketError(`${this.#path} has hung up without a reply${cure}`);
    }
    const length = this.#length();
    const allowed = length === undefined ? '4 bytes, its length' : `${length + 4} bytes, as it says`;
    return new HdrscopeError(
      'ERR_DECODE',
      `the reply of ${this.#path} must have ${allowed}, got ${this.#size}`,
    );
  }

  #length(): number | undefined {
    if (this.#size < 4) return undefined;
    if (this.#chunks[0]!.length < 4) this.#chunks = [Buffer.concat(this.#chunks)];
    return bodyLengthOf(this.#chunks[0]!);
  }
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such socket: the daemon is not running, or has another path',
  ECONNREFUSED: 'nobody listens there: a daemon that is gone has left it behind',
  EACCES: 'this user may not: it takes the user of the daemon, or root',
  ENOTSOCK: 'it is no socket',
  EAGAIN: 'too many others are waiting for it',
};

function explain(
  path: string,
  error: NodeJS.ErrnoException,
  reply: ReplyBuffer,
  request: Buffer,
): HdrscopeError {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return reply.cutOff(request);
  const { code = 'it fails' } = error;
  return adminSocketError(`${path} cannot be asked: ${code}, ${EXPLANATIONS[code] ?? error.message}`, error);
}

function adminSocketError(message: string, cause?: Error): HdrscopeError {
  return new HdrscopeError('ERR_ADMIN_SOCKET', message, cause && { cause });
}
