import type { LogInterval, MalformedLine } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import type { ReadOptions } from '../reader/read.ts';
import { toMicros } from './format-line.ts';

/** A moment of a log: so many seconds after its start, or since 1970. */
export type Moment = { readonly offsetSec: number } | { readonly epochSec: number };

/** Which intervals a tool takes: by where they start, so that selections that follow one another share none. */
export interface Selection {
  /** `undefined` stands for intervals without a tag. @default all */
  readonly tags?: Iterable<string | undefined>;
  /** Intervals that start then or later. @default no limit */
  readonly from?: Moment;
  /** Intervals that start before then. @default no limit */
  readonly to?: Moment;
}

/** What all tools that read a log let their caller know and decide. */
export interface OperationOptions extends ReadOptions {
  /** Told of every malformed line, which is left out. @default its error is thrown */
  readonly onMalformed?: (line: MalformedLine, source: LogSource) => void;
}

/** Whether an interval is selected. */
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

/** Hands a malformed line to whoever wants it, or throws its error. */
export function reportMalformed(
  { onMalformed }: OperationOptions,
  line: MalformedLine,
  source: LogSource,
): void {
  if (onMalformed === undefined) throw line.error;
  onMalformed(line, source);
}
