import { HdrscopeError } from '@hdrscope/core';

/** How much may be read from a source that nobody trusts. A limit that is left out does not exist. */
export interface BudgetLimits {
  /** Bytes or characters, after decompression. */
  readonly bytes?: number;
  /** How many parts: whatever becomes an object or a number in memory, such as messages, items of lists and keys. */
  readonly elements?: number;
  /** How many levels parts may lie within each other. */
  readonly depth?: number;
}

const BYTES = 0;
const ELEMENTS = 1;
const DEPTH = 2;

/**
 * Counts what is read from outside, while it is read. The first limit that is passed ends the reading with an error, so memory and
 * time stay in proportion to the limits, whatever is sent. Each request, file or document has a budget of its own.
 *
 * @example
 * ```ts
 * import { Budget } from '@hdrscope/kit';
 *
 * const budget = new Budget('the body', { elements: 3, depth: 1 });
 * budget.takeElements(2);
 * budget.takeElements(2); //=> throws ERR_TOO_LARGE
 * budget.enter();
 * budget.enter(); //=> throws ERR_TOO_LARGE
 * ```
 */
export class Budget {
  readonly #what: string;
  readonly #limits: BudgetLimits;
  /** Bytes, elements and levels. V8 makes an object for each fraction that a property gets, and for none that an array gets. */
  readonly #left: Float64Array;

  /** @param what The subject of an error, such as `the body`. */
  constructor(what: string, limits: BudgetLimits) {
    const { bytes, elements, depth } = limits;
    this.#what = what;
    this.#limits = limits;
    this.#left = Float64Array.of(
      bytes ?? Number.POSITIVE_INFINITY,
      elements ?? Number.POSITIVE_INFINITY,
      depth ?? Number.POSITIVE_INFINITY,
    );
  }

  /**
   * Counts bytes that were read.
   *
   * @throws HdrscopeError `ERR_TOO_LARGE` when there are more bytes than the limit, with the details `limit` and `most`.
   */
  takeBytes(count: number): void {
    this.#left[BYTES]! -= count;
    if (this.#left[BYTES]! < 0) throw this.#passed('bytes', 'bytes');
  }

  /**
   * Counts elements that were read, such as items of arrays or lines.
   *
   * @throws HdrscopeError `ERR_TOO_LARGE` when there are more elements than the limit, with the details `limit` and `most`.
   */
  takeElements(count = 1): void {
    this.#left[ELEMENTS]! -= count;
    if (this.#left[ELEMENTS]! < 0) throw this.#passed('elements', 'elements');
  }

  /**
   * Goes one level deeper: `leave` comes back.
   *
   * @throws HdrscopeError `ERR_TOO_LARGE` when this is deeper than the limit, with the details `limit` and `most`.
   */
  enter(): void {
    this.#left[DEPTH]! -= 1;
    if (this.#left[DEPTH]! < 0) throw this.#passed('depth', 'levels');
  }

  /** Comes back from a level: undoes one `enter`. */
  leave(): void {
    this.#left[DEPTH]! += 1;
  }

  #passed(limit: keyof BudgetLimits, unit: string): HdrscopeError {
    const most = this.#limits[limit]!;
    return new HdrscopeError('ERR_TOO_LARGE', `${this.#what} must have at most ${most} ${unit}`, {
      details: { what: this.#what, limit, most },
    });
  }
}
