import { formatDuration, formatOffset, zoneOffsetMs } from '@hdrscope/kit';
import type { Plot } from '../plot.ts';
import { decimalStep } from './ticks.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 86_400 * SECOND_MS;

// Moments in 1970 come from logs without a start time, which count from 0.
const YEAR_MS = 365 * DAY_MS;

/** The time zone in which moments are written. */
export interface Zone {
  /** As it stands after a time: `UTC`, `local time`. */
  readonly name: string;
  /** How far its clocks are ahead of UTC at a moment, in ms. */
  offsetMs(ms: number): number;
}

export const UTC: Zone = { name: 'UTC', offsetMs: () => 0 };

/** The zone in which the times of a plot are written: that of its `timeZone`, with the offsets at both ends in its name. */
export function zoneOfPlot(plot: Plot): Zone {
  const timeZone = plot.kind === 'over-time' || plot.kind === 'heat-map' ? plot.timeZone : undefined;
  if (timeZone === undefined || timeZone === 'UTC') return UTC;
  const offsetMs = (ms: number): number => zoneOffsetMs(timeZone, ms);
  const ends =
    plot.kind === 'over-time'
      ? [plot.timesMs[0], plot.timesMs.at(-1)]
      : plot.kind === 'heat-map'
        ? [plot.x.slots[0]?.lower, plot.x.slots.at(-1)?.lower]
        : [];
  const offsets = ends
    .filter((ms) => ms !== undefined && isMoment(ms))
    .map((ms) => formatOffset(offsetMs(ms!)));
  return { name: [timeZone, [...new Set(offsets)].join(' to ')].join(', '), offsetMs };
}

/** The time of day: `12:04:30`, or `12:04:30.250` when the moment is not a whole second. */
export function timeText(ms: number, zone: Zone = UTC): string {
  const { time } = partsOf(ms, zone);
  return ms % 1000 === 0 ? time.slice(0, 8) : time;
}

/** Date and time: `2026-01-31 12:04:30`. */
export function dateTimeText(ms: number, zone: Zone = UTC): string {
  return isMoment(ms) ? `${partsOf(ms, zone).date} ${timeText(ms, zone)}` : '-';
}

/** A stretch of time, with the date once when it is one day; its length when the log has no start time. */
export function periodText(startMs: number, endMs: number, zone: Zone = UTC): string {
  if (!isMoment(startMs) || !isMoment(endMs)) return '-';
  if (startMs < YEAR_MS) return `${formatDuration((endMs - startMs) * 1e6)} long`;
  const [start, end] = [Math.floor(startMs / SECOND_MS), Math.ceil(endMs / SECOND_MS)].map(
    (s) => s * SECOND_MS,
  );
  const [from, to] = [partsOf(start!, zone), partsOf(end!, zone)];
  const until = from.date === to.date ? timeText(end!, zone) : dateTimeText(end!, zone);
  return `${dateTimeText(start!, zone)} – ${until} ${zone.name}`;
}

/** The name of a time axis, with the date that its labels leave out. */
export function timeAxisName(fromMs: number, toMs: number, zone: Zone = UTC): string {
  const name = `time (${zone.name})`;
  if (!isMoment(fromMs) || !isMoment(toMs)) return name;
  if (fromMs < YEAR_MS) return 'time since the start';
  const [from, to] = [partsOf(fromMs, zone).date, partsOf(toMs, zone).date];
  return from === to ? `${name}, ${from}` : `${name}, ${from} to ${to}`;
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
export function timeTicks(startMs: number, endMs: number, most: number, zone: Zone = UTC): TimeTick[] {
  if (!isMoment(startMs) || !isMoment(endMs) || !(endMs > startMs)) return [tickAt(startMs, SECOND_MS, zone)];
  const least = (endMs - startMs) / Math.max(1, most);
  const days = Math.ceil(least / DAY_MS / 365);
  const step = STEPS_MS.find((one) => one >= least) ?? decimalStep(days) * 365 * DAY_MS;
  const ahead = offsetOf(startMs, zone);
  const first = Math.ceil((startMs + ahead) / step) * step - ahead;
  const count = Math.floor((endMs - first) / step) + 1;
  if (count < 1) return [tickAt(startMs, SECOND_MS, zone)];
  // Long steps are round also after a change of clocks. Shorter ones could meet the hour that clocks skip.
  const shift = (ms: number): number => (step >= DAY_MS / 4 ? ahead - offsetOf(ms, zone) : 0);
  return Array.from({ length: count + 1 }, (_, i) => first + i * step).flatMap((ms) => {
    const timeMs = ms + shift(ms);
    return timeMs > endMs ? [] : [tickAt(timeMs, step, zone)];
  });
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** No more of the moment than its step needs: `12:04`, `12:04:30`, `12:04:30.250`, and at the begin of a day the date, `31 Jan`. */
function tickAt(timeMs: number, step: number, zone: Zone): TimeTick {
  const { date, time } = partsOf(timeMs, zone);
  const isMidnight = (timeMs + offsetOf(timeMs, zone)) % DAY_MS === 0;
  if (timeMs < YEAR_MS && timeMs > 0 && timeMs % DAY_MS === 0)
    return { timeMs, label: `${Math.round(timeMs / DAY_MS)} d` };
  if (isMidnight && timeMs >= YEAR_MS) {
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

/** How far a zone is ahead of UTC. A moment of 1970 is of a log that counts from 0, which no zone changes. */
function offsetOf(ms: number, zone: Zone): number {
  return isMoment(ms) && ms >= YEAR_MS ? zone.offsetMs(ms) : 0;
}

/** Date and time; both are `-` for a number that no `Date` can hold, so that no drawing fails for a label. */
function partsOf(ms: number, zone: Zone): { readonly date: string; readonly time: string } {
  const shown = ms + offsetOf(ms, zone);
  if (!isMoment(shown)) return { date: '-', time: '-' };
  const [date, time] = new Date(shown).toISOString().slice(0, -1).split('T');
  return { date: date!, time: time! };
}
