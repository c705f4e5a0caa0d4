import { mustBe } from '@hdrscope/core/internal';
import type { Clock } from './clock.ts';

/**
 * Starts a stop-watch.
 *
 * @returns The time since the start, in the unit of the family.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the unit is not a unit of time.
 */
export function startStopWatch({
  nsPerUnit,
  unit,
  clock,
}: {
  readonly nsPerUnit: number | undefined;
  readonly unit: string;
  readonly clock: Clock;
}): () => number {
  if (nsPerUnit === undefined) {
    const allowed = 'a unit of time (ns, us, ms, s, min or h) where a timer starts';
    throw mustBe('ERR_INVALID_OPTION', "the family's unit", allowed, unit);
  }
  const startMs = clock.monotonicMs();
  return () => (clock.monotonicMs() - startMs) / (nsPerUnit / 1e6);
}
