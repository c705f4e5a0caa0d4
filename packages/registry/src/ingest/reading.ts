import type { Counted } from '@hdrscope/core';
import type { KnownRange } from '@hdrscope/core/internal';
import type { Attributes } from '../attributes.ts';
import type { Exemplar } from '../exemplars.ts';
import type { FamilyOptions } from '../family-options.ts';
import type { Rejected } from '../rejected.ts';

/**
 * One state of one distribution that somebody else counts: a kernel map, a daemon, another process, a log. All a source
 * has to do is to parse what it reads into readings.
 */
export interface Reading {
  /** Tells this distribution from all others of its source. */
  readonly key: string;
  /** The family it belongs to. What is left out is chosen to suit the layout, when the family is made. */
  readonly family: FamilyOptions;
  readonly attributes: Attributes;
  /** An HDR layout counts ticks of the family's resolution; values of any other layout are in the family's unit. */
  readonly counted: Counted;
  /** The sum of all values, in the family's unit. @default not known: estimated from the slots */
  readonly sum?: number | undefined;
  /** The smallest value. @default not known: estimated from the slots */
  readonly min?: number | undefined;
  /** The largest value. @default not known: estimated from the slots */
  readonly max?: number | undefined;
  /**
   * A range that holds all values, which narrows slots that reach beyond it: see `CountedFacts`. @default from `min` to `max`
   */
  readonly within?: KnownRange | undefined;
  /** Values that were rejected where the counts were made; cumulative, as the counts are. @default no values */
  readonly rejected?: Rejected | undefined;
  /** @default no exemplars */
  readonly exemplars?: readonly Exemplar[] | undefined;
  /** How the counter works that was read. @default a cumulative one of 64 bits that has one life */
  readonly counter?: CounterState | undefined;
}

/** What is known of the counter behind a reading. */
export interface CounterState {
  /** Whether a reading holds all since the counter began, or what came since the reading before it. @default 'cumulative' */
  readonly temporality?: 'cumulative' | 'delta' | undefined;
  /** Names one life of the counter, such as its start or the number of a map: another life counts from 0. @default '' */
  readonly epoch?: string | undefined;
  /** When this life began, in milliseconds since 1970. @default not known */
  readonly startTimeMs?: number | undefined;
  /**
   * Orders the readings of one life: a reading that comes again is a duplicate, and a cumulative one that comes after a later
   * one is late. Neither adds anything. @default readings come in order, each once
   */
  readonly sequence?: bigint | undefined;
  /** The width of the counters. @default 64 */
  readonly counterBits?: 32 | 64 | undefined;
}
