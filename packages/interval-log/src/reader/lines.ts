/** A line that was longer than allowed, and is not there any more. */
export interface DroppedLine {
  readonly bytes: number;
}

const NEWLINE = 0x0a;
// Text is decoded in blocks of whole lines, not larger than this where lines allow it.
const LARGEST_BLOCK = 2 ** 20;

/**
 * Cuts chunks of UTF-8 into lines, without `\n`, `\r\n` and a byte order mark. It never holds more than one block and
 * one line of the longest length allowed, whatever comes.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The beginning of a line whose end has not come yet. */
  #begun: Uint8Array[] = [];
  /** Their bytes, and those of a line too long that were thrown away. */
  #begunBytes = 0;
  #isTooLong = false;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** The lines that end in this chunk. */
  push(chunk: Uint8Array): (string | DroppedLine)[] {
    const lines: (string | DroppedLine)[] = [];
    for (let at = 0; at < chunk.length; at += LARGEST_BLOCK) {
      this.#pushBlock(chunk.subarray(at, at + LARGEST_BLOCK), lines);
    }
    return lines;
  }

  /** The last line, where no newline ends it. */
  end(): (string | DroppedLine)[] {
    return this.#begunBytes > 0 ? [this.#finishLine(new Uint8Array(0))] : [];
  }

  #pushBlock(block: Uint8Array, lines: (string | DroppedLine)[]): void {
    const last = block.lastIndexOf(NEWLINE);
    if (last === -1) {
      this.#begin(block);
      return;
    }
    let start = 0;
    if (this.#begunBytes > 0) {
      start = block.indexOf(NEWLINE) + 1;
      lines.push(this.#finishLine(block.subarray(0, start - 1)));
    }
    if (start <= last) this.#pushLines(this.#decoder.decode(block.subarray(start, last)), lines);
    this.#begin(block.subarray(last + 1));
  }

  #pushLines(text: string, lines: (string | DroppedLine)[]): void {
    let from = 0;
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      lines.push(this.#checked(text.slice(from, to)));
      from = to + 1;
    }
    lines.push(this.#checked(text.slice(from)));
  }

  #begin(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#begunBytes += part.length;
    if (this.#begunBytes > this.#maxLineBytes) {
      this.#isTooLong = true;
      this.#begun = [];
    } else {
      // A copy: whoever gave the chunk may use its memory again.
      this.#begun.push(part.slice());
    }
  }

  #finishLine(rest: Uint8Array): string | DroppedLine {
    this.#begin(rest);
    const [begun, bytes, isTooLong] = [this.#begun, this.#begunBytes, this.#isTooLong];
    this.#begun = [];
    this.#begunBytes = 0;
    this.#isTooLong = false;
    if (isTooLong) return { bytes };
    return withoutReturn(this.#decoder.decode(joined(begun, bytes)));
  }

  #checked(line: string): string | DroppedLine {
    return line.length > this.#maxLineBytes ? { bytes: line.length } : withoutReturn(line);
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
