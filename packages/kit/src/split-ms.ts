/**
 * Splits a time, as protobuf and OpenTelemetry write it.
 *
 * @param ms Milliseconds, also fractions of them.
 * @returns Whole seconds, and nanoseconds from 0 to 999,999,999.
 * @example
 * ```ts
 * import { splitMs } from '@hdrscope/kit';
 *
 * splitMs(1500.25); //=> [1, 500_250_000]
 * splitMs(-1); //=> [-1, 999_000_000]
 * ```
 */
export function splitMs(ms: number): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(ms / 1000);
  // A fraction just below a second would be rounded to it.
  return [seconds, Math.min(999_999_999, Math.round((ms - seconds * 1000) * 1e6))];
}
