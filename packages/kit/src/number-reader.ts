import { EXACT_POWERS, parseDecimal } from './decimal.ts';

/** Which numbers of a text `NumberReader` reads. */
export interface NumberFormat {
  /**
   * Which number of a line counts: a column, from 1, or every one, where blanks, commas and semicolons separate them.
   * Without it a line holds one number, with or without blanks around it.
   */
  readonly column?: number | 'every' | undefined;
  /**
   * One ASCII character between columns; without it, blanks separate them. A column in quotes may have separators. Only with a
   * `column` that is a number.
   */
  readonly separator?: string | undefined;
  /** How many lines at the beginning are left out, such as a header. @default 0 */
  readonly skip?: number | undefined;
  /** The smallest number that is taken, in the unit of the column. @default 0 */
  readonly smallest?: number | undefined;
  /** The largest number that is taken, in the unit of the column. @default Number.MAX_VALUE */
  readonly largest?: number | undefined;
}

/** A line, or a word of one, that is no number to be counted. */
export interface BadLine {
  /** Number of the line, from 1. */
  readonly lineNumber: number;
  /** The line, or the word where every word is a number; only its beginning when it is long. */
  readonly text: string;
}

/** Takes what a `NumberReader` reads. */
export interface NumberSink {
  /** Takes the first `length` numbers of `values`, at least one. The reader reuses the array, so copy what you keep. */
  onNumbers(values: Float64Array, length: number): void;
  /** Takes a line that has no number in the allowed range where one must be. */
  onBadLine(line: BadLine): void;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const POINT = 0x2e;

/** Integers with this many digits are below 2^31. */
const INTEGER_DIGITS = 9;
const BATCH = 4096;
const SHOWN_BYTES = 60;
// Longer lines are bad: no table has them, and one without end must not fill the memory.
const LONGEST_LINE_BYTES = 2 ** 20;

/**
 * Reads numbers from a text that comes in chunks, which may end anywhere. A line is decoded to a string only when it is bad. Numbers are
 * decimals (`12`, `.5`, `1.5e-3`), at least 0 unless the format says otherwise. Empty lines and lines that begin with `#` are left out. A
 * line above 1 MiB is bad.
 *
 * @example
 * ```ts
 * import { NumberReader } from '@hdrscope/kit/number-reader';
 *
 * const numbers: number[] = [];
 * const bad: string[] = [];
 * const reader = new NumberReader({
 *   onNumbers: (values, length) => numbers.push(...values.subarray(0, length)),
 *   onBadLine: ({ lineNumber, text }) => bad.push(`${lineNumber}: ${text}`),
 * });
 * reader.push(new TextEncoder().encode('# ms\n1.5\ntwo\n3'));
 * reader.end();
 * [numbers, bad]; //=> [[1.5, 3], ['3: two']]
 * ```
 */
export class NumberReader {
  readonly #sink: NumberSink;
  readonly #column: number | 'every' | undefined;
  /** The byte between columns, or -1 for blanks. */
  readonly #separator: number;
  readonly #skip: number;
  readonly #smallest: number;
  readonly #largest: number;
  readonly #values = new Float64Array(BATCH);
  /** How many of `#values` the sink has not taken. Below `BATCH`. */
  #length = 0;
  /** How many lines were read. */
  #lineNumber = 0;
  /** Begins with the `#restLength` bytes of a line whose end has not come yet. */
  #rest: Uint8Array = new Uint8Array(0);
  #restLength = 0;
  /** Whether that line is too long: its bytes are dropped until it ends. */
  #isTooLong = false;

  constructor(
    sink: NumberSink,
    { column, separator, skip = 0, smallest = 0, largest = Number.MAX_VALUE }: NumberFormat = {},
  ) {
    this.#sink = sink;
    this.#column = column;
    this.#separator = separator === undefined ? -1 : separator.charCodeAt(0);
    this.#skip = skip;
    this.#smallest = smallest;
    this.#largest = largest;
  }

  /** How many lines were read that have ended. */
  get lineCount(): number {
    return this.#lineNumber;
  }

  /** Reads the lines that end in the chunk, and hands their numbers to the sink before it returns. */
  push(chunk: Uint8Array): void {
    let from = 0;
    if (this.#restLength > 0 || this.#isTooLong) {
      from = chunk.indexOf(NEWLINE) + 1;
      if (from === 0) {
        this.#keep(chunk);
        return;
      }
      this.#keep(chunk.subarray(0, from));
      this.#finishRest();
    }
    const to = chunk.lastIndexOf(NEWLINE) + 1;
    if (to > from) this.#readLines(chunk, from, to);
    if (Math.max(from, to) < chunk.length) this.#keep(chunk.subarray(Math.max(from, to)));
    this.#flush();
  }

