/** What is known of lines that are the same but for their values. */
interface Row<Known> {
  /** The bytes before and after the values, without what separates them. */
  readonly bytes: Uint8Array;
  /** How many of them are before. */
  readonly before: number;
  readonly hash: number;
  readonly known: Known;
}

/** The most rows: beyond them, all are forgotten. */
const MOST_ROWS = 2 ** 16;
/** The most bytes of all rows. */
const MOST_BYTES = 2 ** 24;
const FIRST_SLOTS = 64;

/**
 * Finds what is known of a line by its bytes, without making texts of them: a table of hashes, whose rows are compared with the line. Its memory
 * is bounded: a table that is full is emptied, since clients may send names without end.
 */
export class LineTable<Known> {
  /** Its length is a power of two, and more than twice the number of rows. */
  #rows: (Row<Known> | undefined)[] = emptyRows(FIRST_SLOTS);
  #count = 0;
  #byteLength = 0;

  /**
   * What is known of a line.
   *
   * @param hash Of the name and the fields: equal for equal bytes.
   * @param from Where its name begins; it ends before `colon`.
   * @param pipe Where the fields after the values begin; they end before `end`.
   */
  find(
    hash: number,
    bytes: Uint8Array,
    from: number,
    colon: number,
    pipe: number,
    end: number,
  ): Known | undefined {
    const before = colon - from;
    const length = before + end - pipe;
    const rows = this.#rows;
    const mask = rows.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = rows[slot];
      if (row === undefined) return undefined;
      if (row.hash !== hash || row.before !== before || row.bytes.length !== length) continue;
      const own = row.bytes;
      let at = 0;
      while (at < before && own[at] === bytes[from + at]) at++;
      if (at < before) continue;
      const shift = pipe - before;
      while (at < length && own[at] === bytes[shift + at]) at++;
      if (at === length) return row.known;
    }
  }

  /** Keeps what is known of a line that `find` has not found. */
  add(
    hash: number,
    bytes: Uint8Array,
    from: number,
    colon: number,
    pipe: number,
    end: number,
    known: Known,
  ): void {
    const before = colon - from;
    const length = before + end - pipe;
    if (this.#count === MOST_ROWS || this.#byteLength + length > MOST_BYTES) this.clear();
    const own = new Uint8Array(length);
    own.set(bytes.subarray(from, colon));
    own.set(bytes.subarray(pipe, end), before);
    if (2 * (this.#count + 1) >= this.#rows.length) this.#grow();
    place(this.#rows, { bytes: own, before, hash, known });
    this.#count++;
    this.#byteLength += length;
  }

  /** Forgets all lines. */
  clear(): void {
    this.#rows = emptyRows(FIRST_SLOTS);
    this.#count = 0;
    this.#byteLength = 0;
  }

  #grow(): void {
    const rows = emptyRows<Known>(2 * this.#rows.length);
    for (const row of this.#rows) if (row !== undefined) place(rows, row);
    this.#rows = rows;
  }
}

function emptyRows<Known>(slots: number): (Row<Known> | undefined)[] {
  return new Array<Row<Known> | undefined>(slots).fill(undefined);
}

function place<Known>(rows: (Row<Known> | undefined)[], row: Row<Known>): void {
  const mask = rows.length - 1;
  let slot = row.hash & mask;
  while (rows[slot] !== undefined) slot = (slot + 1) & mask;
  rows[slot] = row;
}
