import { mustBe, type OptionNames } from '@hdrscope/core/internal';
import { type Clock, type IntakeOptions, systemClock } from '@hdrscope/registry';
import type { NumberStates } from './number-states.ts';
import type { MetricIdentity, ReceivedFamilyOptions } from './received.ts';

/**
 * Options of a receiver. The `observer` hears whether a request was accepted, and how many values it added. The `memory` is that of an
 * earlier receiver: its streams continue, so nothing counts twice.
 */
export interface OtlpReceiverOptions extends Pick<IntakeOptions, 'observer' | 'memory'> {
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

/** The names of `OtlpReceiverOptions`. */
export const RECEIVER_NAMES: OptionNames<OtlpReceiverOptions> = {
  resourceAttributes: true,
  familyOptions: true,
  numbers: true,
  maxStreams: true,
  forgetAfterMs: true,
  maxBytes: true,
  maxElements: true,
  maxPendingBytes: true,
  clock: true,
  observer: true,
  memory: true,
};

/** The limits of bodies. */
export type ReceiverLimits = Required<
  Pick<OtlpReceiverOptions, 'maxBytes' | 'maxElements' | 'maxPendingBytes'>
>;

/** The options that decide how received metrics become readings, and how these are ingested. */
export type ReceiverSettings = Required<
  Omit<OtlpReceiverOptions, keyof ReceiverLimits | 'observer' | 'memory' | 'numbers'>
> &
  Pick<OtlpReceiverOptions, 'observer' | 'memory' | 'numbers'>;

const DEFAULT_RESOURCE_ATTRIBUTES = ['service.namespace', 'service.name', 'service.instance.id'];
const DEFAULT_MAX_STREAMS = 10_000;
const DEFAULT_FORGET_AFTER_MS = 3_600_000;
const DEFAULT_MAX_BYTES = 16 * 2 ** 20;
const DEFAULT_MAX_ELEMENTS = 500_000;
const PENDING_BODIES = 4;

/** @throws HdrscopeError `ERR_INVALID_OPTION` when an option is out of range. */
export function withDefaults({
  resourceAttributes = DEFAULT_RESOURCE_ATTRIBUTES,
  familyOptions = () => undefined,
  maxStreams = DEFAULT_MAX_STREAMS,
  forgetAfterMs = DEFAULT_FORGET_AFTER_MS,
  maxBytes = DEFAULT_MAX_BYTES,
  maxElements = DEFAULT_MAX_ELEMENTS,
  maxPendingBytes = PENDING_BODIES * maxBytes,
  clock = systemClock,
  observer,
  memory,
  numbers,
}: OtlpReceiverOptions): ReceiverSettings & ReceiverLimits {
  const areTexts =
    Array.isArray(resourceAttributes) && resourceAttributes.every((key) => typeof key === 'string');
  if (!areTexts) {
    throw mustBe('ERR_INVALID_OPTION', 'resourceAttributes', 'an array of texts', resourceAttributes);
  }
  if (typeof familyOptions !== 'function') {
    throw mustBe('ERR_INVALID_OPTION', 'familyOptions', 'a function', familyOptions);
  }
  if (numbers !== undefined && typeof numbers?.take !== 'function') {
    throw mustBe('ERR_INVALID_OPTION', 'numbers', 'the states that numberStates() returns', numbers);
  }
  assertLimit('maxStreams', maxStreams);
  assertLimit('maxBytes', maxBytes);
  assertLimit('maxElements', maxElements);
  if (!(Number.isSafeInteger(maxPendingBytes) && maxPendingBytes >= maxBytes)) {
    throw mustBe('ERR_INVALID_OPTION', 'maxPendingBytes', 'an integer of at least maxBytes', maxPendingBytes);
  }
  if (!(typeof forgetAfterMs === 'number' && forgetAfterMs > 0)) {
    throw mustBe('ERR_INVALID_OPTION', 'forgetAfterMs', 'a number above 0', forgetAfterMs);
  }
  return {
    resourceAttributes: [...resourceAttributes],
    familyOptions,
    maxStreams,
    forgetAfterMs,
    maxBytes,
    maxElements,
    maxPendingBytes,
    clock,
    observer,
    memory,
    numbers,
  };
}

function assertLimit(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= 2 ** 30) return;
  throw mustBe('ERR_INVALID_OPTION', name, 'an integer from 1 to 2^30', value);
}
