import { visible } from '@hdrscope/core/internal';

// A request is JSON up to a NUL or a newline, or four bytes that begin with 0. A reply is the length of its body, in four
// bytes with the highest first, and the body.

const HEADER_BYTES = 4;
const NUL = 0;
const NEWLINE = 10;

// The commands of old clients, by the number in their four bytes. As in daemons, any other number is a name without a command.
const OLD_PREFIXES = ['0', 'perfcounters_dump', 'perfcounters_schema'];
const UNKNOWN_OLD_PREFIX = 'foo';

/** A complete request: its JSON, or the command that the four bytes of an old client stand for. */
export type RawRequest = { readonly json: string } | { readonly prefix: string };

/** The request at the beginning of the bytes; `undefined` while it is incomplete. */
export function findRequest(bytes: Buffer): RawRequest | undefined {
  if (bytes[0] === NUL) {
    if (bytes.length < HEADER_BYTES) return undefined;
    return { prefix: OLD_PREFIXES[bytes.readUInt32BE(0)] ?? UNKNOWN_OLD_PREFIX };
  }
  const end = bytes.findIndex((byte) => byte === NUL || byte === NEWLINE);
  return end === -1 ? undefined : { json: bytes.toString('utf8', 0, end) };
}

/** Header and body in one piece, since clients treat a header that arrives alone as the whole reply. */
export function frameReply(body: string | Uint8Array): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const reply = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  reply.writeUInt32BE(bytes.length, 0);
  reply.set(bytes, HEADER_BYTES);
  return reply;
}

/** The length of the body of a reply; `undefined` while the header is incomplete. */
export function bodyLengthOf(bytes: Buffer): number | undefined {
  return bytes.length < HEADER_BYTES ? undefined : bytes.readUInt32BE(0);
}

/** The body of a complete reply. */
export function bodyOf(bytes: Buffer, length: number): Buffer {
  return bytes.subarray(HEADER_BYTES, HEADER_BYTES + length);
}

/** Error numbers of Linux, which replies contain. */
const EINVAL = 22;
export const ETIMEDOUT = 110;

const WORDS: ReadonlyMap<number, string> = new Map([
  [EINVAL, 'Invalid argument'],
  [ETIMEDOUT, 'Connection timed out'],
]);

const LONGEST_MESSAGE = 1000;

/** The body of a refusal. The protocol has no status, so clients recognise it by its text. */
export function failureBody(message: string, errno: number = EINVAL): string {
  return `ERROR: (${errno}) ${WORDS.get(errno) ?? 'Unknown error'}\n${message.slice(0, LONGEST_MESSAGE)}\n`;
}

/** The refusal of a daemon. */
export interface Failure {
  readonly errno: number;
  readonly message: string;
}

/** Reads a refusal; `undefined` when the body is an answer. */
export function parseFailure(body: string): Failure | undefined {
  const match = /^ERROR: \((-?\d+)\) ([^\n]*)\n?/.exec(body);
  if (match === null) return undefined;
  const parts = [match[2]!, body.slice(match[0].length)].map((text) => text.slice(0, LONGEST_MESSAGE));
  const words = parts.map((text) => visible(text.trim().replaceAll(/\s+/g, ' ')));
  return { errno: Math.abs(Number(match[1])), message: words.filter((text) => text !== '').join(': ') };
}