  /**
   * Reads the last line, which may have no newline. Call it after the last chunk.
   *
   * @param isCut Whether the text was cut off: its last line is dropped then, as its number may be incomplete.
   */
  end(isCut = false): void {
    if (!isCut && (this.#restLength > 0 || this.#isTooLong)) {
      this.#keep(Uint8Array.of(NEWLINE));
      this.#finishRest();
    }
    this.#flush();
  }

  #keep(bytes: Uint8Array): void {
    if (this.#isTooLong) return;
    this.#isTooLong = this.#restLength + bytes.length > LONGEST_LINE_BYTES;
    // The beginning of a line that is too long is enough to show it.
    const kept = this.#isTooLong ? bytes.subarray(0, SHOWN_BYTES + 1) : bytes;
    const length = this.#restLength + kept.length;
    if (length > this.#rest.length) {
      // Twice the size, so that a line in many small chunks is copied a few times only.
      const larger = new Uint8Array(Math.max(length, 2 * this.#rest.length));
      larger.set(this.#rest.subarray(0, this.#restLength));
      this.#rest = larger;
    }
    this.#rest.set(kept, this.#restLength);
    this.#restLength = length;
  }

  #finishRest(): void {
    const line = this.#rest.subarray(0, this.#isTooLong ? SHOWN_BYTES + 1 : this.#restLength);
    this.#restLength = 0;
    if (!this.#isTooLong) {
      this.#readLines(line, 0, line.length);
      return;
    }
    this.#isTooLong = false;
    this.#lineNumber++;
    if (this.#lineNumber > this.#skip && line[0] !== HASH) this.#refuse(line, 0, line.length);
  }

  /** Reads whole lines, each with its newline. */
  #readLines(bytes: Uint8Array, from: number, to: number): void {
    const values = this.#values;
    const smallest = this.#smallest;
    const largest = this.#largest;
    // The fast path reads a line that is one plain number. Other lines take the slow path below.
    const isPlain = this.#column === undefined;
    let at = from;
    let length = this.#length;
    let lineNumber = this.#lineNumber;
    while (at < to) {
      const lineFrom = at;
      lineNumber++;
      if (isPlain && lineNumber > this.#skip) {
        // 32-bit integers overflow with many digits; such numbers are parsed again.
        let digits = 0;
        let pointAt = 0;
        let digit = bytes[at]! ^ ZERO;
        while (digit < 10) {
          digits = (Math.imul(digits, 10) + digit) | 0;
          digit = bytes[++at]! ^ ZERO;
        }
        if (digit === (POINT ^ ZERO) && at > lineFrom) {
          pointAt = at;
          digit = bytes[++at]! ^ ZERO;
          while (digit < 10) {
            digits = (Math.imul(digits, 10) + digit) | 0;
            digit = bytes[++at]! ^ ZERO;
          }
        }
        const numberTo = at;
        if (digit === (RETURN ^ ZERO)) at++;
        if (bytes[at] === NEWLINE && numberTo > lineFrom) {
          const size =
            numberTo - lineFrom > INTEGER_DIGITS
              ? parseDecimal(bytes, lineFrom, numberTo)
              : pointAt === 0
                ? digits
                : digits / EXACT_POWERS[numberTo - pointAt - 1]!;
          if (size > largest || size < smallest) {
            this.#lineNumber = lineNumber;
            this.#refuse(bytes, lineFrom, at);
            at++;
            continue;
          }
          values[length++] = size;
          at++;
          if (length === BATCH) {
            this.#sink.onNumbers(values, BATCH);
            length = 0;
          }
          continue;
        }
      }
      // A call of indexOf takes longer than a line has bytes.
      while (bytes[at] !== NEWLINE) at++;
      const newline = at++;
      if (lineNumber <= this.#skip) continue;
      if (this.#column === 'every') {
        [this.#length, this.#lineNumber] = [length, lineNumber];
        this.#readWords(bytes, lineNumber === 1 ? afterMark(bytes, lineFrom) : lineFrom, newline);
        length = this.#length;
        continue;
      }
      const value = this.#valueOf(bytes, lineNumber === 1 ? afterMark(bytes, lineFrom) : lineFrom, newline);
      if (value === undefined) continue;
      if (this.#isTaken(value)) {
        values[length++] = value;
        if (length === BATCH) {
          this.#sink.onNumbers(values, BATCH);
          length = 0;
        }
      } else {
        this.#lineNumber = lineNumber;
        this.#refuse(bytes, lineFrom, newline);
      }
    }
    this.#length = length;
    this.#lineNumber = lineNumber;
  }

  /** Reads every word of a line as a number. */
  #readWords(bytes: Uint8Array, lineFrom: number, lineTo: number): void {
    let isComment: boolean | undefined;
    for (let from = lineFrom, to = from; from < lineTo; from = to + 1) {
      to = from;
      while (to < lineTo && !isBetweenWords(bytes[to]!)) to++;
      if (from === to) continue;
      isComment ??= bytes[from] === HASH;
      if (isComment) return;
      const value = parseDecimal(bytes, from, to);
      if (!this.#isTaken(value)) this.#refuse(bytes, from, to);
      else {
        this.#values[this.#length++] = value;
        if (this.#length === BATCH) this.#flush();
      }
    }
  }

  /** The number of a line: NaN when it has none, `undefined` when the line is empty or a comment. */
  #valueOf(bytes: Uint8Array, lineFrom: number, lineTo: number): number | undefined {
    let from = lineFrom;
    let to = lineTo;
    while (from < to && isBlank(bytes[from]!)) from++;
    while (from < to && isBlank(bytes[to - 1]!)) to--;
    if (from === to || bytes[from] === HASH) return undefined;
    const column = this.#column;
    if (typeof column !== 'number') return parseDecimal(bytes, from, to);
    if (this.#separator === -1) return columnOf(bytes, from, to, column, -1);
    // Blanks at the beginning may be separators: they stand for empty columns then.
    return columnOf(bytes, lineFrom, lineTo, column, this.#separator);
  }

  #isTaken(value: number): boolean {
    return value >= this.#smallest && value <= this.#largest;
  }

  #refuse(bytes: Uint8Array, from: number, to: number): void {
    const end = Math.min(to, from + SHOWN_BYTES);
    const text = new TextDecoder().decode(bytes.subarray(from, end)).replace(/\r$/, '');
    this.#sink.onBadLine({ lineNumber: this.#lineNumber, text: end < to ? `${text}…` : text });
  }

  #flush(): void {
    if (this.#length > 0) this.#sink.onNumbers(this.#values, this.#length);
    this.#length = 0;
  }
}

/** Where a text begins that may have a byte order mark of UTF-8. */
function afterMark(bytes: Uint8Array, from: number): number {
  return bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf ? from + 3 : from;
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === RETURN;
}

function isBetweenWords(byte: number): boolean {
  return isBlank(byte) || byte === COMMA || byte === SEMICOLON;
}

/** The number in a column of a line. With blanks between columns (-1), the line neither begins nor ends with one. */
function columnOf(bytes: Uint8Array, from: number, to: number, column: number, separator: number): number {
  let at = from;
  for (let passed = 1; passed < column; passed++) {
    at = cellTo(bytes, at, to, separator);
    if (at === to) return Number.NaN;
    at++;
    while (separator === -1 && isBlank(bytes[at]!)) at++;
  }
  let end = cellTo(bytes, at, to, separator);
  while (at < end && isBlank(bytes[at]!)) at++;
  while (at < end && isBlank(bytes[end - 1]!)) end--;
  const isQuoted = end - at > 1 && bytes[at] === QUOTE && bytes[end - 1] === QUOTE;
  return isQuoted ? parseDecimal(bytes, at + 1, end - 1) : parseDecimal(bytes, at, end);
}

/**
 * Where a cell ends: at the next separator that is not in quotes, or at the end of the line. A quote opens where a cell begins, behind
 * `=`, as in `rt="0.5"`, and right behind the quote that closed: `""` in quotes is a quote. Source: RFC 4180 §2. Between blanks a cell may
 * have quotes in it as web servers write them: `\"`.
 */
function cellTo(bytes: Uint8Array, from: number, to: number, separator: number): number {
  let at = from;
  while (separator !== SPACE && bytes[at] === SPACE) at++;
  let isQuoted = false;
  let closedAt = -1;
  for (const first = at; at < to; at++) {
    const byte = bytes[at]!;
    if (isQuoted) {
      if (byte === QUOTE) {
        isQuoted = false;
        closedAt = at;
      } else if (byte === BACKSLASH && separator === -1) at++;
    } else if (separator === -1 ? isBlank(byte) : byte === separator) return at;
    else if (byte === QUOTE) isQuoted = at === first || bytes[at - 1] === EQUALS || at - 1 === closedAt;
  }
  return to;
}

/** The fault of a line, in words for the people who wrote it. */
export function badLineText({ lineNumber, text }: BadLine): string {
  return `line ${lineNumber} has no number of at least 0 that can be counted: ${JSON.stringify(text)}`;
}
