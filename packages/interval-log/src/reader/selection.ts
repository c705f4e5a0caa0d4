import {
  custom,
  type OptionRule,
  optional,
  optionsIn,
  type RulesFor,
  readOptions,
  type Settings,
} from '@hdrscope/core/internal';
import type { LogInterval } from './entry.ts';
import { toMicros } from './time.ts';

/** A moment: seconds after the start of the log, or seconds since 1970. */
export type Moment = { readonly offsetSec: number } | { readonly epochSec: number };

/** Selects intervals by tag and start. Consecutive selections share no interval, because `until` is exclusive. */
export interface Selection {
  /** Only intervals with one of these tags; `undefined` stands for intervals without a tag. @default all */
  readonly tags?: Iterable<string | undefined>;
  /** Only intervals that start at this moment or later. @default no limit */
  readonly since?: Moment;
  /** Only intervals that start before this moment. @default no limit */
  readonly until?: Moment;
}

// Without a number no interval would be selected.
const seconds = custom<number>('a number', (value) => typeof value === 'number' && !Number.isNaN(value));

const moment: OptionRule<Moment> = {
  ...optionsIn<{ readonly offsetSec?: number; readonly epochSec?: number }>({
    name: 'a moment',
    rules: { offsetSec: optional(seconds), epochSec: optional(seconds) },
  }),
  ...custom<Moment>('a moment, { offsetSec } or { epochSec }', (value) => {
    const { offsetSec, epochSec } = value as Partial<Record<string, unknown>>;
    return (offsetSec ?? epochSec) !== undefined;
  }),
};

/** The rules of `Selection`. */
export const SELECTION_RULES: RulesFor<Selection, keyof Selection> = {
  // A text would select tags of one character each.
  tags: optional(
    custom<Iterable<string | undefined>>(
      'a list of tags',
      (tags) => typeof tags === 'object' && tags !== null && Symbol.iterator in tags,
    ),
  ),
  since: optional(moment),
  until: optional(moment),
};

const SELECTS = { name: 'selects', rules: SELECTION_RULES, call: "selects({ tags: ['read'] })" };

/**
 * Makes a function that checks whether an interval is selected.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, `tags` is no list, or a moment has no number.
 */
export function selects(selection: Selection): (interval: LogInterval) => boolean {
  return createSelector(readOptions(selection, SELECTS));
}

/** `selects` for options that are checked already, and which may have more names. */
export function createSelector({
  tags,
  since,
  until,
}: Settings<Selection, keyof Selection>): (interval: LogInterval) => boolean {
  const wanted = tags && new Set(tags);
  return (interval) =>
    (wanted === undefined || wanted.has(interval.tag)) &&
    (since === undefined || secondsSince(interval, since) >= 0) &&
    (until === undefined || secondsSince(interval, until) < 0);
}

function secondsSince({ startSec, offsetSec }: LogInterval, moment: Moment): number {
  return toMicros('offsetSec' in moment ? offsetSec - moment.offsetSec : startSec - moment.epochSec);
}
