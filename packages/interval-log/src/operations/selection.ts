import type { LogInterval, MalformedLine } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import type { ReadOptions } from '../reader/read.ts';
import { toMicros } from './format-line.ts';

/** A moment: seconds after the start of the log, or seconds since 1970. */
export type Moment = { readonly offsetSec: number } | { readonly epochSec: number };

/** Selects intervals by tag and start. Consecutive selections share no interval, because `to` is exclusive. */
export interface Selection {
  /** Only intervals with one of these tags; `undefined` stands for intervals without a tag. @default all */
  readonly tags?: Iterable<string | undefined>;
  /** Only intervals that start at this moment or later. @default no limit */
  readonly from?: Moment;
  /** Only intervals that start before this moment. @default no limit */
  readonly to?: Moment;
}

/** Options of every operation on logs. */
export interface OperationOptions extends ReadOptions {
  /** Receives every malformed line, and the operation leaves it out. @default the error of the line is thrown */
  readonly onMalformed?: (line: MalformedLine, source: LogSource) => void;
}

/** Makes a function that checks whether an interval is selected. */
export function selects({ tags, from, to }: Selection): (interval: LogInterval) => boolean {
  const wanted = tags && new Set(tags);
  return (interval) =>
    (wanted === undefined || wanted.has(interval.tag)) &&
    (from === undefined || sinceMoment(interval, from) >= 0) &&
    (to === undefined || sinceMoment(interval, to) < 0);
}

function sinceMoment({ startSec, offsetSec }: LogInterval, moment: Moment): number {
  return toMicros('offsetSec' in moment ? offsetSec - moment.offsetSec : startSec - moment.epochSec);
}

/** Passes a malformed line to `onMalformed`, or throws its error if there is no listener. */
export function reportMalformed(
  { onMalformed }: OperationOptions,
  line: MalformedLine,
  source: LogSource,
): void {
  if (onMalformed === undefined) throw line.error;
  onMalformed(line, source);
}
