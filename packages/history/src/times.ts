import { mustBe } from '@hdrscope/core/internal';

/** An hour, in milliseconds. */
export const HOUR_MS = 3_600_000;
/** A day, in milliseconds. */
export const DAY_MS = 86_400_000;

/** Refuses a length of stretches of time that pass midnight. @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertPartOfDay(everyMs: number): void {
  if (Number.isInteger(everyMs) && everyMs >= 1 && DAY_MS % everyMs === 0) return;
  throw mustBe('ERR_INVALID_OPTION', 'everyMs', 'an integer of milliseconds that divides a day', everyMs);
}
