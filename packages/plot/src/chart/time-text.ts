const DAY_MS = 86_400_000;

/** A moment of a day in UTC: `12:04:30`, with `.250` where it is none of a whole second. */
export function timeText(ms: number): string {
  const text = isoOf(ms);
  if (text === undefined) return '-';
  return ms % 1000 === 0 ? text.slice(11, 19) : text.slice(11, 23);
}

/** A moment in UTC with its date: `2026-01-31 12:04:30`. */
export function dateTimeText(ms: number): string {
  const text = isoOf(ms);
  return text === undefined ? '-' : `${text.slice(0, 10)} ${timeText(ms)}`;
}

/** What a tick of a time axis says: the date where a day begins. */
export function timeTickText(ms: number): string {
  return ms % DAY_MS === 0 ? (isoOf(ms)?.slice(0, 10) ?? '-') : timeText(ms);
}

/** What a time axis is called, with the date that its labels leave out. */
export function timeAxisName(fromMs: number, toMs: number): string {
  const [from, to] = [isoOf(fromMs)?.slice(0, 10), isoOf(toMs)?.slice(0, 10)];
  if (from === undefined || to === undefined) return 'time (UTC)';
  return from === to ? `time (UTC), ${from}` : `time (UTC), ${from} to ${to}`;
}

/** `undefined` for what is no moment, as nothing that is drawn should fail for its label. */
function isoOf(ms: number): string | undefined {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined;
}
