/**
 * A work in steps that is done again and again. At leisure, each step is a task of its own, and keys are heard between them.
 *
 * Each `yield` ends a step.
 */
export class SteppedWork {
  readonly #begin: () => Iterator<void>;
  #timer: number | undefined;
  /** Whether something has changed after the first step, so that all steps are due again. */
  #isDueAgain = false;

  /** @param begin Begins the work anew. */
  constructor(begin: () => Iterator<void>) {
    this.#begin = begin;
  }

  /** Does all steps at once. Steps that were still to come need not be done any more. */
  doNow(): void {
    window.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDueAgain = false;
    const steps = this.#begin();
    while (!steps.next().done);
  }

  /** Does the steps in later tasks. When they are under way, they are done again after the last one. */
  doSoon(): void {
    if (this.#timer === undefined) this.#goOn(this.#begin());
    else this.#isDueAgain = true;
  }

  #goOn(steps: Iterator<void>): void {
    this.#timer = window.setTimeout(() => {
      if (!steps.next().done) {
        this.#goOn(steps);
        return;
      }
      this.#timer = undefined;
      if (!this.#isDueAgain) return;
      this.#isDueAgain = false;
      this.doSoon();
    });
  }
}
