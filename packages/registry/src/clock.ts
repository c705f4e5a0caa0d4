/** Where time comes from: injected, so that tests have their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Milliseconds since some moment, never going back. */
  readonly monotonicMs: () => number;
}

/** The clock of the runtime. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Every runtime has it; the language's own library does not declare it. */
declare const performance: { now(): number };
