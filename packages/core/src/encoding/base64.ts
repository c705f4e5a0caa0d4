import { HdrscopeError } from '../errors.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const PADDING = '='.charCodeAt(0);

/** The six bits of a character below 256, or -1: then a bitwise or of several is negative too. */
const SEXTETS = new Int32Array(256).fill(-1);
for (let i = 0; i < CODES.length; i++) SEXTETS[CODES[i]!] = i;

/** Standard base64 with padding, in any runtime. Source: RFC 4648, section 4. */
export function toBase64(bytes: Uint8Array): string {
  const { length } = bytes;
  const codes = new Uint8Array(Math.ceil(length / 3) * 4).fill(PADDING);
  const whole = length - (length % 3);
  let written = 0;
  for (let i = 0; i < whole; i += 3) {
    const triple = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    codes[written++] = CODES[triple >> 18]!;
    codes[written++] = CODES[(triple >> 12) & 63]!;
    codes[written++] = CODES[(triple >> 6) & 63]!;
    codes[written++] = CODES[triple & 63]!;
  }
  if (whole < length) {
    const triple = (bytes[whole]! << 16) | ((bytes[whole + 1] ?? 0) << 8);
    codes[written++] = CODES[triple >> 18]!;
    codes[written++] = CODES[(triple >> 12) & 63]!;
    if (whole + 1 < length) codes[written] = CODES[(triple >> 6) & 63]!;
  }
  return new TextDecoder().decode(codes);
}

/**
 * Reads standard base64; the padding may be left out, surrounding white space is ignored.
 *
 * @throws HdrscopeError `ERR_DECODE` when a character or the length is impossible.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const body = text.trim().replace(/={1,2}$/, '');
  const { length } = body;
  if (length % 4 === 1) {
    throw new HdrscopeError('ERR_DECODE', `base64 text must not be cut off, got ${length} characters`);
  }
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  const whole = length - (length % 4);
  let written = 0;
  for (let i = 0; i < whole; i += 4) {
    const [a, b] = [body.charCodeAt(i), body.charCodeAt(i + 1)];
    const [c, d] = [body.charCodeAt(i + 2), body.charCodeAt(i + 3)];
    if ((a | b | c | d) > 255) throw wrongCharacter(body, i);
    const bits = (SEXTETS[a]! << 18) | (SEXTETS[b]! << 12) | (SEXTETS[c]! << 6) | SEXTETS[d]!;
    if (bits < 0) throw wrongCharacter(body, i);
    bytes[written++] = bits >> 16;
    bytes[written++] = bits >> 8;
    bytes[written++] = bits;
  }
  if (whole < length) {
    const third = whole + 2 < length ? sextetAt(body, whole + 2) : 0;
    const bits = (sextetAt(body, whole) << 18) | (sextetAt(body, whole + 1) << 12) | (third << 6);
    if (bits < 0) throw wrongCharacter(body, whole);
    bytes[written++] = bits >> 16;
    if (written < bytes.length) bytes[written] = bits >> 8;
  }
  return bytes;
}

function sextetAt(body: string, at: number): number {
  const code = body.charCodeAt(at);
  return code < 256 ? SEXTETS[code]! : -1;
}

/** The error for the first wrong character from `from` on. There is one. */
function wrongCharacter(body: string, from: number): HdrscopeError {
  let at = from;
  while (sextetAt(body, at) >= 0) at++;
  const got = JSON.stringify(body[at]);
  return new HdrscopeError(
    'ERR_DECODE',
    `base64 text must hold A-Z, a-z, 0-9, + and / only, got ${got} at ${at}`,
  );
}
