import { formatValue } from '@hdrscope/plot';
import type { Zone } from '@hdrscope/plot/internal';
import type { TimeRange } from '../src/question.ts';

export const UTC: Zone = { name: 'UTC', offsetMs: () => 0 };

/** The time zone of the reader. */
export const LOCAL: Zone = {
  name: 'local time',
  offsetMs: (ms) => -new Date(ms).getTimezoneOffset() * 60_000 || 0,
};

const YEAR_MS = 365 * 86_400_000;

/** Whether a moment is the time since the start of a log, which has no date. Such moments are in 1970. */
export function isSinceStart(ms: number): boolean {
  return ms < YEAR_MS;
}

function partsOf(ms: number, zone: Zone): { readonly date: string; readonly time: string } {
  if (!(Math.abs(ms) < 8.6e15)) return { date: '-', time: '-' };
  const shown = ms + (isSinceStart(ms) ? 0 : zone.offsetMs(ms));
  const [date, time] = new Date(shown).toISOString().slice(0, -1).split('T');
  return { date: date!, time: time! };
}

/** The time of day: `12:04:30`, or `12:04:30.250` when the moment is no whole second and `isExact`. */
export function timeText(ms: number, zone: Zone, isExact = false): string {
  const { time } = partsOf(ms, zone);
  return isExact && ms % 1000 !== 0 ? time : time.slice(0, 8);
}

/** Date and time: `2026-01-31 12:04:30`. */
export function dateTimeText(ms: number, zone: Zone): string {
  const { date, time } = partsOf(ms, zone);
  return `${date} ${time.slice(0, 8)}`;
}

/** A moment as people say it at another one: the time of day, with its date when that is another day. */
export function momentText(ms: number, nowMs: number, zone: Zone): string {
  return partsOf(ms, zone).date === partsOf(nowMs, zone).date ? timeText(ms, zone) : dateTimeText(ms, zone);
}

/** The two ends of a stretch of time: `12:03:10 – 12:05:40`; in milliseconds below ten seconds, and with dates beyond a day. */
export function rangeText({ fromMs, toMs }: TimeRange, zone: Zone): string {
  const isExact = toMs - fromMs < 10_000;
  const [from, to] = [partsOf(fromMs, zone), partsOf(toMs, zone)];
  if (from.date !== to.date) return `${dateTimeText(fromMs, zone)} – ${dateTimeText(toMs, zone)}`;
  return `${timeText(fromMs, zone, isExact)} – ${timeText(toMs, zone, isExact)}`;
}

/** The length of a stretch of time: `2 min 30 s`. */
export function lengthText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  // Below ten minutes, durations have seconds only.
  if (seconds > 60 && seconds < 600 && seconds % 60 !== 0)
    return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return formatValue(ms, 'ms');
}

/** A stretch of time with its length: `12:03:10 – 12:05:40 (2 min 30 s)`. */
export function longRangeText(range: TimeRange, zone: Zone): string {
  return `${rangeText(range, zone)} (${lengthText(range.toMs - range.fromMs)})`;
}

/** An age in whole seconds: `12 s`, `3 min 5 s`. */
export function agoText(ms: number): string {
  return lengthText(Math.max(0, Math.floor(ms / 1000)) * 1000);
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 1440 * MINUTE_MS;

/** Round steps of time, in ms. */
const STEPS_MS = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((s) => s * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 7, 14, 30, 91, 182, 365].map((days) => days * DAY_MS),
];

/** A labelled moment. */
export interface Tick {
  readonly timeMs: number;
  readonly text: string;
}

/** Round moments of a stretch of time, at most `most`. */
export function ticksOf({ fromMs, toMs }: TimeRange, most: number, zone: Zone): Tick[] {
  const least = (toMs - fromMs) / Math.max(1, most);
  const step = STEPS_MS.find((one) => one >= least);
  if (!(toMs > fromMs) || step === undefined) return [];
  const offset = isSinceStart(fromMs) ? 0 : zone.offsetMs(fromMs);
  const first = Math.ceil((fromMs + offset) / step) * step - offset;
  return Array.from({ length: Math.floor((toMs - first) / step) + 1 }, (_, i) => {
    const timeMs = first + i * step;
    const { date, time } = partsOf(timeMs, zone);
    const isDay = time.startsWith('00:00:00.000') && step >= MINUTE_MS && !isSinceStart(timeMs);
    const digits = step % MINUTE_MS === 0 ? 5 : step % SECOND_MS === 0 ? 8 : 10;
    return { timeMs, text: isDay ? date.slice(5) : time.slice(0, digits) };
  });
}
