import { EXACT_POWERS, parseDecimal } from './decimal.ts';

/** Which numbers of a text are read. */
export interface NumberFormat {
  /** From 1; without it a line is one number, with or without blanks around it. */
  readonly column?: number | undefined;
  /** One ASCII character between columns; without it, blanks are. Only with `column`. */
  readonly separator?: string | undefined;
  /** Lines at the beginning that are not read, such as a header. @default 0 */
  readonly skip?: number | undefined;
  /** The largest number that is taken. @default Number.MAX_VALUE */
  readonly largest?: number | undefined;
}

/** A line that has no number to be counted. */
export interface BadLine {
  /** From 1. */
  readonly lineNumber: number;
  /** Its beginning. */
  readonly text: string;
}

/** Where numbers go. */
export interface NumberSink {
  /** Takes the first `length` numbers of `values`, which is written anew afterwards. */
  onNumbers(values: Float64Array, length: number): void;
  onBadLine(line: BadLine): void;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const HASH = 0x23;
const ZERO = 0x30;
const POINT = 0x2e;

/** So many digits are below 2^31. */
const INTEGER_DIGITS = 9;
const BATCH = 4096;
const SHOWN_BYTES = 60;
// No number is written with so many, and no line that has one need be longer.
const LONGEST_LINE_BYTES = 2 ** 20;

/**
 * Reads numbers from a text that comes in chunks, which may end anywhere: no text is made of a line unless it is bad.
 * Numbers are 0 or more; empty lines, and those that begin with `#`, are passed over.
 */
export class NumberReader {
  readonly #sink: NumberSink;
  readonly #column: number | undefined;
  /** The byte between columns, or -1 for blanks. */
  readonly #separator: number;
  readonly #skip: number;
  readonly #largest: number;
  readonly #values = new Float64Array(BATCH);
  /** How many of `#values` are waiting. Below `BATCH`. */
  #length = 0;
  /** Of lines that are read. */
  #lineNumber = 0;
  /** The beginning of a line whose end has not come. */
  #rest: Uint8Array = new Uint8Array(0);
  /** Whether that line is too long, and only its end is waited for. */
  #isTooLong = false;

  constructor(sink: NumberSink, { column, separator, skip = 0, largest = Number.MAX_VALUE }: NumberFormat) {
    this.#sink = sink;
    this.#column = column;
    this.#separator = separator === undefined ? -1 : separator.charCodeAt(0);
    this.#skip = skip;
    this.#largest = largest;
  }

  /** How many lines were read, with their ends. */
  get lineCount(): number {
    return this.#lineNumber;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    if (this.#rest.length > 0 || this.#isTooLong) {
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
  }

  /**
   * After the last chunk: its last line may have no newline.
   *
   * @param isCut Whether it ends where it should not: of its last line nobody knows then what the number was.
   */
  end(isCut = false): void {
    if (!isCut && (this.#rest.length > 0 || this.#isTooLong)) {
      this.#keep(Uint8Array.of(NEWLINE));
      this.#finishRest();
    }
    this.#flush();
  }

  #keep(bytes: Uint8Array): void {
    if (this.#isTooLong) return;
    const joined = new Uint8Array(this.#rest.length + bytes.length);
    joined.set(this.#rest);
    joined.set(bytes, this.#rest.length);
    this.#isTooLong = joined.length > LONGEST_LINE_BYTES;
    this.#rest = this.#isTooLong ? joined.slice(0, SHOWN_BYTES + 1) : joined;
  }

  #finishRest(): void {
    const line = this.#rest;
    this.#rest = new Uint8Array(0);
    if (!this.#isTooLong) {
      this.#readLines(line, 0, line.length);
      return;
    }
    this.#isTooLong = false;
    this.#lineNumber++;
    if (this.#lineNumber > this.#skip && line[0] !== HASH) this.#refuse(line, 0, line.length);
  }

  /** Whole lines, each with its newline. */
  #readLines(bytes: Uint8Array, from: number, to: number): void {
    const values = this.#values;
    const largest = this.#largest;
    // A number as most are, straight: the rest goes the long way.
    const isPlain = this.#column === undefined;
    let at = from;
    let length = this.#length;
    let lineNumber = this.#lineNumber;
    while (at < to) {
      const lineFrom = at;
      lineNumber++;
      if (isPlain && lineNumber > this.#skip) {
        // In 32-bit integers, which are right where there are few digits.
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
          if (size > largest) {
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
      const value = this.#valueOf(bytes, lineNumber === 1 ? afterMark(bytes, lineFrom) : lineFrom, newline);
      if (value === undefined) continue;
      if (value >= 0 && value <= largest) {
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

  /** The number of a line, NaN where it has none, or `undefined` where nothing is wanted of it. */
  #valueOf(bytes: Uint8Array, lineFrom: number, lineTo: number): number | undefined {
    let from = lineFrom;
    let to = lineTo;
    while (from < to && isBlank(bytes[from]!)) from++;
    while (from < to && isBlank(bytes[to - 1]!)) to--;
    if (from === to || bytes[from] === HASH) return undefined;
    const column = this.#column;
    if (column === undefined) return parseDecimal(bytes, from, to);
    if (this.#separator === -1) return blankColumn(bytes, from, to, column);
    // Blanks at the beginning may be separators, and stand for empty columns then.
    return separatedColumn(bytes, lineFrom, lineTo, column, this.#separator);
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

/** Behind the byte order mark of UTF-8. */
function afterMark(bytes: Uint8Array, from: number): number {
  return bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf ? from + 3 : from;
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === RETURN;
}

/** The number in a column of a line that neither begins nor ends with a blank. */
function blankColumn(bytes: Uint8Array, from: number, to: number, column: number): number {
  let at = from;
  for (let passed = 1; passed < column; passed++) {
    while (at < to && !isBlank(bytes[at]!)) at++;
    while (at < to && isBlank(bytes[at]!)) at++;
  }
  let end = at;
  while (end < to && !isBlank(bytes[end]!)) end++;
  return parseDecimal(bytes, at, end);
}

function separatedColumn(
  bytes: Uint8Array,
  from: number,
  to: number,
  column: number,
  separator: number,
): number {
  let at = from;
  for (let passed = 1; passed < column; passed++) {
    while (at < to && bytes[at] !== separator) at++;
    if (at === to) return Number.NaN;
    at++;
  }
  let end = at;
  while (end < to && bytes[end] !== separator) end++;
  while (at < end && isBlank(bytes[at]!)) at++;
  while (at < end && isBlank(bytes[end - 1]!)) end--;
  return parseDecimal(bytes, at, end);
}

/** What is wrong with a line, for the person who has written it. */
export function badLineText({ lineNumber, text }: BadLine): string {
  return `line ${lineNumber} has no number of at least 0 that can be counted: ${JSON.stringify(text)}`;
}
