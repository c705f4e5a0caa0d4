/** Rounds to microseconds. It removes the error of sums of doubles: `1441812279.474 + 0.526` becomes a whole second. */
export function toMicros(seconds: number): number {
  // Adding 0 makes 0 of -0, which a log would have as -0.000.
  const rounded = Math.round(seconds * 1e6) / 1e6 + 0;
  return Number.isFinite(rounded) ? rounded : seconds;
}
