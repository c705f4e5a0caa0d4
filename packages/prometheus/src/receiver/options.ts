import {
  integer,
  listOf,
  number,
  object,
  oneOf,
  optional,
  type RulesFor,
  type Settings,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { type Attributes, type Clock, type IntakeOptions, systemClock } from '@hdrscope/registry';
import { clock, dropAttributes, ingestMemory } from '@hdrscope/registry/internal';

/**
 * Options of a receiver. The `observer` hears whether a request was accepted, and how many values it added. The `memory` is that of an
 * earlier receiver: its series continue, so nothing counts twice.
 */
export interface RemoteWriteReceiverOptions
  extends Pick<IntakeOptions, 'dropAttributes' | 'observer' | 'memory'> {
  /**
   * Whether the first state of a series counts in full. With `'now'` it does so only if the series states that it began after the receiver
   * did: a receiver that is started again then counts nothing twice that its predecessor has passed on, and misses what was counted between
   * the last state before and the first one after. Version 1 states no beginning. @default 'beginning', it counts in full
   */
  readonly since?: IntakeOptions['since'];
  /** Attributes of all series. A label of the same name wins. @default none */
  readonly attributes?: Attributes | undefined;
  /** Names of the families that count: `*` stands for any characters, `?` for one. @default all histograms */
  readonly metrics?: readonly string[] | undefined;
  /** The largest number of series of each family: an integer of at least 1. The overflow series takes all others. @default 10000 */
  readonly cardinalityLimit?: number | undefined;
  /** A series that has counted nothing for so long ends: in milliseconds, above 0. @default series do not end */
  readonly expireAfterMs?: number | undefined;
  /** How many histograms are remembered: an integer of at least 1. Further ones are refused. @default 100000 */
  readonly maxStreams?: number | undefined;
  /**
   * When `maxStreams` is reached, a new histogram replaces one that was not sent for so many milliseconds: above 0. If the old one comes
   * back, all of its counts count as new. @default 3600000, an hour
   */
  readonly forgetAfterMs?: number | undefined;
  /** The largest body, on the wire and decompressed: an integer of at least 1. Larger ones get 413. @default 16777216, 16 MiB */
  readonly maxBytes?: number | undefined;
  /**
   * How many elements a body may have: an integer of at least 1. Larger ones get 413. A field is a quarter of one, a sample or a label is
   * one, and a native histogram is ten. @default 1000000, enough for 40,000 samples with 8 labels
   */
  readonly maxElements?: number | undefined;
  /**
   * How many bytes the bodies of all requests under way may have: an integer of at least `maxBytes`. When they have more, the oldest
   * request whose body is not complete gets 503, and its sender tries again. @default 4 times `maxBytes`
   */
  readonly maxPendingBytes?: number | undefined;
  /** Reads the time. @default the clock of the runtime */
  readonly clock?: Clock | undefined;
}

/** The options without a default. */
type Absent = 'metrics' | 'expireAfterMs' | 'dropAttributes' | 'observer' | 'memory' | 'maxPendingBytes';

const limit = integer({ from: 1, to: 2 ** 30 });
const time = number({ above: 0, to: Number.POSITIVE_INFINITY });

/** The rules of `RemoteWriteReceiverOptions`. */
export const RECEIVER_RULES: RulesFor<RemoteWriteReceiverOptions, Absent> = {
  attributes: withDefault(object(), {}),
  metrics: optional(listOf(text, 'texts')),
  cardinalityLimit: withDefault(integer({ from: 1 }), 10_000),
  expireAfterMs: optional(time),
  maxStreams: withDefault(limit, 100_000),
  forgetAfterMs: withDefault(time, 3_600_000),
  maxBytes: withDefault(limit, 16 * 2 ** 20),
  maxElements: withDefault(limit, 1_000_000),
  maxPendingBytes: optional(integer()),
  clock: withDefault(clock, systemClock),
  since: withDefault(oneOf<'beginning' | 'now'>(['beginning', 'now']), 'beginning'),
  dropAttributes: optional(dropAttributes),
  observer: optional(object()),
  memory: optional(ingestMemory),
};

/** The options of a receiver, checked. */
export type ReceiverSettings = Settings<RemoteWriteReceiverOptions, Exclude<Absent, 'maxPendingBytes'>>;
