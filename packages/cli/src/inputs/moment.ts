import type { Moment } from '@hdrscope/interval-log';
import { isDecimal, wrongOption } from '../arguments.ts';
import { durationSeconds } from '../duration.ts';

const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;

/**
 * A moment of a log: `90` or `1m30s` after its start; a date of ISO 8601, which is UTC unless it says otherwise; or
 * seconds since 1970, which are recognised because no log is a year long.
 *
 * @throws UsageError
 */
export function parseMoment(text: string, name: string): Moment {
  if (ISO_DATE.test(text)) {
    const epochMs = Date.parse(hasZone(text) ? text : `${text.replace(' ', 'T')}Z`);
    if (!Number.isNaN(epochMs)) return { epochSec: epochMs / 1000 };
  }
  const epochSec = isDecimal(text) ? Number(text) : Number.NaN;
  if (isEpoch(epochSec) && Number.isFinite(epochSec)) return { epochSec };
  const offsetSec = durationSeconds(text);
  // Hundreds of digits are beyond all numbers.
  if (offsetSec !== undefined && Number.isFinite(offsetSec)) return { offsetSec };
  throw wrongOption(
    name,
    'seconds or a duration after the start of the log (90, 1m30s), a date (2026-03-01T12:00:00Z) or seconds since 1970',
    text,
  );
}

function hasZone(text: string): boolean {
  return (
    /(Z|[+-]\d{2}:?\d{2})$/i.test(text.slice('2026-03-01'.length)) || text.length === '2026-03-01'.length
  );
}

// The reader of logs decides the same way: times within a year of 1970 are not since 1970.
const YEAR_SEC = 365 * 24 * 3600;

/** Whether seconds count from 1970, and not from an unknown start. */
export function isEpoch(seconds: number): boolean {
  return seconds >= YEAR_SEC;
}
