/** Takes the requests of a load test. */
export interface RequestSink {
  /**
   * @param durationMs The duration in milliseconds, of at least 0.
   * @param atSec The moment in seconds: since 1970, or since the start of the test.
   */
  onRequest(durationMs: number, atSec: number): void;
  /** Takes the outcome of a request, if the output states it. */
  onOutcome?(isFailed: boolean): void;
}

// Thirty years in milliseconds: in nanoseconds it still fits into a histogram.
const LONGEST_MS = 1e12;
// The last moment that a date of JavaScript has.
const LATEST_SEC = 8.64e12;

/** Whether numbers are a duration in milliseconds and a moment in seconds. */
export function isRequest(durationMs: number, atSec: number): boolean {
  return durationMs >= 0 && durationMs <= LONGEST_MS && atSec >= 0 && atSec <= LATEST_SEC;
}
