/** How long after a dump a schema belongs to it. ceph-exporter asks for both at once. */
const PAIRED_MS = 5000;

/**
 * Numbers for a dump, and for the schema that is asked for next. ceph-exporter matches both by names and places: if a series began or
 * ended between them, it would show values under the labels of other series.
 */
export class Paired<Numbers> {
  readonly #read: () => Numbers | Promise<Numbers>;
  /** What the last dump had, until a schema has described it. */
  #dumped: { readonly numbers: Numbers; readonly atMs: number } | undefined;

  constructor(read: () => Numbers | Promise<Numbers>) {
    this.#read = read;
  }

  async forDump(): Promise<Numbers> {
    const numbers = await this.#read();
    this.#dumped = { numbers, atMs: performance.now() };
    return numbers;
  }

  async forSchema(): Promise<Numbers> {
    const dumped = this.#dumped;
    this.#dumped = undefined;
    return dumped !== undefined && performance.now() - dumped.atMs < PAIRED_MS
      ? dumped.numbers
      : this.#read();
  }
}
