const DAY_MS = 86_400_000;

/** The time of day in UTC: `12:04:30`, or `12:04:30.250` when the moment is not a whole second. */
export function timeText(ms: number): string {
  return ms % 1000 === 0 ? partsOf(ms).time.slice(0, 8) : partsOf(ms).time;
}

/** Date and time in UTC: `2026-01-31 12:04:30`. */
export function dateTimeText(ms: number): string {
  return isMoment(ms) ? `${partsOf(ms).date} ${timeText(ms)}` : '-';
}

/** The label of a time axis: the date at the begin of a day, otherwise the time. */
export function timeTickText(ms: number): string {
  return ms % DAY_MS === 0 ? partsOf(ms).date : timeText(ms);
}

/** The name of a time axis, with the date that its labels leave out. */
export function timeAxisName(fromMs: number, toMs: number): string {
  if (!isMoment(fromMs) || !isMoment(toMs)) return 'time (UTC)';
  const [from, to] = [partsOf(fromMs).date, partsOf(toMs).date];
  return from === to ? `time (UTC), ${from}` : `time (UTC), ${from} to ${to}`;
}

/** Whether a `Date` can hold the moment. */
function isMoment(ms: number): boolean {
  return Math.abs(ms) <= 8.64e15;
}

/** Date and time in UTC; both are `-` for a number that no `Date` can hold, so that no drawing fails for a label. */
function partsOf(ms: number): { readonly date: string; readonly time: string } {
  if (!isMoment(ms)) return { date: '-', time: '-' };
  const [date, time] = new Date(ms).toISOString().slice(0, -1).split('T');
  return { date: date!, time: time! };
}
