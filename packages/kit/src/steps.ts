import type { Slices } from './slices.ts';

/** Work that pauses after each piece: whoever runs it decides whether other work comes in between. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/**
 * Does all of the work now.
 *
 * @example
 * ```ts
 * import { atOnce, type Steps } from '@hdrscope/kit';
 *
 * function* sumOf(numbers: readonly number[]): Steps<number> {
 *   let sum = 0;
 *   for (const number of numbers) {
 *     sum += number;
 *     yield;
 *   }
 *   return sum;
 * }
 * atOnce(sumOf([1, 2, 4])); //=> 7
 * ```
 */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Does the work in slices, between which other work of the process runs. Rejects between two slices when `signal` is aborted.
 *
 * @param slices Those of more work, if this is a part of it.
 * @param signal An `AbortSignal`. @default nothing stops the work
 */
export async function inSlices<Result>(
  steps: Steps<Result>,
  slices: Slices,
  signal?: { throwIfAborted(): void },
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (!slices.isOver()) continue;
    await slices.next();
    signal?.throwIfAborted();
  }
}
