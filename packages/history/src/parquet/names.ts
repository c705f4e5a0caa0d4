/** The end of the names of whole files. Files that are being written have another one, so no engine reads them. */
export const ENDING = '.parquet';
export const PARTIAL = '.partial';
/**
 * The end of the name of a file whose rows its writer writes again into a larger one. Readers of a history read it, and engines do not, since
 * it goes when they may be reading it.
 */
export const WAITING = `${ENDING}.waiting`;
/** The end of the name of a damaged file that was set aside. */
export const DAMAGED = '.damaged';

/** How the name of a day's folder begins. */
export const DAY = 'day=';

const LONGEST_PRODUCER = 100;

/** The day of a time, in UTC: `2026-11-22`. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
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
