import type { Counted } from '@hdrscope/core';
import type { KnownRange } from '@hdrscope/core/internal';
import type { Attributes } from '../attributes.ts';
import type { Exemplar } from '../exemplars.ts';
import type { FamilyOptions } from '../family-options.ts';
import type { RejectedCounts } from '../rejected.ts';

/**
 * One state of one distribution that is counted elsewhere: by a kernel map, a daemon, another process or a log. A
 * source parses its input into readings, and `ingest` does the rest.
 */
export interface Reading {
  /** Identifies this distribution among all distributions of its source. */
  readonly key: string;
  /**
   * The family of the distribution. Options that are left out are chosen to suit the layout when the family is made.
   * Readings of one family should share one object: it is looked up by identity.
   */
  readonly family: FamilyOptions;
  /** The attributes of the series that takes the values. */
  readonly attributes: Attributes;
  /**
   * The counts. Those of an HDR layout are in ticks of the family's resolution; values of any other layout are in the
   * family's unit. They are kept until the next reading, and must not change afterwards.
   */
  readonly counted: Counted;
  /** The sum of all values, in the family's unit. @default not known, the slots give an estimate */
  readonly sum?: number | undefined;
  /** The smallest value, in the family's unit. @default not known, the slots give an estimate */
  readonly min?: number | undefined;
  /** The largest value, in the family's unit. @default not known, the slots give an estimate */
  readonly max?: number | undefined;
  /**
   * A range that holds all values, in the family's unit. Slots that reach beyond it are narrowed to it.
   * @default from `min` to `max`
   */
  readonly within?: KnownRange | undefined;
  /** Values that were rejected where the counts were made; cumulative when the counts are. @default no values */
  readonly rejected?: RejectedCounts | undefined;
  /** Values that stand for others, with their times and attributes. @default no exemplars */
  readonly exemplars?: readonly Exemplar[] | undefined;
  /** How the counter behind the reading works. @default a cumulative counter of 64 bits with one life */
  readonly counter?: CounterState | undefined;
}

/** The counter behind a reading. */
export interface CounterState {
  /** Whether a reading holds all counts of its life, or those since the reading before it. @default 'cumulative' */
  readonly temporality?: 'cumulative' | 'delta' | undefined;
  /**
   * Names one life of the counter, by its start or the number of a map for example: another life counts from 0.
   * @default '', the counter has one life
   */
  readonly epoch?: string | undefined;
  /** When this life began, in milliseconds since 1970. @default not known */
  readonly startTimeMs?: number | undefined;
  /**
   * The number of the reading within one life. A reading that comes again is a duplicate, and a cumulative reading that comes
   * after a later one is late; neither adds anything.
   * @default readings come in order, each once
   */
  readonly sequence?: bigint | undefined;
  /** The width of the counters: one of 32 bits starts again at 0 after 2^32 − 1. @default 64 */
  readonly counterBits?: 32 | 64 | undefined;
  /**
   * The most that the counter of one slot can count in a second. A reading that has counted more since the one before is refused, and
   * the next one is compared with it. A counter of 32 bits that has fallen, and would have counted more by passing its largest value,
   * was set to 0. @default not known
   */
  readonly mostPerSecond?: number | undefined;
}
