import { Slices } from './slices.ts';

/** Long work, one piece after another, in slices between which other work of the process runs. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Begins a work when all earlier ones are done.
   *
   * @param begin Returns the work. It pauses after each piece.
   * @returns What the work returns. Rejects when it throws; later works are not affected.
   */
  take<Result>(begin: () => Iterator<void, Result, void>): Promise<Result> {
    const result = this.#last.then(() => inSlices(begin()));
    this.#last = result.catch(() => {});
    return result;
  }
}

async function inSlices<Result>(work: Iterator<void, Result, void>): Promise<Result> {
  const slices = new Slices();
  for (;;) {
    const piece = work.next();
    if (piece.done === true) return piece.value;
    if (slices.isOver()) await slices.next();
  }
}
