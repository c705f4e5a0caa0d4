import { Buffer } from 'node:buffer';

/** Standard base64 with padding. Source: RFC 4648, section 4. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The bytes of base64 without padding; nothing where there is any other character. The length is a possible one. */
export function decodeBase64(body: string): Uint8Array | undefined {
  // Node takes the URL alphabet too, and skips what is none: then bytes are missing.
  if (body.includes('-') || body.includes('_')) return undefined;
  const bytes = Buffer.from(body, 'base64');
  return bytes.length === Math.floor((body.length * 3) / 4) ? bytes : undefined;
}
