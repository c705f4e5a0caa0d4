import { having, type OptionRule } from '@hdrscope/core/internal';

/** A source of time. Tests use a clock of their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Milliseconds since an arbitrary moment. Never goes back. */
  readonly monotonicMs: () => number;
}

/** The clock of the runtime. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

export const clock: OptionRule<Clock> = /* @__PURE__ */ having('a clock', 'nowMs', 'monotonicMs');

/** Every runtime has it, but the library of the language does not declare it. */
declare const performance: { now(): number };
