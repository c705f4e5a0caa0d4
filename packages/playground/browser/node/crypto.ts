/** The part of `node:crypto` that commands on files use. Browsers hash asynchronously only. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** A random name. `crypto.randomUUID` exists only on pages that came encrypted. */
export function randomUUID(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(16)));
}

export function createHash(algorithm: 'sha256') {
  const hash = { sha256 }[algorithm].create();
  return {
    update(text: string) {
      hash.update(utf8ToBytes(text));
      return this;
    },
    digest: (_: 'hex') => bytesToHex(hash.digest()),
  };
}
