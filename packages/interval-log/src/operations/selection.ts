import { assertOptions, type OptionNames, type OptionsOwner } from '@hdrscope/core/internal';
import type { LogInterval, MalformedLine } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { READ_NAMES, type ReadOptions } from '../reader/read.ts';
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

/** The names of `Selection`. */
export const SELECTION_NAMES: OptionNames<Selection> = { tags: true, from: true, to: true };

/** Options of every operation on logs. */
export interface OperationOptions extends ReadOptions {
  /** Receives every malformed line, and the operation leaves it out. @default the error of the line is thrown */
  readonly onMalformed?: (line: MalformedLine, source: LogSource) => void;
}

/** The names of `OperationOptions`. */
export const OPERATION_NAMES: OptionNames<OperationOptions> = { ...READ_NAMES, onMalformed: true };

const SELECTS: OptionsOwner<Selection> = {
  name: 'selects',
  names: SELECTION_NAMES,
  call: "selects({ tags: ['read'] })",
};

/**
 * Makes a function that checks whether an interval is selected.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 */
export function selects(selection: Selection): (interval: LogInterval) => boolean {
  assertOptions(selection, SELECTS);
  return selector(selection);
}

/** `selects` for options that are checked already and may have more names. */
export function selector({ tags, from, to }: Selection): (interval: LogInterval) => boolean {
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
