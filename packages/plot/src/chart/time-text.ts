import { formatDuration } from '@hdrscope/kit';
import { decimalStep } from './ticks.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 86_400 * SECOND_MS;

// Moments in 1970 come from logs without a start time, which count from 0.
const YEAR_MS = 365 * DAY_MS;

/** The time of day in UTC: `12:04:30`, or `12:04:30.250` when the moment is not a whole second. */
export function timeText(ms: number): string {
  return ms % 1000 === 0 ? partsOf(ms).time.slice(0, 8) : partsOf(ms).time;
}

/** Date and time in UTC: `2026-01-31 12:04:30`. */
export function dateTimeText(ms: number): string {
  return isMoment(ms) ? `${partsOf(ms).date} ${timeText(ms)}` : '-';
}

/** A stretch of time in UTC, with the date once when it is one day; its length when the log has no start time. */
export function periodText(startMs: number, endMs: number): string {
  if (!isMoment(startMs) || !isMoment(endMs)) return '-';
  if (startMs < YEAR_MS) return `${formatDuration((endMs - startMs) * 1e6)} long`;
  const [start, end] = [Math.floor(startMs / SECOND_MS), Math.ceil(endMs / SECOND_MS)].map(
    (s) => s * SECOND_MS,
  );
  const [from, to] = [partsOf(start!), partsOf(end!)];
  const until = from.date === to.date ? timeText(end!) : dateTimeText(end!);
  return `${dateTimeText(start!)} – ${until} UTC`;
}

/** The name of a time axis, with the date that its labels leave out. */
export function timeAxisName(fromMs: number, toMs: number): string {
  if (!isMoment(fromMs) || !isMoment(toMs)) return 'time (UTC)';
  if (fromMs < YEAR_MS) return 'time since the start';
  const [from, to] = [partsOf(fromMs).date, partsOf(toMs).date];
  return from === to ? `time (UTC), ${from}` : `time (UTC), ${from} to ${to}`;
}

/** Round steps of time, in ms. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((s) => s * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 7, 14, 30, 91, 182, 365].map((days) => days * DAY_MS),
];

/** A labelled moment. */
export interface TimeTick {
  readonly timeMs: number;
  readonly label: string;
}

/**
 * Round moments from one to another, at most `most` unless `most` is below 1. A stretch without a round moment has its start.
 *
 * @param startMs Of the whole axis: an axis from 1970 on counts from its log's start.
 */
export function timeTicks(startMs: number, endMs: number, most: number): TimeTick[] {
  if (!isMoment(startMs) || !isMoment(endMs) || !(endMs > startMs)) return [tickAt(startMs, SECOND_MS)];
  const least = (endMs - startMs) / Math.max(1, most);
  const days = Math.ceil(least / DAY_MS / 365);
  const step = STEPS_MS.find((one) => one >= least) ?? decimalStep(days) * 365 * DAY_MS;
  const first = Math.ceil(startMs / step) * step;
  const count = Math.floor((endMs - first) / step) + 1;
  if (count < 1) return [tickAt(startMs, SECOND_MS)];
  return Array.from({ length: count }, (_, i) => tickAt(first + i * step, step));
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** No more of the moment than its step needs: `12:04`, `12:04:30`, `12:04:30.250`, and at the begin of a day the date, `31 Jan`. */
function tickAt(timeMs: number, step: number): TimeTick {
  const { date, time } = partsOf(timeMs);
  if (timeMs < YEAR_MS && timeMs > 0 && timeMs % DAY_MS === 0)
    return { timeMs, label: `${Math.round(timeMs / DAY_MS)} d` };
  if (timeMs % DAY_MS === 0 && timeMs >= YEAR_MS) {
    const [year, month, day] = date.split('-');
    const isLong = step >= 182 * DAY_MS;
    return { timeMs, label: isLong ? `${year}-${month}` : `${Number(day)} ${MONTHS[Number(month) - 1]}` };
  }
  const digits = step % MINUTE_MS === 0 ? 5 : step % SECOND_MS === 0 && timeMs % SECOND_MS === 0 ? 8 : 12;
  return { timeMs, label: time.slice(0, digits) };
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
