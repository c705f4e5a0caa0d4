import { Buffer } from 'node:buffer';

/** Standard base64 with padding. Source: RFC 4648, section 4. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The bytes of base64 without padding; `undefined` when it has any other character. The caller has checked the length. */
export function decodeBase64(body: string): Uint8Array | undefined {
  // Node also reads the URL alphabet, and skips all other characters, so that bytes are missing.
  if (body.includes('-') || body.includes('_')) return undefined;
  const bytes = Buffer.from(body, 'base64');
  return bytes.length === Math.floor((body.length * 3) / 4) ? bytes : undefined;
}
