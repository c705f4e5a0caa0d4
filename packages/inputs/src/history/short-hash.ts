import { createHash } from 'node:crypto';

const HEX_DIGITS = 16;

/** 64 bits of a hash, in hexadecimal digits. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HEX_DIGITS);
}
