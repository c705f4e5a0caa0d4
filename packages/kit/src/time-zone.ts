import { DAY_MS } from './times.ts';

/** A stretch of time in which the clocks of a zone do not change. */
export interface OffsetSpan {
  /** Its start, in milliseconds since 1970. */
  readonly fromMs: number;
  /** Its end, which is not in it. */
  readonly untilMs: number;
  /** How far clocks are ahead of UTC, in milliseconds: a whole number of seconds. */
  readonly offsetMs: number;
}

/**
 * The name of a time zone of IANA's database that this runtime knows, as in `Europe/Berlin`: `UTC` for all names of UTC.
 *
 * @returns `undefined` when the text is no such name. Offsets such as `+01:00` are none.
 * @example
 * ```ts
 * import { readTimeZone } from '@hdrscope/kit';
 *
 * readTimeZone('Etc/UTC'); //=> 'UTC'
 * readTimeZone('Europe/Bärlin'); //=> undefined
 * ```
 */
export function readTimeZone(text: string): string | undefined {
  if (!/^[A-Za-z]/.test(text)) return undefined;
  try {
    clockOf(text);
  } catch {
    return undefined;
  }
  return /^(etc\/)?(utc|uct|zulu|universal)$/i.test(text) ? 'UTC' : text;
}

/**
 * How far the clocks of a zone are ahead of UTC at a moment, in milliseconds.
 *
 * @throws RangeError when the zone is not known.
 * @example
 * ```ts
 * import { zoneOffsetMs } from '@hdrscope/kit';
 *
 * zoneOffsetMs('Asia/Kolkata', 0) / 3_600_000; //=> 5.5
 * ```
 */
export function zoneOffsetMs(timeZone: string, timeMs: number): number {
  if (timeZone === 'UTC') return 0;
  // Clocks change at whole seconds.
  const seconds = Math.floor(timeMs / 1000) * 1000;
  const part: Record<string, number> = {};
  for (const { type, value } of clockOf(timeZone).formatToParts(seconds)) part[type] = Number(value);
  const { year, month, day, hour, minute, second } = part;
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - seconds;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError when the zone is not known. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const number = 'numeric';
  const clock = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: number, month: number, day: number, hour: number, minute: number, second: number },
  });
  clocks.set(timeZone, clock);
  return clock;
}

/**
 * The spans of equal offset that cover a time, ascending.
 *
 * @example
 * ```ts
 * import { offsetSpans } from '@hdrscope/kit';
 *
 * const spans = offsetSpans('Europe/Berlin', Date.parse('2026-03-01'), Date.parse('2026-04-01'));
 * spans.map(({ fromMs }) => new Date(fromMs).toISOString()); //=> ['2026-03-01T00:00:00.000Z', '2026-03-29T01:00:00.000Z']
 * ```
 */
export function offsetSpans(timeZone: string, fromMs: number, untilMs: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  let startMs = fromMs;
  let offsetMs = zoneOffsetMs(timeZone, fromMs);
  // No zone has changed its clocks twice in a day.
  for (let atMs = fromMs; atMs < untilMs; atMs += DAY_MS) {
    const nextMs = Math.min(atMs + DAY_MS, untilMs);
    const next = timeZone === 'UTC' ? 0 : zoneOffsetMs(timeZone, nextMs);
    if (next === offsetMs) continue;
    let [before, after] = [Math.floor(atMs / 1000), Math.ceil(nextMs / 1000)];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (zoneOffsetMs(timeZone, middle * 1000) === offsetMs) before = middle;
      else after = middle;
    }
    const changeMs = after * 1000;
    if (changeMs >= untilMs) break;
    spans.push({ fromMs: startMs, untilMs: changeMs, offsetMs });
    startMs = changeMs;
    offsetMs = next;
  }
  if (startMs < untilMs) spans.push({ fromMs: startMs, untilMs, offsetMs });
  return spans;
}

/**
 * The first moment at which clocks of a zone show a time or a later one: where clocks skip it, the moment of the change; where they show
 * it twice, the first of both.
 *
 * @param localMs The time that clocks show, as milliseconds since 1970 of a zone without an offset.
 * @example
 * ```ts
 * import { firstMoment } from '@hdrscope/kit';
 *
 * // Midnight does not exist on this day.
 * new Date(firstMoment('America/Havana', Date.parse('2026-03-08'))).toISOString(); //=> '2026-03-08T05:00:00.000Z'
 * ```
 */
export function firstMoment(timeZone: string, localMs: number): number {
  if (timeZone === 'UTC') return localMs;
  // Offsets are less than a day; Samoa has skipped one.
  for (const { fromMs, untilMs, offsetMs } of offsetSpans(
    timeZone,
    localMs - 2 * DAY_MS,
    localMs + 2 * DAY_MS,
  )) {
    const momentMs = Math.max(fromMs, localMs - offsetMs);
    if (momentMs < untilMs) return momentMs;
  }
  return localMs - zoneOffsetMs(timeZone, localMs);
}

/**
 * A moment as clocks of a zone show it, with the offset, as people read it: `2026-03-29 00:00:00.000 +01:00`, and ` UTC` in place of the offset of UTC itself.
 *
 * @example
 * ```ts
 * import { formatZonedTime } from '@hdrscope/kit';
 *
 * formatZonedTime(1_774_746_000_000, 'Europe/Berlin'); //=> '2026-03-29 03:00:00.000 +02:00'
 * ```
 */
export function formatZonedTime(timeMs: number, timeZone: string): string {
  const offsetMs = zoneOffsetMs(timeZone, timeMs);
  const text = new Date(Math.round(timeMs) + offsetMs).toISOString().replace('T', ' ').slice(0, -1);
  return `${text} ${timeZone === 'UTC' ? 'UTC' : formatOffset(offsetMs)}`;
}

/** An offset as people read it, and as ISO 8601 has it: `+05:30`; with seconds where it has some, as those of the time before zones. */
export function formatOffset(offsetMs: number): string {
  const seconds = Math.abs(offsetMs) / 1000;
  const digits = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${offsetMs < 0 ? '-' : '+'}${digits.slice(0, seconds % 60 === 0 ? 2 : 3).join(':')}`;
}
