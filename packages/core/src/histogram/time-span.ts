/** When the first and the last of some values were counted, in milliseconds since 1970; left out when unknown. */
export interface TimeSpan {
  /** When the first value was counted, in milliseconds since 1970. */
  readonly startTimeMs?: number | undefined;
  /** When the last value was counted, in milliseconds since 1970. */
  readonly endTimeMs?: number | undefined;
}

/** The earlier of two times; the other one when one is unknown. */
export function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** The later of two times; the other one when one is unknown. */
export function most(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
