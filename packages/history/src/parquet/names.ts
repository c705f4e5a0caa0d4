import { basename, dirname, join } from 'node:path';

/** The end of the names of whole files. */
export const ENDING = '.parquet';
/** The end of the name of a file that is being written. */
export const PARTIAL = '.partial';
/** The end of the name of a file whose rows its writer writes again into a larger one: it goes when engines may be reading it. */
export const WAITING = '.waiting';
/** The end of the name of a damaged file that was set aside. */
export const DAMAGED = '.damaged';

/**
 * The path of a file that engines leave out: most of them take names with an ending only, and Spark takes all that do not begin with `_`.
 *
 * @param path Its final path.
 */
export function hiddenPath(path: string, ending: typeof PARTIAL | typeof WAITING | typeof DAMAGED): string {
  return join(dirname(path), `_${basename(path)}${ending}`);
}

/** The final name of a file whose rows wait; `undefined` for all others. */
export function nameOfWaiting(name: string): string | undefined {
  return name.startsWith('_') && name.endsWith(ENDING + WAITING) ? name.slice(1, -WAITING.length) : undefined;
}

/** How the name of a day's folder begins. */
export const DAY = 'day=';

const LONGEST_PRODUCER = 100;

/** The day of a time, in UTC: `2026-11-22`. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

// The names of later days have a sign and more digits, and would come before all others.
const LAST_DAY_MS = Date.parse('9999-12-31');

/** The day of a time, as an end of a span of days. */
export function lastDayOf(timeMs: number): string {
  return dayOf(Math.min(timeMs, LAST_DAY_MS));
}

/** Whether the name of a folder is that of a day. */
export function isDayFolder(name: string): boolean {
  return /^day=\d{4}-\d{2}-\d{2}$/.test(name);
}

/** The name of a file: the start of its first row, its producer and a number that no other file of the producer has. */
export function fileName(startMs: number, producer: string, n: number): string {
  const safe = producer.replace(/[^A-Za-z0-9._-]+/g, '-').slice(-LONGEST_PRODUCER);
  return `${Math.max(0, Math.floor(startMs))}-${safe}-${n}${ENDING}`;
}
