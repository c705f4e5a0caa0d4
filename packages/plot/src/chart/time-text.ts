const DAY_MS = 86_400_000;

/** A moment of a day in UTC: `12:04:30`, with `.250` where it is none of a whole second. */
export function timeText(ms: number): string {
  return ms % 1000 === 0 ? partsOf(ms).time.slice(0, 8) : partsOf(ms).time;
}

/** A moment in UTC with its date: `2026-01-31 12:04:30`. */
export function dateTimeText(ms: number): string {
  return isMoment(ms) ? `${partsOf(ms).date} ${timeText(ms)}` : '-';
}

/** What a tick of a time axis says: the date where a day begins. */
export function timeTickText(ms: number): string {
  return ms % DAY_MS === 0 ? partsOf(ms).date : timeText(ms);
}

/** What a time axis is called, with the date that its labels leave out. */
export function timeAxisName(fromMs: number, toMs: number): string {
  if (!isMoment(fromMs) || !isMoment(toMs)) return 'time (UTC)';
  const [from, to] = [partsOf(fromMs).date, partsOf(toMs).date];
  return from === to ? `time (UTC), ${from}` : `time (UTC), ${from} to ${to}`;
}

/** Whether a `Date` can hold it. */
function isMoment(ms: number): boolean {
  return Math.abs(ms) <= 8.64e15;
}

/** Date and time in UTC; `-` for what is no moment, so that no drawing fails for a label. */
function partsOf(ms: number): { readonly date: string; readonly time: string } {
  if (!isMoment(ms)) return { date: '-', time: '-' };
  const [date, time] = new Date(ms).toISOString().slice(0, -1).split('T');
  return { date: date!, time: time! };
}
