/** How the values of a stretch are kept. */
interface StretchKind<Values> {
  readonly create: () => Values;
  /** Adds the values of `from` to `into`. */
  readonly merge: (into: Values, from: Values) => void;
}

/**
 * Values by equal stretches of time, of which there are never more than {@link MOST_STRETCHES}: when there would be, neighbours join, and
 * stretches are twice as long. So a run of any length takes the same memory, and its end need not be known.
 */
export class Stretches<Values> {
  readonly #kind: StretchKind<Values>;
  /** By the number of their stretch, from the start of the first one. */
  #values = new Map<number, Values>();
  #start: number | undefined;
  readonly #width: number;
  /** How many of the first stretches one has: a power of two. */
  #joined = 1;

  /** @param width How long a stretch is at first, in the unit of the moments. Above 0. */
  constructor(width: number, kind: StretchKind<Values>) {
    this.#width = width;
    this.#kind = kind;
  }

  /**
   * The values of the stretch that begins nearest to a moment, for adding more. Intervals of a program begin a little early or late, and
   * are not torn apart by that.
   */
  at(moment: number): Values {
    this.#start ??= moment;
    const found = this.find(moment);
    if (found !== undefined) return found;
    if (this.#values.size === MOST_STRETCHES) this.#join();
    const number = this.#numberOf(moment, this.#start);
    const values = this.#values.get(number) ?? this.#kind.create();
    this.#values.set(number, values);
    return values;
  }

  /** The values of that stretch, if there are any. What was found is valid until `at` makes another stretch. */
  find(moment: number): Values | undefined {
    return this.#start === undefined ? undefined : this.#values.get(this.#numberOf(moment, this.#start));
  }

  /** Those that have values, in the order of time. */
  inOrder(): Values[] {
    return [...this.#values].sort(([a], [b]) => a - b).map(([, values]) => values);
  }

  #numberOf(moment: number, start: number): number {
    return Math.floor(Math.round((moment - start) / this.#width) / this.#joined);
  }

  /** Joins neighbours until half of the room is free. Stretches may have wide gaps, which joining does not shorten at once. */
  #join(): void {
    while (this.#values.size > MOST_STRETCHES / 2) {
      const joined = new Map<number, Values>();
      for (const [number, values] of this.#values) {
        const into = joined.get(Math.floor(number / 2));
        if (into === undefined) joined.set(Math.floor(number / 2), values);
        else this.#kind.merge(into, values);
      }
      this.#joined *= 2;
      this.#values = joined;
    }
  }
}

/** Enough to know a correlation, and few enough to keep. */
const MOST_STRETCHES = 480;
