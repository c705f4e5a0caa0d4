import { assertOptions, mustBe, type OptionNames, type OptionsOwner } from '@hdrscope/core/internal';
import type { LogInterval } from './entry.ts';
import { toMicros } from './micros.ts';
import { tagSet } from './tag-set.ts';

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

const SELECTS: OptionsOwner<Selection> = {
  name: 'selects',
  names: SELECTION_NAMES,
  call: "selects({ tags: ['read'] })",
};

/**
 * Makes a function that checks whether an interval is selected.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, `tags` is no list, or a moment has no number.
 */
export function selects(selection: Selection): (interval: LogInterval) => boolean {
  assertOptions(selection, SELECTS);
  return selector(selection);
}

/**
 * `selects` for options whose names are checked already, and which may have more names.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 */
export function selector({ tags, from, to }: Selection): (interval: LogInterval) => boolean {
  const wanted = tagSet(tags);
  assertMoment('from', from);
  assertMoment('to', to);
  return (interval) =>
    (wanted === undefined || wanted.has(interval.tag)) &&
    (from === undefined || sinceMoment(interval, from) >= 0) &&
    (to === undefined || sinceMoment(interval, to) < 0);
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` unless the moment has a number. Without one, no interval would be selected. */
function assertMoment(name: string, moment: Partial<Record<string, unknown>> | undefined): void {
  if (moment === undefined) return;
  const { offsetSec, epochSec } = moment ?? {};
  const seconds = offsetSec ?? epochSec;
  if (typeof seconds === 'number' && !Number.isNaN(seconds)) return;
  throw mustBe('ERR_INVALID_OPTION', name, 'a moment, { offsetSec } or { epochSec }', moment);
}

function sinceMoment({ startSec, offsetSec }: LogInterval, moment: Moment): number {
  return toMicros('offsetSec' in moment ? offsetSec - moment.offsetSec : startSec - moment.epochSec);
}
