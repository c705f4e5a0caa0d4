/** A line that was longer than allowed and was dropped. */
export interface DroppedLine {
  /** The length of the line. */
  readonly bytes: number;
}

const NEWLINE = 0x0a;
// Text is decoded in blocks of whole lines. Only a longer line makes a larger block.
const LARGEST_BLOCK = 2 ** 20;

/**
 * Cuts chunks of UTF-8 into lines without `\n` or `\r\n`. Memory is bounded by one block and one line of the longest
 * allowed length.
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

  /** Returns the lines that end in this chunk. */
  push(chunk: Uint8Array): (string | DroppedLine)[] {
    const lines: (string | DroppedLine)[] = [];
    for (let at = 0; at < chunk.length; at += LARGEST_BLOCK) {
      this.#pushBlock(chunk.subarray(at, at + LARGEST_BLOCK), lines);
    }
    return lines;
  }

  /** Returns the last line if no newline ends it. */
  end(): (string | DroppedLine)[] {
    return this.#begunBytes > 0 ? [this.#finishLine()] : [];
  }

  #pushBlock(block: Uint8Array, lines: (string | DroppedLine)[]): void {
    const last = block.lastIndexOf(NEWLINE);
    let start = 0;
    if (this.#begunBytes > 0 && last !== -1) {
      const first = block.indexOf(NEWLINE);
      this.#begin(block.subarray(0, first));
      lines.push(this.#finishLine());
      start = first + 1;
    }
    if (start <= last) this.#pushLines(block.subarray(start, last), lines);
    this.#begin(block.subarray(last + 1));
  }

  /** Decodes all lines at once if all of them are surely short enough. */
  #pushLines(block: Uint8Array, lines: (string | DroppedLine)[]): void {
    if (block.length <= this.#maxLineBytes) {
      for (const line of this.#decoder.decode(block).split('\n')) lines.push(withoutReturn(line));
      return;
    }
    for (let from = 0; from <= block.length; ) {
      const newline = block.indexOf(NEWLINE, from);
      const to = newline === -1 ? block.length : newline;
      lines.push(this.#lineOf(block.subarray(from, to), to - from));
      from = to + 1;
    }
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
    if (this.#begun.length > LARGEST_BLOCK) this.#begun = new Uint8Array(0);
    return line;
  }

  #lineOf(line: Uint8Array, bytes: number): string | DroppedLine {
    return bytes > this.#maxLineBytes ? { bytes } : withoutReturn(this.#decoder.decode(line));
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
