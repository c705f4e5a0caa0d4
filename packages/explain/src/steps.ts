/**
 * Work in steps of a few milliseconds. A caller lets other work run between them, or runs all at once with `finish`.
 * `yield*` takes the steps of a part.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** Takes all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
