/** When the first and the last of some values were counted, in milliseconds since 1970, where somebody said so. */
export interface TimeSpan {
  readonly startTimeMs?: number | undefined;
  readonly endTimeMs?: number | undefined;
}

/** The earlier of two times, of which nobody may have told one or both. */
export function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** The later one. */
export function most(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
