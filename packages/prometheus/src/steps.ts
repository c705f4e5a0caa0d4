import type { Slices } from '@hdrscope/kit';

/** Work that pauses after each piece: whoever runs it decides whether other work comes in between. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all of the work now. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does the work in slices, between which other work of the process runs. Rejects between two slices when `signal` is aborted. */
export async function inSlices<Result>(
  steps: Steps<Result>,
  slices: Slices,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (!slices.isOver()) continue;
    await slices.next();
    signal?.throwIfAborted();
  }
}
