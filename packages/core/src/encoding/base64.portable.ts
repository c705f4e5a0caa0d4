const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const PADDING = '='.charCodeAt(0);

/** The six bits of a character; -1 for any other, which makes a bitwise or of several negative. */
const SEXTETS = new Int32Array(256).fill(-1);
for (let i = 0; i < CODES.length; i++) SEXTETS[CODES[i]!] = i;

/** Standard base64 with padding. Source: RFC 4648, section 4. */
export function encodeBase64(bytes: Uint8Array): string {
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

/** A function of newer runtimes, which takes a fraction of the time. */
const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array };

/** The bytes of base64 without padding; `undefined` when it has any other character. The caller has checked the length. */
export function decodeBase64(body: string): Uint8Array | undefined {
  if (fromBase64 === undefined) return decodePortably(body);
  try {
    const bytes = fromBase64(body);
    // The browser skips spaces.
    return bytes.length === Math.floor((body.length * 3) / 4) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function decodePortably(body: string): Uint8Array | undefined {
  const codes = new TextEncoder().encode(body);
  const { length } = codes;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  const whole = length - (length % 4);
  let written = 0;
  let bad = 0;
  for (let i = 0; i < whole; i += 4) {
    const first = (SEXTETS[codes[i]!]! << 18) | (SEXTETS[codes[i + 1]!]! << 12);
    const bits = first | (SEXTETS[codes[i + 2]!]! << 6) | SEXTETS[codes[i + 3]!]!;
    bad |= bits;
    bytes[written++] = bits >> 16;
    bytes[written++] = bits >> 8;
    bytes[written++] = bits;
  }
  if (whole < length) {
    const third = whole + 2 < length ? SEXTETS[codes[whole + 2]!]! : 0;
    const bits = (SEXTETS[codes[whole]!]! << 18) | (SEXTETS[codes[whole + 1]!]! << 12) | (third << 6);
    bad |= bits;
    bytes[written++] = bits >> 16;
    if (written < bytes.length) bytes[written] = bits >> 8;
  }
  return bad < 0 ? undefined : bytes;
}
