import { createGunzip, type Gunzip } from 'node:zlib';
import { HdrscopeError } from '@hdrscope/core';
import { Budget } from '@hdrscope/kit';

/** How much text a file may have, after decompression when gzip has compressed it. */
export interface FileLimits {
  readonly bytes: number;
  readonly lines: number;
}

export const FILE_LIMITS: FileLimits = { bytes: 256 * 2 ** 20, lines: 1_000_000 };

const LINE_FEED = 0x0a;

// Deflate makes a piece at most 1000 times longer, which bounds the work between two looks at the limits.
const PIECE_BYTES = 2 ** 14;

/**
 * Counts the text of a file chunk by chunk, before anybody makes anything of it. A small file may have gigabytes of text when it is
 * decompressed.
 */
export class FileBudget {
  readonly #limits: FileLimits;
  readonly #bytes: Budget;
  #lines = 0;
  #head: number[] = [];
  #gunzip: Gunzip | undefined;
  #failure: Error | undefined;
  #goOn = (): void => {};

  constructor(limits: FileLimits = FILE_LIMITS) {
    this.#limits = limits;
    this.#bytes = new Budget('the text of a file', { bytes: limits.bytes });
  }

  /** Rejects with `ERR_TOO_LARGE` when the file has more text than a limit. */
  async take(chunk: Uint8Array): Promise<void> {
    if (this.#head.length < 2) {
      // Bounded: these are two bytes at most.
      this.#head.push(...chunk.subarray(0, 2 - this.#head.length));
      if (this.#head[0] === 0x1f && this.#head[1] === 0x8b) {
        this.#gunzip = this.#started();
        // The first byte may have come alone.
        if (chunk.length === 1 || chunk[0] !== 0x1f) await this.#inflate(Uint8Array.of(0x1f));
      }
    }
    if (this.#gunzip === undefined) this.#count(chunk);
    else {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        await this.#inflate(chunk.subarray(at, at + PIECE_BYTES));
      }
    }
    if (this.#failure instanceof HdrscopeError) throw this.#failure;
  }

  end(): void {
    this.#gunzip?.destroy();
  }

  #started(): Gunzip {
    const gunzip = createGunzip({ chunkSize: 2 ** 16 });
    gunzip.on('data', (text: Uint8Array) => {
      try {
        if (this.#failure === undefined) this.#count(text);
      } catch (error) {
        this.#stop(error as Error);
      }
    });
    // Whoever reads the file meets the same failure, and reports it.
    gunzip.on('error', (error) => this.#stop(error));
    return gunzip;
  }

  #stop(failure: Error): void {
    this.#failure ??= failure;
    this.#goOn();
  }

  async #inflate(piece: Uint8Array): Promise<void> {
    if (this.#failure !== undefined) return;
    await new Promise<void>((resolve) => {
      this.#goOn = resolve;
      this.#gunzip!.write(piece, () => resolve());
    });
  }

  #count(text: Uint8Array): void {
    this.#bytes.takeBytes(text.length);
    for (let at = text.indexOf(LINE_FEED); at !== -1; at = text.indexOf(LINE_FEED, at + 1)) this.#lines += 1;
    const { lines: most } = this.#limits;
    if (this.#lines <= most) return;
    throw new HdrscopeError('ERR_TOO_LARGE', `a file must have at most ${most} lines: drop a part of it`, {
      details: { what: 'the text of a file', limit: 'lines', most },
    });
  }
}
