import { decodeBase64, encodeBase64 } from '#base64';
import { HdrscopeError, mustBe } from '../errors.ts';

/** Standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  return encodeBase64(bytes);
}

/**
 * The bytes of an encoding that is bytes or base64 text.
 *
 * @throws HdrscopeError `ERR_DECODE` when it is neither, or the text is not base64.
 */
export function bytesOf(encoded: Uint8Array | string): Uint8Array {
  if (typeof encoded === 'string') return fromBase64(encoded);
  if (ArrayBuffer.isView(encoded) && 'subarray' in encoded) return encoded;
  throw mustBe('ERR_DECODE', 'an encoding', 'a Uint8Array or base64 text', encoded);
}

/**
 * Reads standard base64, with or without padding. White space around it is ignored.
 *
 * @throws HdrscopeError `ERR_DECODE` when the text has another character or an impossible length.
 */
export function fromBase64(text: string): Uint8Array {
  const trimmed = text.trim();
  const padding = trimmed.endsWith('==') ? 2 : Number(trimmed.endsWith('='));
  const body = trimmed.slice(0, trimmed.length - padding);
  if (body.length % 4 === 1) {
    throw new HdrscopeError('ERR_DECODE', `base64 text must not be cut off, got ${body.length} characters`);
  }
  const bytes = decodeBase64(body);
  if (bytes !== undefined) return bytes;
  const at = body.search(/[^A-Za-z0-9+/]/);
  const got = JSON.stringify(body[at]);
  throw new HdrscopeError(
    'ERR_DECODE',
    `base64 text must hold A-Z, a-z, 0-9, + and / only, got ${got} at ${at}`,
  );
}
