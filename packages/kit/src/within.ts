/** The longest delay that a timer of Node.js and of browsers takes, about 24 days: a longer one fires at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** `within` rejects with it when time is up. */
export class TimeoutError extends Error {
  /** The class's name. It stays the same when a bundler renames the class. */
  override readonly name = 'TimeoutError';
}

/** How `within` waits. */
export interface WithinOptions {
  /** Whether the process may end while the work is waited for. @default true */
  readonly unref?: boolean;
}

/**
 * The result of some work, or a `TimeoutError` when the work takes longer. The work itself goes on: nothing cancels it,
 * and a later failure of it is ignored.
 *
 * @param timeoutMs Above 0; at most `LONGEST_TIMER_MS` is waited.
 * @example
 * ```ts
 * import { within } from '@hdrscope/kit';
 *
 * await within(Promise.resolve(7), 1000); //=> 7
 * ```
 */
export async function within<Result>(
  work: Promise<Result>,
  timeoutMs: number,
  { unref = true }: WithinOptions = {},
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const onLate = (): void => reject(new TimeoutError(`not done within ${Math.round(timeoutMs)} ms`));
    timer = setTimeout(onLate, Math.min(timeoutMs, LONGEST_TIMER_MS));
    if (unref) timer.unref?.();
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether some work ends in time. The process does not end meanwhile: somebody waits for the end of a sink.
 *
 * @param work Must not reject.
 * @param timeoutMs At least a millisecond is waited.
 */
export function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  return within(work, Math.max(timeoutMs, 1), { unref: false }).then(
    () => true,
    () => false,
  );
}
