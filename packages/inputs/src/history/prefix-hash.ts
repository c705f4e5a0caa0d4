import { createHash, type Hash } from 'node:crypto';

/** The bytes that something begins with, by their number and their hash. */
export interface Prefix {
  readonly bytes: number;
  readonly hash: string;
}

/** Hashes bytes, and those that they begin with. */
export class PrefixHash {
  readonly #hash: Hash = createHash('sha256');
  /** The lengths that are still to come, ascending. */
  readonly #lengths: number[];
  readonly #found = new Map<number, string>();
  #bytes = 0;

  /** @param lengths The lengths of beginnings that are asked for. */
  constructor(lengths: Iterable<number> = []) {
    this.#lengths = [...new Set(lengths)].sort((a, b) => a - b);
  }

  /** Takes the next bytes. */
  update(chunk: Uint8Array): void {
    let from = 0;
    for (const end = this.#bytes + chunk.length; this.#lengths[0]! <= end; ) {
      const length = this.#lengths.shift()!;
      const to = length - this.#bytes;
      this.#hash.update(chunk.subarray(from, to));
      from = to;
      this.#found.set(length, this.#hash.copy().digest('hex'));
    }
    this.#hash.update(chunk.subarray(from));
    this.#bytes += chunk.length;
  }

  /** All bytes so far. */
  get whole(): Prefix {
    return { bytes: this.#bytes, hash: this.#hash.copy().digest('hex') };
  }

  /** Whether the bytes begin with those of a prefix, whose length was asked for. */
  startsWith({ bytes, hash }: Prefix): boolean {
    return bytes === 0 || this.#found.get(bytes) === hash;
  }
}

/** Passes chunks on, and hashes them. */
export async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hash: PrefixHash,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
