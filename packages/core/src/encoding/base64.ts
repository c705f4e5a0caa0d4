import { HdrscopeError } from '../errors.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SEXTETS = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) SEXTETS[ALPHABET.charCodeAt(i)] = i;

/** Standard base64 with padding, in any runtime. Source: RFC 4648, section 4. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const triple = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += ALPHABET[triple >> 18]! + ALPHABET[(triple >> 12) & 63]!;
    text += left > 1 ? ALPHABET[(triple >> 6) & 63]! : '=';
    text += left > 2 ? ALPHABET[triple & 63]! : '=';
  }
  return text;
}

/**
 * Reads standard base64; the padding may be left out, surrounding white space is ignored.
 *
 * @throws HdrscopeError `ERR_DECODE` when a character or the length is impossible.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const body = text.trim().replace(/={1,2}$/, '');
  if (body.length % 4 === 1) {
    throw new HdrscopeError('ERR_DECODE', `base64 text must not be cut off, got ${body.length} characters`);
  }
  const bytes = new Uint8Array(Math.floor((body.length * 3) / 4));
  let pending = 0;
  let pendingBits = 0;
  let written = 0;
  for (let i = 0; i < body.length; i++) {
    const sextet = SEXTETS[body.charCodeAt(i)] ?? -1;
    if (sextet < 0) {
      const got = JSON.stringify(body[i]);
      throw new HdrscopeError(
        'ERR_DECODE',
        `base64 text must hold A-Z, a-z, 0-9, + and / only, got ${got} at ${i}`,
      );
    }
    pending = ((pending << 6) | sextet) & 0xffff;
    pendingBits += 6;
    if (pendingBits >= 8) {
      pendingBits -= 8;
      bytes[written++] = pending >> pendingBits;
    }
  }
  return bytes;
}
