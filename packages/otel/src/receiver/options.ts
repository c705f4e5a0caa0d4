import {
  callback,
  having,
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
import { type Clock, type IntakeOptions, systemClock } from '@hdrscope/registry';
import { clock, dropAttributes, ingestMemory } from '@hdrscope/registry/internal';
import type { NumberStates } from './number-states.ts';
import type { MetricIdentity, ReceivedFamilyOptions } from './received.ts';

/**
 * Options of a receiver. The `observer` hears whether a request was accepted, and how many values it added. The `memory` is that of an
 * earlier receiver: its streams continue, so nothing counts twice. `dropAttributes` concerns histograms, and not the sums and gauges of
 * `numbers`.
 */
export interface OtlpReceiverOptions extends Pick<IntakeOptions, 'dropAttributes' | 'observer' | 'memory'> {
  /**
   * Whether the first point of a cumulative stream counts in full. With `'now'` it does so only if the stream began after the receiver did,
   * by its own start time. A receiver that is started again then counts nothing twice that its predecessor has passed on, and misses what
   * was counted between the last point before and the first one after. Points of delta streams always count.
   * @default 'beginning', it counts in full
   */
  readonly since?: IntakeOptions['since'];
  /**
   * Keys of the resource attributes that become attributes of its series. A point's own attribute of the same key wins.
   * Processes that differ only in other resource attributes share their series.
   * @default ['service.namespace', 'service.name', 'service.instance.id']
   */
  readonly resourceAttributes?: readonly string[];
  /**
   * Returns options for the family of a metric, in place of those that the receiver chooses. The receiver calls it for each metric of a
   * request; a family keeps its first options. @default the receiver chooses all options
   */
  readonly familyOptions?: (metric: MetricIdentity) => ReceivedFamilyOptions | undefined;
  /** Keeps the last states of sums and gauges: see `numberStates`. @default sums and gauges are refused */
  readonly numbers?: NumberStates | undefined;
  /** How many streams are remembered: an integer of at least 1. Points of further streams are refused. @default 10000 */
  readonly maxStreams?: number;
  /**
   * When `maxStreams` is reached, a new stream replaces one that has sent no point for so many milliseconds: above 0.
   * If the old stream comes back, all of its counts count as new. @default 3600000, an hour
   */
  readonly forgetAfterMs?: number;
  /** The largest body, on the wire and decompressed: an integer of at least 1. Larger ones get 413. @default 16777216, 16 MiB */
  readonly maxBytes?: number;
  /**
   * How many elements a body may have: an integer of at least 1. Larger ones get 413. In protobuf a value is an element, and a metric,
   * a point or an attribute is two; in JSON an object is one, an array is one, and two keys are one. 8 fields of protobuf are one
   * element, and 16 numbers of a list. @default 500000, enough for 10,000 points with 5 attributes and 160 buckets in either encoding
   */
  readonly maxElements?: number;
  /**
   * How many bytes the bodies of all requests under way may have, after decompression: an integer of at least `maxBytes`. When they
   * have more, the oldest request whose body is not complete gets 503, and its sender tries again. @default 4 times `maxBytes`
   */
  readonly maxPendingBytes?: number;
  /** Reads the time. @default the clock of the runtime */
  readonly clock?: Clock;
}

const limit = integer({ from: 1, to: 2 ** 30 });

/** The options without a default. */
type Absent = 'numbers' | 'dropAttributes' | 'observer' | 'memory' | 'maxPendingBytes';

/** The rules of `OtlpReceiverOptions`. */
export const RECEIVER_RULES: RulesFor<OtlpReceiverOptions, Absent> = {
  resourceAttributes: withDefault(listOf(text, 'texts'), [
    'service.namespace',
    'service.name',
    'service.instance.id',
  ]),
  familyOptions: withDefault(callback(), () => undefined),
  numbers: optional(having<NumberStates>('the states that numberStates() returns', 'metrics')),
  maxStreams: withDefault(limit, 10_000),
  forgetAfterMs: withDefault(number({ above: 0, to: Number.POSITIVE_INFINITY }), 3_600_000),
  maxBytes: withDefault(limit, 16 * 2 ** 20),
  maxElements: withDefault(limit, 500_000),
  maxPendingBytes: optional(integer()),
  clock: withDefault(clock, systemClock),
  since: withDefault(oneOf<'beginning' | 'now'>(['beginning', 'now']), 'beginning'),
  dropAttributes: optional(dropAttributes),
  observer: optional(object()),
  memory: optional(ingestMemory),
};

/** The options of a receiver, checked. */
export type ReceiverSettings = Settings<OtlpReceiverOptions, Exclude<Absent, 'maxPendingBytes'>>;

/** The options that decide how received metrics become readings. */
export type ReadingSettings = Pick<
  ReceiverSettings,
  'resourceAttributes' | 'familyOptions' | 'clock' | 'numbers'
>;
