/** Hints of an answer about the next request. */
export interface DeliveryHints {
  /** Whether the answer to the same request will be the same. */
  readonly isFinal: boolean;
  /** How long the receiver asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/**
 * How long a sender waits after a failure: 1 s, 2 s, 4 s, up to 30 s, each up to a half shorter by chance, and as long as
 * the receiver asks for.
 *
 * @param failures How many requests have failed in a row: at least 1.
 * @param intervalMs The time between two requests. The first wait is not longer; after an answer that is final, no wait is shorter.
 * @param mostMs The longest time that the receiver may ask for.
 */
export function backoffMs(
  failures: number,
  intervalMs: number,
  hints: DeliveryHints | undefined,
  mostMs: number,
): number {
  const first = Math.min(FIRST_WAIT_MS, intervalMs);
  const grown = Math.min(LONGEST_WAIT_MS, first * 2 ** Math.min(30, Math.max(0, failures - 1)));
  const chosen = grown * (1 - Math.random() / 2);
  // A request that is refused for good needs a person; the next interval is early enough.
  const least = hints?.isFinal ? Math.max(chosen, intervalMs) : chosen;
  return Math.max(least, Math.min(hints?.retryAfterMs ?? 0, mostMs));
}

/**
 * The value of a `Retry-After` in milliseconds: seconds, or a date.
 * Source: https://www.rfc-editor.org/rfc/rfc9110#name-retry-after
 *
 * @returns `undefined` for any other text.
 */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // Without a letter, `Date.parse` would read numbers as years.
  const dateMs = /^[A-Z]/i.test(value) && value.length < 64 ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
