// A request is JSON up to a NUL or a newline, or four bytes of which the first is 0. A reply is its length, in four
// bytes with the highest first, and a body.

const HEADER_BYTES = 4;
const NUL = 0;
const NEWLINE = 10;

// What the four bytes of old clients stand for. A daemon takes all others for this name, too, which no command has.
const OLD_PREFIXES = ['0', 'perfcounters_dump', 'perfcounters_schema'];
const UNKNOWN_OLD_PREFIX = 'foo';

/** A request that has arrived: the text of its JSON, or what an old one of four bytes stands for. */
export type RawRequest = { readonly json: string } | { readonly prefix: string };

/** The request at the beginning of what has arrived; `undefined` while it is not complete. */
export function findRequest(bytes: Buffer): RawRequest | undefined {
  if (bytes[0] === NUL) {
    if (bytes.length < HEADER_BYTES) return undefined;
    return { prefix: OLD_PREFIXES[bytes.readUInt32BE(0)] ?? UNKNOWN_OLD_PREFIX };
  }
  const end = bytes.findIndex((byte) => byte === NUL || byte === NEWLINE);
  return end === -1 ? undefined : { json: bytes.toString('utf8', 0, end) };
}

/** Header and body in one piece: clients take a header that comes alone for the whole reply. */
export function frameReply(body: string | Uint8Array): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const reply = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  reply.writeUInt32BE(bytes.length, 0);
  reply.set(bytes, HEADER_BYTES);
  return reply;
}

/** The length of a reply's body; `undefined` while its header is not complete. */
export function bodyLengthOf(bytes: Buffer): number | undefined {
  return bytes.length < HEADER_BYTES ? undefined : bytes.readUInt32BE(0);
}

/** The body of a reply that has arrived as far as `length` says. */
export function bodyOf(bytes: Buffer, length: number): Buffer {
  return bytes.subarray(HEADER_BYTES, HEADER_BYTES + length);
}
