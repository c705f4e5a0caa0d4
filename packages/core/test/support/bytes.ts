import { Buffer } from 'node:buffer';

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts));
}

/** The wrapping of a compressed encoding around any zlib stream. */
export function compressedOf(
  cookie: number,
  stream: Uint8Array,
  length: number = stream.length,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8 + stream.length);
  const header = new DataView(bytes.buffer);
  header.setInt32(0, cookie);
  header.setInt32(4, length);
  bytes.set(stream, 8);
  return bytes;
}
