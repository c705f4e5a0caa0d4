/** A line that was longer than allowed and was dropped. */
export interface DroppedLine {
  /** The length of the line. */
  readonly bytes: number;
}

const NEWLINE = 0x0a;
/** Memory of a longer line is given up after it. */
const LARGEST_KEPT = 2 ** 20;

/**
 * Cuts chunks of UTF-8 into lines without `\n` or `\r\n`, one at a time. Lines that are decoded together would survive a garbage
 * collection together, and the young generation of V8 would grow. Memory is bounded by one line of the longest allowed length.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The line whose end has not arrived yet; empty if that line is too long. The bytes after `#begunBytes` are unused. */
  #begun = new Uint8Array(0);
  /** Length of that line so far, including dropped bytes. */
  #begunBytes = 0;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Yields the lines that end in this chunk, which must not change meanwhile. */
  *push(chunk: Uint8Array): Generator<string | DroppedLine, void> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const part = chunk.subarray(start, end);
      start = end + 1;
      if (this.#begunBytes === 0) yield this.#lineOf(part, part.length);
      else {
        this.#begin(part);
        yield this.#finishLine();
      }
    }
    this.#begin(chunk.subarray(start));
  }

  /** Yields the last line if no newline ends it. */
  *end(): Generator<string | DroppedLine, void> {
    if (this.#begunBytes > 0) yield this.#finishLine();
  }

  /** Forgets the line whose end has not arrived yet. */
  drop(): void {
    this.#begunBytes = 0;
  }

  #begin(part: Uint8Array): void {
    const bytes = this.#begunBytes + part.length;
    if (bytes <= this.#maxLineBytes) {
      // Copied, because the caller may reuse the memory of the chunk.
      if (bytes > this.#begun.length) this.#grow(bytes);
      this.#begun.set(part, this.#begunBytes);
    } else {
      this.#begun = new Uint8Array(0);
    }
    this.#begunBytes = bytes;
  }

  #grow(bytes: number): void {
    const longer = new Uint8Array(Math.min(2 * bytes, this.#maxLineBytes));
    longer.set(this.#begun.subarray(0, this.#begunBytes));
    this.#begun = longer;
  }

  #finishLine(): string | DroppedLine {
    const bytes = this.#begunBytes;
    const line = this.#lineOf(this.#begun.subarray(0, bytes), bytes);
    this.#begunBytes = 0;
    if (this.#begun.length > LARGEST_KEPT) this.#begun = new Uint8Array(0);
    return line;
  }

  #lineOf(line: Uint8Array, bytes: number): string | DroppedLine {
    if (bytes === 0) return '';
    return bytes > this.#maxLineBytes ? { bytes } : withoutReturn(this.#decoder.decode(line));
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
