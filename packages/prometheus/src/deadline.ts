import { mustBe } from '@hdrscope/core';

/** The time limits of a scrape, in milliseconds. */
export interface Deadline {
  /** After this, the answer leaves out sources that have not finished. */
  readonly softMs: number;
  /** After this, the scrape is refused. At least `softMs`. */
  readonly hardMs: number;
}

// Time kept for rendering the answer and for its way to the scraper.
const SHARE_LEFT = 0.1;
const MOST_LEFT_MS = 500;

/** The longest that a timer of Node takes. */
const LONGEST_MS = 2 ** 31 - 1;

/** @throws HdrscopeError `ERR_INVALID_OPTION` when the timeout is not above 0. */
export function assertTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || timeoutMs > 0) return;
  throw mustBe('ERR_INVALID_OPTION', 'timeoutMs', 'a number above 0', timeoutMs);
}

/**
 * The time limits of a scrape. Both are shorter than the scraper waits, so that it gets an answer in any case.
 *
 * @param header `X-Prometheus-Scrape-Timeout-Seconds`. Anything but a positive number counts as absent.
 * @param defaultMs The wait of a scraper that does not send the header.
 */
export function deadlineOf(header: string | undefined, defaultMs: number): Deadline {
  const seconds = Number(header);
  const waitsMs = Math.min(seconds > 0 ? seconds * 1000 : defaultMs, LONGEST_MS);
  const leftMs = Math.min(waitsMs * SHARE_LEFT, MOST_LEFT_MS);
  return { softMs: waitsMs - 2 * leftMs, hardMs: waitsMs - leftMs };
}

/** Thrown by `within` where time is up. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * The promise's result, or a `TimeoutError` when it takes longer; what the promise does goes on. The wait keeps no
 * process alive.
 */
export async function within<Result>(promise: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const late = (): void => reject(new TimeoutError(`not done within ${Math.round(timeoutMs)} ms`));
    timer = setTimeout(late, Math.min(timeoutMs, LONGEST_MS)).unref();
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
